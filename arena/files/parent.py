"""The process that started this one: what works for it alone ends with it."""

import ctypes
import os
import signal

_LIBC = ctypes.CDLL(None, use_errno=True)
_PR_SET_PDEATHSIG = 1


def die_with_parent(parent: int, with_signal: signal.Signals = signal.SIGTERM) -> None:
    """Get `with_signal` when the process `parent`, which started us, ends in any way. Raises
    OSError where the system refuses it.
    """
    if _LIBC.prctl(_PR_SET_PDEATHSIG, *map(ctypes.c_ulong, (with_signal, 0, 0, 0))) != 0:
        error = ctypes.get_errno()
        raise OSError(error, f"prctl({_PR_SET_PDEATHSIG}): {os.strerror(error)}")
    if os.getppid() != parent:  # it ended before we asked
        os.kill(os.getpid(), with_signal)
