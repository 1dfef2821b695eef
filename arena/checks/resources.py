"""What it takes from the machine: memory, and the network it must do without."""

from __future__ import annotations

import time
from pathlib import Path

from arena.checks.dialogue import Offence
from arena.checks.result import Finding, failed, not_judged, passed
from arena.checks.subject import Subject
from arena.checks.table import Table
from arena.model.containment import Guarantee
from arena.model.protocol import Clock, Termination
from arena.sandbox.processes import tree
from rules.position import Game

_TABLES = ("tcp", "tcp6", "udp", "udp6", "raw", "raw6")
_MOVES, _GAME_S = 60, 10.0
"""A whole game is no longer than this, in moves of the program and in time."""


def memory(subject: Subject) -> Finding:
    """Whether it stays below its memory limit: in all that was asked so far, and a whole game."""
    for game in subject.first_boards.values():
        if subject.out_of_memory is not None:
            return subject.failed(subject.out_of_memory)
        try:
            _whole_game(subject, game)
        except Offence as offence:
            if offence.termination is Termination.OUT_OF_MEMORY:
                return subject.failed(offence)  # all else is the matter of other items
    peak = subject.peak_memory_bytes / 2**20
    return passed(f"at most {peak:.0f} MB of {subject.memory_mb}")


def _whole_game(subject: Subject, game: Game) -> None:
    with subject.process() as dialogue:
        table = Table(game.start(1), (), seat=game.seats - 1, seed=1)
        dialogue.start(table, Clock(move_ms=subject.limits.hurry_ms))
        deadline = time.monotonic() + _GAME_S
        for _ in range(_MOVES):
            if not table.is_over and time.monotonic() < deadline:
                dialogue.go_on(table)


def no_network(subject: Subject) -> Finding:
    """Whether it plays without the network: none of its processes holds a socket of the internet.

    Where its sandbox has none, that it plays at all shows that it needs none.
    """
    cut = subject.spec.held.by.get(Guarantee.NETWORK)
    looked = False
    with subject.process() as dialogue:
        table = Table(next(iter(subject.boards.values())).start(1), (), seat=0, seed=1)
        try:
            dialogue.start(table, Clock(move_ms=subject.limits.hurry_ms))
            for _ in range(3):
                sockets = _sockets(dialogue.process.pid)
                if sockets:
                    return failed(
                        f"it holds an internet socket while it plays: {sockets[0]}",
                        "Play without the network: open no socket, fetch nothing; what the "
                        "program needs belongs into the bot's folder.",
                    )
                looked = looked or sockets is not None
                if not table.is_over:
                    dialogue.go_on(table)
        except Offence as offence:
            return not_judged(f"it did not play on ({offence.termination})")
    if cut:
        return passed(f"it plays with the network cut off ({cut})")
    if looked:
        return passed("no internet socket seen; its sandbox does not cut the network off")
    return not_judged("its processes may not be looked into, and its sandbox leaves the network on")


def _sockets(pid: int) -> list[str] | None:
    """The internet sockets of a process and its descendants; None when they may not be read."""
    found: list[str] = []
    readable = False
    for process in tree(pid):
        try:
            held = _held_sockets(process)
        except OSError:
            continue
        readable = True
        found += _internet(process, held) if held else []
    return found if readable else None


def _held_sockets(pid: int) -> set[str]:
    """The inodes of the sockets a process has open. Raises OSError."""
    targets = (str(entry.readlink()) for entry in Path(f"/proc/{pid}/fd").iterdir())
    return {target[len("socket:[") : -1] for target in targets if target.startswith("socket:[")}


def _internet(pid: int, inodes: set[str]) -> list[str]:
    """Those that are no sockets of the local machine alone: connected ones, and any not listed as
    local, for a socket that is connected to nothing is listed nowhere.
    """
    listed = {inode: kind for kind in _TABLES for inode in _inodes(pid, kind, column=9) & inodes}
    rest = inodes - set(listed) - _inodes(pid, "unix", column=6) - _inodes(pid, "netlink", column=9)
    return [*listed.values(), *("one that is not connected" for _ in rest)]


def _inodes(pid: int, kind: str, column: int) -> set[str]:
    """The inodes in a table of /proc/PID/net, which is that of its own network namespace."""
    try:
        lines = Path(f"/proc/{pid}/net/{kind}").read_text().splitlines()[1:]
    except OSError:
        return set()
    return {words[column] for words in map(str.split, lines) if len(words) > column}
