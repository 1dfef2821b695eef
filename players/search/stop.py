"""Stopping a kernel at a moment of the clock."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer
from typing import Any

import numpy as np


@contextmanager
def stop_at(deadline: float) -> Iterator[Any]:
    """An int64 array of one entry, 0 until `deadline` (in seconds of `time.monotonic()`), then 1.

    Kernels hold no GIL, so the timer's thread can set the flag that they read as they go.
    """
    flag = np.zeros(1, np.int64)
    remaining = deadline - time.monotonic()
    if remaining <= 0:
        flag[0] = 1
        yield flag
        return
    timer = Timer(remaining, flag.__setitem__, (0, 1))
    timer.daemon = True
    timer.start()
    try:
        yield flag
    finally:
        timer.cancel()
