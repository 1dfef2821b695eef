"""Landlock: a process gives up files, TCP and signals to others, without being root. Source: Linux
`Documentation/userspace-api/landlock.rst` and `include/uapi/linux/landlock.h`.
"""

import ctypes
import os
import stat
from contextlib import suppress
from enum import IntFlag
from functools import cache

from arena.sandbox.processes import no_new_privileges, system_call

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same on every machine
_CREATE_RULESET_VERSION = 1
_RULE_PATH_BENEATH = 1

_NET_BIND_TCP, _NET_CONNECT_TCP = 1 << 0, 1 << 1
_SCOPE_ABSTRACT_UNIX_SOCKET, _SCOPE_SIGNAL = 1 << 0, 1 << 1


class Access(IntFlag):
    """Rights to a file, or to the files in a folder."""

    EXECUTE = 1 << 0
    WRITE_FILE = 1 << 1
    READ_FILE = 1 << 2
    READ_DIR = 1 << 3
    REMOVE_DIR = 1 << 4
    REMOVE_FILE = 1 << 5
    MAKE_CHAR = 1 << 6
    MAKE_DIR = 1 << 7
    MAKE_REG = 1 << 8
    MAKE_SOCK = 1 << 9
    MAKE_FIFO = 1 << 10
    MAKE_BLOCK = 1 << 11
    MAKE_SYM = 1 << 12
    REFER = 1 << 13  # move and link between folders
    TRUNCATE = 1 << 14
    IOCTL_DEV = 1 << 15


READ = Access.EXECUTE | Access.READ_FILE | Access.READ_DIR
WRITE = ~Access(0) & ~(Access.MAKE_CHAR | Access.MAKE_BLOCK)
"""Everything but making devices."""
_OF_A_FILE = (
    Access.EXECUTE | Access.WRITE_FILE | Access.READ_FILE | Access.TRUNCATE | Access.IOCTL_DEV
)
_FIRST_ABI = Access.REFER - 1
_SINCE = ((2, Access.REFER), (3, Access.TRUNCATE), (5, Access.IOCTL_DEV))
TCP_SINCE = 4
SCOPES_SINCE = 6


class _RulesetAttr(ctypes.Structure):
    _fields_ = (
        ("handled_access_fs", ctypes.c_uint64),
        ("handled_access_net", ctypes.c_uint64),
        ("scoped", ctypes.c_uint64),
    )


class _PathBeneathAttr(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"  # the layout of packed structures; Python 3.14 wants it named
    _fields_ = (("allowed_access", ctypes.c_uint64), ("parent_fd", ctypes.c_int32))


@cache
def abi() -> int:
    """The version of Landlock that this kernel speaks; 0 when it has none or it is switched off."""
    try:
        return system_call(_CREATE_RULESET, None, 0, _CREATE_RULESET_VERSION)
    except OSError:
        return 0


class Ruleset:
    """The rights of a process: made by its parent, entered by the forked child. Besides files it
    takes away TCP (version 4), abstract sockets and signals to processes outside (version 6), all
    without exception. `version` is at most `abi()`. Raises OSError.
    """

    def __init__(self, version: int) -> None:
        self._handled = Access(_FIRST_ABI)  # taken away where no rule grants it
        for since, right in _SINCE:
            if version >= since:
                self._handled |= right
        attr = _RulesetAttr(handled_access_fs=self._handled)
        size = 8
        if version >= TCP_SINCE:
            attr.handled_access_net = _NET_BIND_TCP | _NET_CONNECT_TCP
            size = 16
        if version >= SCOPES_SINCE:
            attr.scoped = _SCOPE_ABSTRACT_UNIX_SOCKET | _SCOPE_SIGNAL
            size = 24
        self._fd = system_call(_CREATE_RULESET, ctypes.byref(attr), size, 0)

    def allow(self, path: str, access: Access) -> None:
        """Grant `access` to the file or to all beneath the folder, as it is mounted now. A path
        that does not exist, or may not be entered, needs no rule: it stays closed. A child calls
        this for paths that only it sees, such as `/proc/self` or a file system it mounted.
        """
        with suppress(FileNotFoundError, NotADirectoryError, PermissionError):
            fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
            try:
                if not stat.S_ISDIR(os.fstat(fd).st_mode):
                    access &= _OF_A_FILE
                rule = _PathBeneathAttr(allowed_access=access & self._handled, parent_fd=fd)
                system_call(_ADD_RULE, self._fd, _RULE_PATH_BENEATH, ctypes.byref(rule), 0)
            finally:
                os.close(fd)

    def restrict(self) -> None:
        """Enter it, with all this process will start, for ever; it mounts no more. OSError."""
        no_new_privileges()
        system_call(_RESTRICT_SELF, self._fd, 0)

    def close(self) -> None:
        """Release it; processes that entered it stay inside. Twice is fine."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
