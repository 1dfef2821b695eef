"""What this machine lets us use."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

DELAY_S = 0.2
"""For so long a busy loop is run on each core, to see what it loses to others."""
TOLERATED_MS = 10.0
"""So much of that is lost on a quiet machine now and then."""

_CGROUPS = Path("/sys/fs/cgroup")


def usable_cores(cgroups: Path = _CGROUPS) -> tuple[int, ...]:
    """The cores this process may run on: its affinity, cut to the CPU quota of its container.

    A core is what the system schedules on; two hyper-threads count as two.
    """
    cores = sorted(os.sched_getaffinity(0))
    quota = cpu_quota(cgroups)
    return tuple(cores if quota is None else cores[: max(1, int(quota))])


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


def delay_warning(lost_ms: Mapping[int, float]) -> str | None:
    """A sentence where busy loops of `DELAY_S` on these cores lost too much; None where not."""
    core = max(lost_ms, key=lambda core: lost_ms[core])
    if lost_ms[core] <= TOLERATED_MS:
        return None
    return (
        f"This machine is busy: of {DELAY_S * 1000:.0f} ms, a busy loop on core {core} lost "
        f"{lost_ms[core]:.0f} ms to other programs. Players may be late without a fault of theirs; "
        "such games are void and replayed. End the other programs, or lower concurrency."
    )
