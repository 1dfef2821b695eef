"""Its use of the machine: time near the clock, memory, and the network it must do without."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from arena.checks.conditions import limit_ms
from arena.checks.dialogue import Dialogue, Offence
from arena.checks.positions import PracticeGame, PracticePosition
from arena.checks.result import CheckFinding, did_not_play_on, failed, not_judged, passed
from arena.checks.subject import ANSWERED, Subject
from arena.model.containment import Guarantee
from arena.model.protocol import Clock, Termination
from arena.referee.requests import TurnRequest
from arena.sandbox.processes import tree
from rules.position import Game

_TURNS = 2
_LOAD_EARLIER = (
    "Load and prepare when `start` comes, before `ready`, not at the first `turn`: "
    "only the first move was late, the next was in time."
)
_MOVES, _GAME_S = 60, 10.0
"""The most of a game whose memory is looked at: moves of the program, and time."""
_TABLES = ("tcp", "tcp6", "udp", "udp6", "raw", "raw6")


def near_the_clock(subject: Subject) -> CheckFinding:
    """Judge whether it answers in time: at the tournament's limit, or a long and a short one."""
    slowest: dict[int, float] = {}
    for board, game, clock, practice in _questions(subject):
        limit, used = limit_ms(clock), list[float]()
        subject.report(f"{board} at {limit} ms")
        with subject.process() as dialogue:
            try:
                dialogue.start(practice, clock)
                used.extend(each.used_ms for each in dialogue.turns(practice, _TURNS))
            except Offence as offence:
                if offence.termination not in ANSWERED:
                    first = not used and _was_only_the_first(
                        dialogue, subject.opening(game), offence
                    )
                    where = f"{board} at {clock.words}"
                    return subject.failed(offence, where, _LOAD_EARLIER if first else None)
        if used:
            slowest[limit] = max(slowest.get(limit, 0.0), *used)
    if len(slowest) < len(subject.conditions.clocks.judged):
        return not_judged("skipped: no valid answer (see item 6)")
    if subject.conditions.terms is not None:
        subject.slowest_ms = max(slowest.values())  # its games have this clock
    return passed(", ".join(f"{used:.0f} ms of {limit}" for limit, used in slowest.items()))


def _questions(subject: Subject) -> Iterator[tuple[str, Game, Clock, PracticeGame]]:
    """Practice games at the opening and in the middle, of each board at its limits."""
    boards = list(subject.first_boards.items())
    *longer, last = subject.conditions.clocks.judged
    plan = [(*boards[0], clock) for clock in longer]
    plan += [(name, game, last) for name, game in boards]
    for name, game, clock in plan:
        for practice in (subject.opening(game), subject.at(_middle(subject.positions(game)))):
            yield name, game, clock, practice


def _middle(positions: Sequence[PracticePosition]) -> PracticePosition:
    """The position nearest to the middle of a game, whichever seat is to move."""
    half = max(len(at.moves) for at in positions) / 2
    return min(positions, key=lambda at: abs(len(at.moves) - half))


def _was_only_the_first(dialogue: Dialogue, practice: PracticeGame, offence: Offence) -> bool:
    """Whether a program whose first move came late is in time when asked once more."""
    if (
        offence.belated is None
        or offence.belated.closed
        or not isinstance(offence.request, TurnRequest)
    ):
        return False
    practice.play(practice.position.legal_moves()[0])
    try:
        dialogue.ask(practice)
    except Offence as again:
        return again.termination is not Termination.TIMEOUT
    return True


def memory(subject: Subject) -> CheckFinding:
    """Judge whether it stays below its memory limit: in all that was asked, and in whole games."""
    for game in subject.first_boards.values():
        if subject.out_of_memory is not None:
            return subject.failed(subject.out_of_memory)
        try:
            with subject.process() as dialogue:
                practice = subject.opening(game, seat=game.seats - 1)
                dialogue.start(practice)
                dialogue.play_on(practice, _MOVES, _GAME_S)
        except Offence as offence:
            if offence.termination is Termination.OUT_OF_MEMORY:
                return subject.failed(offence)  # other items judge the rest
    peak = subject.peak_memory_bytes / 2**20
    limit = subject.conditions.memory_mb
    beyond = "; files that it maps do not count, nor a peak too short to be seen"
    return passed(f"at most {peak:.0f} MB of {limit}{beyond if peak > limit else ''}")


def no_network(subject: Subject) -> CheckFinding:
    """Judge whether it plays without the network: none of its processes has an internet socket."""
    looked = False
    with subject.process() as dialogue:
        practice = subject.opening(next(iter(subject.boards.values())))
        try:
            dialogue.start(practice)
            for _ in range(3):
                sockets = _sockets(dialogue.process.pid)
                if sockets:
                    return failed(
                        f"it has an internet socket open while it plays: {sockets[0]}",
                        "Play without the network: open no socket, fetch nothing; what the "
                        "program needs belongs in the bot's folder.",
                    )
                looked = looked or sockets is not None
                dialogue.play_on(practice, 1)
        except Offence as offence:
            return did_not_play_on(offence.termination)
    if cut := subject.spec.held.by.get(Guarantee.NETWORK):
        return passed(f"it plays with the network cut off ({cut})")
    if looked:
        return passed("no internet socket seen; its sandbox does not cut the network off")
    return not_judged("its processes may not be looked into, and its sandbox leaves the network on")


def _sockets(pid: int) -> list[str] | None:
    """The internet sockets of a process and its descendants; None when they may not be read."""
    sockets: list[str] | None = None
    for process in tree(pid):
        with suppress(OSError):
            targets = [str(entry.readlink()) for entry in Path(f"/proc/{process}/fd").iterdir()]
            inodes = {target[8:-1] for target in targets if target.startswith("socket:[")}
            sockets = (sockets or []) + (_internet(process, inodes) if inodes else [])
    return sockets


def _internet(pid: int, inodes: set[str]) -> list[str]:
    """The sockets that are not local: connected ones, and those in no table at all."""
    listed = {inode: kind for kind in _TABLES for inode in _inodes(pid, kind, column=9) & inodes}
    rest = inodes - set(listed) - _inodes(pid, "unix", column=6) - _inodes(pid, "netlink", column=9)
    return [*listed.values(), *("one that is not connected" for _ in rest)]


def _inodes(pid: int, kind: str, column: int) -> set[str]:
    try:
        lines = Path(f"/proc/{pid}/net/{kind}").read_text().splitlines()[1:]
    except OSError:
        return set()
    return {words[column] for words in map(str.split, lines) if len(words) > column}
