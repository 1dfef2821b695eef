"""The folders of players' control groups: their names, who is in them, and their end."""

from __future__ import annotations

import itertools
import os
import re
import signal
import time
from collections.abc import Collection, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

from arena.sandbox import hierarchies
from arena.sandbox.hierarchies import write

_PROC = Path("/proc")
_NAME = re.compile(r"arena(-\d+){4}")
_NUMBERS = itertools.count(1)
_PATIENCE_S = 2.0
"""How long killed processes may take to be gone, on a host that is busy freeing their memory."""
_POLL_S = 0.001


def new_name() -> str:
    """Tells who makes it from all that ever had its pid: `arena-PID-START-PIDS-N`.

    START is when it was started, PIDS the namespace in which that is its pid.
    """
    pid = os.getpid()
    return f"arena-{pid}-{_started(pid)}-{_pid_namespace()}-{next(_NUMBERS)}"


def _abandoned(name: str) -> bool:
    """Whether the referee that gave this name is dead, as far as can be seen from here."""
    _, pid, started, namespace, _ = name.split("-")
    return namespace == str(_pid_namespace()) and started != str(_started(int(pid)))


@cache
def _pid_namespace() -> int:
    return (_PROC / "self" / "ns" / "pid").stat().st_ino


def _started(pid: int) -> int | None:
    """When a process was started, in ticks since boot; None when it is dead, or a zombie."""
    try:
        fields = (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else int(fields[19])


def sweep() -> int:
    """Kill and remove the groups of referees that are dead; how many folders there were.

    Searches all that is mounted: a referee may have had another group of its own than we have.
    """
    mounts = hierarchies.mounts((_PROC / "self" / "mountinfo").read_text())
    found = [folder for mount in mounts for folder in _groups(mount.point)]
    left = [folder for folder in found if _abandoned(folder.name)]
    end(left)
    for folder in left:
        with suppress(OSError):  # another user's, or another sweep was quicker
            remove(folder)
    return len(left)


def _groups(root: Path) -> Iterator[Path]:
    """Folders with the name of a player's group, and nothing below them."""
    for path, below, _ in os.walk(root):
        ours = [name for name in below if _NAME.fullmatch(name)]
        yield from (Path(path, name) for name in ours)
        below[:] = [name for name in below if name not in ours]


def end(folders: Collection[Path], patience_s: float = _PATIENCE_S) -> bool:
    """Kill all in these folders, frozen or not; whether none is left when patience is."""
    deadline = time.monotonic() + patience_s
    while True:
        for folder in folders:
            _kill(folder)
        if not any(next(processes(folder), None) for folder in folders):
            return True
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_S)


def _kill(folder: Path) -> None:
    with suppress(OSError):
        write(folder / "cgroup.kill", "1")  # v2, since Linux 5.14
        return
    with suppress(OSError):
        write(folder / "pids.max", "0")  # none of them forks any more
    for process in processes(folder):
        with suppress(ProcessLookupError, PermissionError):
            os.kill(process, signal.SIGKILL)
    for name, value in (("freezer.state", "THAWED"), ("cgroup.freeze", "0")):
        with suppress(OSError):  # in v1 who is frozen does not die
            write(folder / name, value)


def processes(folder: Path) -> Iterator[int]:
    """Who is in a group and in those below it; a zombie is not."""
    for path, _, _ in os.walk(folder):
        with suppress(OSError):
            yield from map(int, Path(path, "cgroup.procs").read_text().split())


def remove(folder: Path) -> None:
    """Remove a group and all below it. OSError: one has processes (EBUSY), or is not ours."""
    for path, _, _ in os.walk(folder, topdown=False):
        with suppress(FileNotFoundError):
            Path(path).rmdir()
