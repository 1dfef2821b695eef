"""Kernels that are loaded, or compiled the first time, while somebody waits."""

from __future__ import annotations

import time
from collections.abc import Callable

from arena.files.background import apart

_LOADING_S = 2.0
"""Kernels that are not there after so long are being compiled."""


def load_kernels(
    load: Callable[[], None], doing: Callable[[str], None], say: Callable[[str], None]
) -> None:
    """Compile the kernels, or find them in the cache; `doing` and `say` show what goes on and a
    line that stays. Raises what `load` raises.
    """
    began, told = time.monotonic(), False

    def waiting() -> None:
        nonlocal told
        if not told and time.monotonic() - began > _LOADING_S:
            told = True
            say("compiling kernels (once)")

    doing("loading kernels")
    apart(load, waiting)
