"""The machine: what it is, and what it offers to contain players with."""

import os
import platform
import shutil
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path

from arena.model.record import Host
from arena.sandbox import landlock, seccomp

_CGROUPS = Path("/sys/fs/cgroup")
_MEMORY_FILES = (
    ("memory.max", "memory.current", "memory.stat"),
    ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes", "memory/memory.stat"),
)
"""Of cgroups v2 and v1: the limit, what is used of it, and how much of that are files that give way
to programs, as `inactive_file`."""


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
def this_host() -> Host:
    """The machine this process runs on."""
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
    )


def usable_cores(cgroups: Path = _CGROUPS) -> tuple[int, ...]:
    """The cores (hyper-threads) this process may run on, cut to the CPU quota of its container."""
    cores = sorted(os.sched_getaffinity(0))
    quota = cpu_quota(cgroups)
    return tuple(cores if quota is None else cores[: max(1, int(quota))])


def available_memory(cgroups: Path = _CGROUPS) -> int:
    """Bytes that programs may still take: what is free, also of the limit of our container."""
    lines = Path("/proc/meminfo").read_text().splitlines()
    free = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    for limit, used, details in _MEMORY_FILES:
        with suppress(OSError, ValueError):  # there is none, or it is "max"
            left = int((cgroups / limit).read_text()) - int((cgroups / used).read_text())
            counts = dict(line.split() for line in (cgroups / details).read_text().splitlines())
            return min(free, max(left + int(counts["inactive_file"]), 0))
    return free


def cpu_quota(cgroups: Path = _CGROUPS) -> float | None:
    """CPUs' worth of time granted by cgroup v2 (`cpu.max`) or v1; None for no limit."""
    for names in (("cpu.max",), ("cpu/cpu.cfs_quota_us", "cpu/cpu.cfs_period_us")):
        try:
            words = " ".join((cgroups / name).read_text() for name in names).split()
        except OSError:
            continue
        if len(words) == 2 and words[0] not in ("max", "-1"):
            return int(words[0]) / int(words[1])
    return None
