"""How it leaves: on `quit`, on the end of its stdin, and without processes that stay behind."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

from arena.checks.dialogue import Dialogue, Offence
from arena.checks.result import Finding, failed, not_judged, passed
from arena.checks.subject import Subject
from arena.checks.table import Table
from arena.model.fault import printable
from arena.model.protocol import Clock
from arena.referee.pool import QUIT_S
from arena.sandbox.processes import children, tree

_SETTLE_S = 0.2
"""How long helpers may take to end after the program."""


def no_strays(subject: Subject) -> Finding:
    """Whether all its processes end with it, and none was sent away while it played."""
    before = children()
    with subject.process() as dialogue:
        try:
            _play(subject, dialogue)
            first = _namespace(subject, dialogue.process.pid)
            program = dialogue.process.pid if first is None else min(children(first))
            dialogue.say_quit()
        except Offence as offence:
            return not_judged(f"it did not play on ({offence.termination})")
        dialogue.close_stdin()
        _wait_for_end(program)
        orphans = children(first) - before - {program}
        left = [said for orphan in orphans for pid in tree(orphan) if (said := _command(pid))]
    if not left:
        return passed("no process is left behind")
    count = "a process" if len(left) == 1 else f"{len(left)} processes"
    return failed(
        f"it leaves {count} behind: {left[0]}",
        "End the programs and threads you start when `quit` comes, and wait for them; "
        "start none that goes on by itself (daemon, setsid, nohup, &).",
    )


def _namespace(subject: Subject, pid: int) -> int | None:
    """The first process of its own namespace, stopped, or None where it has no namespace.

    Orphans become that one's children, as they become ours where there is none. It would end with
    the program and everything with it; stopped, it cannot, and who is left behind can be seen.
    """
    if subject.held.mode != "bwrap":
        return None
    first = min(children(pid))  # of bubblewrap, whose own child is the program
    os.kill(first, signal.SIGSTOP)
    return first


def _wait_for_end(pid: int) -> None:
    """Wait until a process has ended, but no longer than after `quit`; then for its helpers."""
    deadline = time.monotonic() + QUIT_S
    while _command(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(_SETTLE_S)


def exit_on_quit(subject: Subject) -> Finding:
    """Whether it exits within a second of `quit`, and of the end of its stdin."""
    for leave, said, fix in (
        (
            Dialogue.say_quit,
            "`quit`",
            'Leave the loop when a request has "type": "quit", and let the program end.',
        ),
        (
            Dialogue.close_stdin,
            "the end of its stdin",
            "Leave the loop when there is no more line to read: then the referee is gone.",
        ),
    ):
        with subject.process() as dialogue:
            try:
                _play(subject, dialogue)
                leave(dialogue)
            except Offence as offence:
                return not_judged(f"it did not play on ({offence.termination})")
            if not dialogue.exits(QUIT_S):
                return failed(
                    f"it still runs {QUIT_S:.0f} s after {said}; the referee then kills it", fix
                )
    return passed("it exits on `quit`, and at the end of its stdin")


def _play(subject: Subject, dialogue: Dialogue) -> None:
    """A game that is not played to its end. Raises Offence."""
    table = Table(next(iter(subject.boards.values())).start(1), (), seat=0, seed=1)
    dialogue.start(table, Clock(move_ms=subject.limits.hurry_ms))
    for _ in range(2):
        dialogue.go_on(table)
    dialogue.end(table)


def _command(pid: int) -> str:
    """The command line of a process; empty for one that has ended, reaped or not."""
    with suppress(OSError):
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        return printable(b" ".join(words).decode(errors="replace").strip())[:200]
    return ""
