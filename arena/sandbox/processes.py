"""Processes on Linux: system calls, trees of processes, their memory, and their end."""

import ctypes
import os
import re
import resource
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_LIBC = ctypes.CDLL(None, use_errno=True)
_LIBC.syscall.restype = ctypes.c_long
_PR_SET_CHILD_SUBREAPER, _PR_GET_CHILD_SUBREAPER = 36, 37
_PR_SET_NO_NEW_PRIVS = 38

_HELD = re.compile(rb"^(?:Rss|Pss_)(?:Anon|Shmem):\s+(\d+) kB$", re.MULTILINE)
"""Memory in /proc, of a process or its part of it, that the system cannot drop."""

PATIENCE_S = 1.0
"""How long killed processes are waited for."""


def within_limit(kind: int, amount: int) -> int:
    """`amount`, or as much as the system lets this process have of what `kind` limits."""
    most = resource.getrlimit(kind)[1]
    return amount if most == resource.RLIM_INFINITY else min(amount, most)


def system_call(number: int, *arguments: object) -> int:
    """Make the system call of that number and return its result. Raises OSError."""
    values = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
    result: int = _LIBC.syscall(ctypes.c_long(number), *values)
    if result < 0:
        raise _last_error(f"system call {number}")
    return result


def prctl(option: int, *arguments: object) -> None:
    """Set an option of this process; missing arguments are zero. Raises OSError."""
    values = [ctypes.c_ulong(one) if isinstance(one, int) else one for one in arguments]
    values += [ctypes.c_ulong(0)] * (4 - len(values))
    if _LIBC.prctl(ctypes.c_int(option), *values) != 0:
        raise _last_error(f"prctl({option})")


def _last_error(what: str) -> OSError:
    error = ctypes.get_errno()
    return OSError(error, f"{what}: {os.strerror(error)}")


def no_new_privileges() -> None:
    """Make setuid programs and file capabilities useless to this process, for ever."""
    prctl(_PR_SET_NO_NEW_PRIVS, 1)


def become_subreaper() -> None:
    """Make orphans among our descendants our children, so that none escapes."""
    prctl(_PR_SET_CHILD_SUBREAPER, 1)


@contextmanager
def as_subreaper() -> Iterator[None]:
    """A time as a subreaper; after it, this process is one only if it was."""
    was = ctypes.c_int()
    prctl(_PR_GET_CHILD_SUBREAPER, ctypes.byref(was))
    become_subreaper()
    try:
        yield
    finally:
        prctl(_PR_SET_CHILD_SUBREAPER, was.value)


@contextmanager
def gathering() -> Iterator[None]:
    """The same; at its end the new ones of `kill_strays` are killed."""
    before = children()
    with as_subreaper():
        try:
            yield
        finally:
            kill_strays(spare=before)


def children(pid: int | None = None) -> frozenset[int]:
    """Pids of the children of `pid`, ours by default; none when it is gone."""
    found: set[int] = set()
    with suppress(OSError):
        tasks = f"/proc/{pid or os.getpid()}/task"
        for task in os.listdir(tasks):  # noqa: PTH208 - after each game
            with suppress(OSError):
                found.update(map(int, _read(f"{tasks}/{task}/children").split()))
    return frozenset(found)


def _read(path: str) -> bytes:
    """A file of /proc, in a sixth of the time that a `Path` takes. Raises OSError."""
    descriptor, text = os.open(path, os.O_RDONLY), b""
    try:
        while piece := os.read(descriptor, 4096):
            text += piece
        return text
    finally:
        os.close(descriptor)


def owners() -> Iterator[tuple[int, int]]:
    """Each process and the uid that has it."""
    with os.scandir("/proc") as entries:
        for entry in entries:
            with suppress(OSError):
                if entry.name.isdecimal():
                    yield int(entry.name), entry.stat().st_uid


def stat_fields(process: Path) -> list[str]:
    """The fields of /proc/PID/stat from the state on, of a process or a thread; before them is its
    name, which it chooses itself, of any bytes. Raises OSError.
    """
    return (process / "stat").read_bytes().rpartition(b")")[2].decode().split()


def tree(pid: int) -> Iterator[int]:
    """`pid` and all its descendants, parents first."""
    yield pid
    for child in children(pid):
        yield from tree(child)


def is_foreign(pid: int) -> bool:
    """Whether it is of another session than ours, as each player is."""
    with suppress(ProcessLookupError):
        return os.getsid(pid) != os.getsid(0)
    return False


def resident_bytes(pid: int) -> int:
    """Resident memory of a process, with pages that it shares; 0 when it is gone."""
    with suppress(OSError):
        pages = int(_read(f"/proc/{pid}/statm").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    return 0


def held_bytes(pid: int) -> int:
    """The same without the files on a disk that it maps, whose pages the system can drop. Source:
    proc_pid_status(5).
    """
    with suppress(OSError):
        if parts := _HELD.findall(_read(f"/proc/{pid}/status")):
            return sum(map(int, parts)) * 1024
    return resident_bytes(pid)


def proportional_bytes(pid: int) -> int:
    """The same as `held_bytes`, of each page the part of one process of all that share it. Takes
    0.1 ms a MB; of a process that hides its pages, `held_bytes`. Source: proc_pid_smaps(5).
    """
    with suppress(OSError):
        if parts := _HELD.findall(_read(f"/proc/{pid}/smaps_rollup")):
            return sum(map(int, parts)) * 1024
    return held_bytes(pid)


def status(pid: int, key: str) -> str:
    """A value of /proc/PID/status; empty where it has none. OSError: the process is gone."""
    value = _read(f"/proc/{pid}/status").partition(f"\n{key}:".encode())[2]
    return value.partition(b"\n")[0].decode()


def peak_resident_bytes(pid: int) -> int:
    """The most resident memory the process `pid` alone ever had; 0 when it is gone."""
    with suppress(OSError):
        return int((status(pid, "VmHWM") or "0").split()[0]) * 1024
    return 0


def kill_children(spare: frozenset[int] = frozenset()) -> None:
    """`kill_all` of our children but those in `spare`: a subreaper's are also the processes that
    were forked away.
    """
    kill_all(lambda: children() - spare)


def kill_strays(spare: frozenset[int]) -> None:
    """The same of children of other sessions alone: players, and what they forked away. Those of
    ours belong to other threads, such as those of a notebook.
    """
    kill_all(lambda: filter(is_foreign, children() - spare))


def kill_all(find: Callable[[], Iterable[int]]) -> None:
    """Kill and reap the children of ours that `find` finds, and all their descendants: again while
    it finds any, for at most `PATIENCE_S`.
    """
    deadline = time.monotonic() + PATIENCE_S
    while True:
        alive = [kill_tree(pid) for pid in find()]
        if not any(alive) or time.monotonic() > deadline:
            return
        time.sleep(0.002)


def kill_tree(pid: int) -> bool:
    """Kill a child of ours and all its descendants; reap it; whether it may still exist."""
    for process in tuple(tree(pid)):
        with suppress(ProcessLookupError, PermissionError):
            os.kill(process, signal.SIGKILL)
    with suppress(ChildProcessError):
        return os.waitpid(pid, os.WNOHANG) == (0, 0)
    return False
