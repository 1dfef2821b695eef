"""The process that started this one: what works for it alone ends with it."""

import ctypes
import os
import signal

_LIBC = ctypes.CDLL(None)
_PR_SET_PDEATHSIG = 1


def die_with_parent(parent: int, with_signal: signal.Signals = signal.SIGTERM) -> None:
    """Get `with_signal` when the process `parent`, which started us, ends in any way."""
    _LIBC.prctl(_PR_SET_PDEATHSIG, *map(ctypes.c_ulong, (with_signal, 0, 0, 0)))
    if os.getppid() != parent:  # it ended before we asked
        os.kill(os.getpid(), with_signal)
