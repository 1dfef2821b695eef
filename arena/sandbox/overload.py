"""Whether the host made a player late: how long it waited for a CPU that others used, by
`run_delay` in /proc/PID/schedstat (Linux Documentation/scheduler/sched-stats.rst), but at most the
time others ran on its cores: a player may have too many threads. Nanoseconds unless a name says
otherwise.
"""

import os
import subprocess
import sys
import time
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from arena.sandbox.processes import stat_fields

DELAY_S = 0.2
"""How long a busy loop runs on each core, to see what it loses to others."""
TOLERATED_MS = 10.0
"""A quiet machine loses that much of it now and then."""
LEAST_MS = 20.0
"""Less is no overload: the system counts idle time in steps of 10 ms a core."""

_PROC = Path("/proc")
_NS_PER_TICK = 1_000_000_000 // os.sysconf("SC_CLK_TCK")


class Load(NamedTuple):
    """A player's processes and their cores at one moment; two of them measure the time between."""

    at: int
    waited: dict[int, int]  # by thread, the time it has waited for a CPU in its life
    own: int  # CPU time of all the player's processes, and of ours, which serves it
    idle: int  # the idle time of its cores, summed
    cores: int


def sample(processes: Iterable[int], cpu_ms: float, cores: Collection[int]) -> Load:
    """The load now: `processes` are the player's, `cpu_ms` is the CPU time of all so far."""
    waited: dict[int, int] = {}
    for pid in processes:
        for task in _threads(pid):
            with suppress(OSError):
                waited[int(task.name)] = int((task / "schedstat").read_text().split()[1])
    return Load(
        at=time.monotonic_ns(),
        waited=waited,
        own=int(cpu_ms * 1e6) + time.process_time_ns(),
        idle=_idle(cores),
        cores=len(cores),
    )


def stolen_ms(before: Load, after: Load) -> float:
    """The longest that a thread of the player waited while others ran on its cores, never more than
    the CPU time they had: 0 where it kept its cores busy itself, or left them idle.
    """
    waited = _waited(before, after)
    busy = before.cores * (after.at - before.at) - (after.idle - before.idle)
    others = busy - (after.own - before.own)
    return max(0, min(waited, others)) / 1e6


def asleep_ns(before: Load, after: Load) -> int:
    """How long the player neither ran nor waited for a CPU: it slept, or was stopped."""
    ran = after.own - before.own
    return max(0, after.at - before.at - ran - _waited(before, after))


def _waited(before: Load, after: Load) -> int:
    """The longest that a thread of the player waited for a CPU."""
    return max((wait - before.waited.get(t, 0) for t, wait in after.waited.items()), default=0)


def _threads(pid: int) -> list[Path]:
    with suppress(OSError):
        return list((_PROC / str(pid) / "task").iterdir())
    return []


def _idle(cores: Collection[int]) -> int:
    """In lines of /proc/stat: idle, and idle while a disk is waited for."""
    wanted = {f"cpu{core}" for core in cores}
    lines = map(str.split, (_PROC / "stat").read_text().splitlines())
    ticks = sum(sum(map(int, fields[4:6])) for fields in lines if fields[0] in wanted)
    return ticks * _NS_PER_TICK


def cpu_ms(processes: Iterable[int]) -> float:
    """CPU time of these processes, and of children that they have reaped."""
    ticks = 0
    for pid in processes:
        with suppress(OSError):
            ticks += sum(map(int, stat_fields(_PROC / str(pid))[11:15]))
    return ticks * _NS_PER_TICK / 1e6


_BUSY = """
import os, sys, time
core, seconds = int(sys.argv[1]), float(sys.argv[2])
os.sched_setaffinity(0, {core})
began, used = time.monotonic(), time.process_time()
while (now := time.monotonic()) - began < seconds:
    pass
print((now - began - (time.process_time() - used)) * 1000)
"""


def scheduling_delay(cores: Collection[int], seconds: float = DELAY_S) -> dict[int, float]:
    """By core, the ms that a busy loop of `seconds` lost to other programs; without the cores whose
    loop was killed. Raises OSError.
    """
    loops = {
        core: subprocess.Popen(
            (sys.executable, "-I", "-S", "-c", _BUSY, str(core), str(seconds)),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # once we are killed, its writes go nowhere
        )
        for core in cores
    }
    told = {core: loop.communicate()[0] for core, loop in loops.items()}
    return {core: float(lost) for core, lost in told.items() if lost}


def delay_warning(lost_ms: Mapping[int, float]) -> str | None:
    """A sentence where busy loops of `DELAY_S` on these cores lost too much; None where not."""
    core = max(lost_ms, key=lambda core: lost_ms[core], default=None)
    if core is None or lost_ms[core] <= TOLERATED_MS:
        return None
    share = min(1.0, lost_ms[core] / DELAY_S / 1000)
    return (
        f"This machine is busy: other programs use {100 * share:.0f} % of core {core}. "
        "Games in which that makes a player late are replayed. End the other programs, or "
        "lower concurrency."
    )
