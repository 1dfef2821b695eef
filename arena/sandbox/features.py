"""What a machine offers to contain players with."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from functools import cache

from arena.sandbox import landlock, seccomp


@dataclass(frozen=True)
class Means:
    """What there is; a sandbox uses all of it, and does without what is missing."""

    bwrap: str | None
    """The program of bubblewrap; None without one."""
    landlock: int
    """The version of Landlock; 0 for none."""
    seccomp: str | None
    """The machine to make a filter for; None where none can be made."""
    cgroups: bool = True
    """Whether control groups are tried; those that are not writable do not count anyway."""
    root: bool = False
    """Whether players may be given a user of their own."""


@cache
def found() -> Means:
    """What this machine has, as this user and this PATH find it."""
    return Means(
        bwrap=shutil.which("bwrap"),
        landlock=landlock.abi(),
        seccomp=seccomp.here(),
        root=os.geteuid() == 0,
    )
