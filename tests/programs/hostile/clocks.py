"""Wrong times: late, nearly late, busy when it is not to move, busy on every core."""

from __future__ import annotations

import os
import threading
import time

from speech import Request, hang, move, named, outcome, say

_SPIN_S = 20


def hangs(request: Request) -> None:
    hang()


def its_thread_fails(request: Request) -> None:
    thread = threading.Thread(target=lambda: request["no such key"])
    thread.start()
    hang()


def spins(request: Request) -> None:
    while True:
        pass


def _works(request: Request, share: float) -> None:
    """Thinks for that share of its limit by CPU time, however long that takes."""
    until = time.process_time() + request["time_ms"] / 1000 * share
    while time.process_time() < until:
        pass
    say(move(request))


def works_little(request: Request) -> None:
    _works(request, 0.1)


def works_most(request: Request) -> None:
    _works(request, 0.8)


def works_twice(request: Request) -> None:
    _works(request, 2)


def late(request: Request) -> None:
    time.sleep(request["time_ms"] / 1000 + 0.5)
    say(move(request))


def nearly_late(request: Request) -> None:
    """A millisecond before the limit; once, for it takes long."""
    if request["ply"] < 2:
        time.sleep(request["time_ms"] / 1000 - 0.001)
    say(move(request))


def unhurried(request: Request) -> None:
    """Half of its limit at its first move."""
    if request["ply"] < 2:
        time.sleep(request["time_ms"] / 2000)
    say(move(request))


def _spin() -> None:
    until = time.monotonic() + _SPIN_S
    while time.monotonic() < until:
        pass


_pondering: list[float] = []


def ponders() -> dict[str, str] | None:
    """Thinks in the opponent's time, and tells at its second move how much it could."""
    if not _pondering:
        threading.Thread(target=_spin, daemon=True).start()
        _pondering.append(time.process_time())
        return None
    return {"cpu_ms": str(round(1000 * (time.process_time() - _pondering[0])))}


def uses_many_cores() -> dict[str, str]:
    """Takes every core of the machine, and keeps as many busy as it got."""
    everywhere = range(os.cpu_count() or 1)
    told = {"cores": outcome(lambda: os.sched_setaffinity(0, everywhere))}
    if not told["cores"].startswith("!"):
        told["cores"] = str(len(os.sched_getaffinity(0)))
    for _ in everywhere:
        if os.fork() == 0:
            _spin()
            os._exit(0)
    return told


TURN = named(
    hangs,
    its_thread_fails,
    spins,
    works_little,
    works_most,
    works_twice,
    late,
    nearly_late,
    unhurried,
)
ACTS = named(ponders, uses_many_cores)
