"""What this machine lets us use."""

from __future__ import annotations

import os
from pathlib import Path

_CGROUPS = Path("/sys/fs/cgroup")


def usable_cores(cgroups: Path = _CGROUPS) -> tuple[int, ...]:
    """The cores this process may run on: its affinity, cut to the CPU quota of its container.

    A core is what the system schedules on; two hyper-threads count as two.
    """
    cores = sorted(os.sched_getaffinity(0))
    quota = _cpu_quota(cgroups)
    return tuple(cores if quota is None else cores[: max(1, int(quota))])


def _cpu_quota(cgroups: Path) -> float | None:
    """CPUs' worth of time granted by cgroup v2 (`cpu.max`) or v1; None for no limit."""
    for names in (("cpu.max",), ("cpu/cpu.cfs_quota_us", "cpu/cpu.cfs_period_us")):
        try:
            words = " ".join((cgroups / name).read_text() for name in names).split()
        except OSError:
            continue
        if len(words) == 2 and words[0] not in ("max", "-1"):
            return int(words[0]) / int(words[1])
    return None
