"""Whether the host made a player late: how long it waited for a CPU that others used, by
`run_delay` in /proc/PID/schedstat (Linux Documentation/scheduler/sched-stats.rst), but at most the
time others ran on its cores: a player may have too many threads. And how long the hypervisor took
a core away, by `steal` in /proc/stat. Nanoseconds unless a name says otherwise.
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
"""Less is no overload: the system counts idle time and steal in steps of 10 ms a core."""

_PROC = Path("/proc")
_NS_PER_TICK = 1_000_000_000 // os.sysconf("SC_CLK_TCK")


class Thread(NamedTuple):
    ran: int
    """Its CPU time."""
    waited: int
    """The time it has waited for a CPU in its life, without a wait that has not ended."""
    runnable: bool
    """Whether it runs or waits for a CPU now."""


class Core(NamedTuple):
    idle: int
    steal: int
    """Taken by the hypervisor. While that has the core, nothing of it is counted."""
    counted: int
    """All its time, idle and steal included."""


class Load(NamedTuple):
    """A player's processes and their cores at one moment; two of them measure the time between."""

    at: int
    threads: Mapping[int, Thread]
    own: int
    """CPU time of all the player's processes."""
    ours: int
    """That of this process, which serves it."""
    cores: Mapping[int, Core]


_NEW = Thread(0, 0, False)


def sample(processes: Iterable[int], cpu_ms: float, cores: Collection[int]) -> Load:
    """The load now: `processes` are the player's, `cpu_ms` is the CPU time of all so far."""
    threads = {}
    for pid in processes:
        with suppress(OSError):
            for task in (_PROC / str(pid) / "task").iterdir():
                with suppress(OSError):
                    ran, waited = map(int, (task / "schedstat").read_text().split()[:2])
                    threads[int(task.name)] = Thread(ran, waited, stat_fields(task)[0] == "R")
    return Load(
        at=time.monotonic_ns(),
        threads=threads,
        own=int(cpu_ms * 1e6),
        ours=time.process_time_ns(),
        cores=_cores(cores),
    )


def starved_ms(before: Load, after: Load) -> float:
    """The longest that a thread of the player waited while others ran on its cores. Where it has
    more threads than cores, never more than the CPU time they had, and `LEAST_MS` at the least: 0
    where it kept its cores busy itself, or left them idle.
    """
    waits = _waits(before, after)
    waited, ours, own = max(waits, default=0), after.ours - before.ours, after.own - before.own
    if len(waits) <= len(after.cores):  # but for threads that have ended
        ran = sum(
            now.ran - before.threads.get(each, _NEW).ran for each, now in after.threads.items()
        )
        return max(0, waited - ours - max(0, own - ran)) / 1e6
    idle = sum(core.idle - was.idle for was, core in _both(before, after))
    busy = len(after.cores) * (after.at - before.at) - idle
    return _noticed(min(waited, busy - own - ours))


def steal_ms(before: Load, after: Load) -> float:
    """How long at most the hypervisor had a core of a player that slept; at least `LEAST_MS`."""
    stolen = (
        after.at - before.at if core.counted == was.counted else core.steal - was.steal
        for was, core in _both(before, after)
    )
    return _noticed(min(max(stolen, default=0), asleep_ns(before, after)))


def _noticed(lost: int) -> float:
    """In ms; 0 where it may be an error of the system's counting in steps."""
    return lost / 1e6 if lost > LEAST_MS * 1e6 else 0.0


def asleep_ns(before: Load, after: Load) -> int:
    """How long the player neither ran nor waited for a CPU: it slept, or was stopped."""
    ran = after.own + after.ours - before.own - before.ours
    return max(0, after.at - before.at - ran - max(_waits(before, after), default=0))


def _waits(before: Load, after: Load) -> list[int]:
    """How long each thread of the player that ran or waited has waited for a CPU."""
    found = []
    for number, now in after.threads.items():
        then = before.threads.get(number, _NEW)
        if now.ran > then.ran or now.waited > then.waited:
            found.append(now.waited - then.waited)
        elif now.runnable:  # its wait has not ended
            found.append(after.at - before.at)
    return found


def _both(before: Load, after: Load) -> list[tuple[Core, Core]]:
    return [(before.cores[each], after.cores[each]) for each in before.cores.keys() & after.cores]


def _cores(wanted: Collection[int]) -> dict[int, Core]:
    """Of lines of /proc/stat: user, nice, system, idle, idle while a disk is waited for, two kinds
    of interrupts, steal; what follows is counted in these already.
    """
    found = {}
    for line in (_PROC / "stat").read_text().splitlines():
        name, *counts = line.split()
        if name.startswith("cpu") and name != "cpu" and int(name[3:]) in wanted:
            times = [int(count) * _NS_PER_TICK for count in counts[:8]]
            found[int(name[3:])] = Core(times[3] + times[4], times[7], sum(times))
    return found


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
    outputs = {core: loop.communicate()[0] for core, loop in loops.items()}
    return {core: float(lost) for core, lost in outputs.items() if lost}


def used_by_others(lost_ms: float) -> str:
    """The share of a core that other programs use, where a busy loop of `DELAY_S` lost that much. A
    loop that waits as it ends loses more than `DELAY_S`; one on an idle core may lose less than 0,
    as its two clocks are read one after the other.
    """
    return f"{min(1.0, max(0.0, lost_ms / DELAY_S / 1000)):.0%}"


def delay_warning(lost_ms: Mapping[int, float], quota: float | None = None) -> str | None:
    """A sentence where busy loops of `DELAY_S` on these cores lost too much; None where not.
    `quota`: see `cpu_quota`.
    """
    core = max(lost_ms, key=lambda core: lost_ms[core], default=None)
    if core is None or lost_ms[core] <= TOLERATED_MS:
        return None
    if quota is not None and quota < 1:
        return (
            f"This container may use {quota:g} CPUs, so players wait for their "
            "core. Games in which that makes a player late are replayed. Grant it a CPU or more."
        )
    return (
        f"This machine is busy: other programs use {used_by_others(lost_ms[core])} of core {core}. "
        "Games in which that makes a player late are replayed. End the other programs, or "
        "lower concurrency."
    )
