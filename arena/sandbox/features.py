"""The machine, and its means to contain players."""

import os
import platform
import shutil
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path

import rules
from arena.model.record import Host
from arena.sandbox import landlock, seccomp
from arena.sandbox.hierarchies import enclosing

_SELF = Path("/proc/self")
_MEMORY_FILES = {
    2: ("memory.max", "memory.current", "memory.stat", "inactive_file"),
    1: ("memory.limit_in_bytes", "memory.usage_in_bytes", "memory.stat", "total_inactive_file"),
}
"""Of cgroups v2 and v1: the limit, what is used of it, and how much of that are files that give way
to programs, by its name in a list."""
_OOM_FILES = {2: "memory.events.local", 1: "memory.oom_control"}
_QUOTA_FILES = {2: ("cpu.max",), 1: ("cpu.cfs_quota_us", "cpu.cfs_period_us")}


@dataclass(frozen=True)
class Features:
    """The features a sandbox can use; it does without those that are missing."""

    bwrap: str | None  # the program of bubblewrap; None without one
    landlock: int  # the version of Landlock; 0 for none
    seccomp: str | None  # the machine to make a filter for; None where none can be made
    cgroups: bool = True
    """Whether control groups are tried; those that are not writable never count."""
    root: bool = False  # whether players may be given a user of their own


@cache
def detect() -> Features:
    """The features of this machine for this user and this PATH."""
    return Features(
        bwrap=shutil.which("bwrap"),
        landlock=landlock.abi(),
        seccomp=seccomp.here(),
        root=os.geteuid() == 0,
    )


@cache
def this_host(game: str | None = None) -> Host:
    """What this machine is, and the package of the game that it plays."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return Host(
        name=platform.node(),
        system=platform.platform(),
        cpu=next(models, platform.machine()),
        cores=os.cpu_count() or 1,
        python=platform.python_version(),
        arena=version("bot-arena"),
        package=None if game is None or game in rules.GAMES else rules.package(game),
    )


def usable_cores(proc: Path = _SELF) -> tuple[int, ...]:
    """The cores (hyper-threads) this process may run on, cut to the CPU quota of its groups."""
    cores = sorted(os.sched_getaffinity(0))
    quota = cpu_quota(proc)
    return tuple(cores if quota is None else cores[: max(1, int(quota))])


def available_memory(proc: Path = _SELF) -> int:
    """Bytes that programs may still take: what is free, also of the limits of our control groups,
    as those of a container, a batch job or `systemd-run`.
    """
    lines = Path("/proc/meminfo").read_text().splitlines()
    free = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    for mount, folder in enclosing("memory", proc):
        limit, used, details, files = _MEMORY_FILES[mount.version]
        with suppress(OSError, ValueError, KeyError):  # there is none, or it is "max"
            left = int((folder / limit).read_text()) - int((folder / used).read_text())
            counts = dict(line.split() for line in (folder / details).read_text().splitlines())
            free = min(free, max(left + int(counts[files]), 0))
    return free


def refused_processes(proc: Path = _SELF) -> int:
    """How many processes and threads the limits of our control groups kept from being started, not
    counting the limits of groups below them, as those of players: a player meets its own at will.
    """
    refused = 0
    for _, folder in enclosing("pids", proc):
        events = folder / "pids.events.local"
        if not events.exists():  # then `pids.events`, too, is without the groups below
            events = folder / "pids.events"
        with suppress(OSError):  # of the root, which has no limit
            refused += int(events.read_text().split()[1])  # max N
    return refused


def oom_kills(proc: Path = _SELF) -> int:
    """How many processes of our control groups the system ended for want of memory, not counting
    those of groups below them, as those of players.
    """
    ended = 0
    for mount, folder in enclosing("memory", proc):
        with suppress(OSError, KeyError):  # of the root of v2, or an older Linux
            lines = (folder / _OOM_FILES[mount.version]).read_text().splitlines()
            ended += int(dict(map(str.split, lines))["oom_kill"])
    return ended


def cpu_quota(proc: Path = _SELF) -> float | None:
    """CPUs' worth of time that our control groups grant (`cpu.max` in v2); None for no limit."""
    limits = list[float]()
    for mount, folder in enclosing("cpu", proc):
        with suppress(OSError, ValueError):  # there is none, or it is "max"
            words = " ".join((folder / name).read_text() for name in _QUOTA_FILES[mount.version])
            quota, period = map(int, words.split())
            limits += [quota / period] if quota > 0 else []
    return min(limits, default=None)
