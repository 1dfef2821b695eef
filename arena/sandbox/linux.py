"""Asking the kernel for what Python's library does not offer."""

from __future__ import annotations

import ctypes
import os

_LIBC = ctypes.CDLL(None, use_errno=True)
_LIBC.syscall.restype = ctypes.c_long
_PR_SET_NO_NEW_PRIVS = 38


def system_call(number: int, *arguments: object) -> int:
    """Make the system call of that number and return what it does. Raises OSError."""
    given = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
    result: int = _LIBC.syscall(ctypes.c_long(number), *given)
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"system call {number}: {os.strerror(error)}")
    return result


def prctl(option: int, *arguments: object) -> None:
    """Set an option of this process; missing arguments are zero. Raises OSError."""
    given = [ctypes.c_ulong(one) if isinstance(one, int) else one for one in arguments]
    given += [ctypes.c_ulong(0)] * (4 - len(given))
    if _LIBC.prctl(ctypes.c_int(option), *given) != 0:
        error = ctypes.get_errno()
        raise OSError(error, f"prctl({option}): {os.strerror(error)}")


def no_new_privileges() -> None:
    """Make setuid programs and file capabilities worth nothing to this process, for ever.

    What the kernel asks of ordinary users before they may restrict themselves.
    """
    prctl(_PR_SET_NO_NEW_PRIVS, 1)
