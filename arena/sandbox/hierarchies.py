"""Where this process may make control groups, and what they can hold there.

cgroup v1 has a tree of folders for each controller, v2 one for all, and many systems have both. In
v2 a group that has processes of its own cannot hand controllers to its children (but for the root),
so ours are first moved into a child; that is done only where the group is ours to divide.
Sources: cgroups(7), Linux Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Literal, NamedTuple

Control = Literal["memory", "pids", "cpuset", "freezer", "cpuacct"]
"""Named as the controllers of v1; v2 freezes and accounts CPU time without one."""
CONTROLS: tuple[Control, ...] = ("memory", "pids", "cpuset", "freezer", "cpuacct")

_BUILT_INTO_V2: tuple[Control, ...] = ("freezer", "cpuacct")
_REFEREES = "arena-referees"
"""The child that takes the processes of a group that is divided."""
_MOVES = 5
"""How often a group is emptied: what it holds may fork meanwhile."""


class Mount(NamedTuple):
    """A hierarchy where it is mounted."""

    version: Literal[1, 2]
    point: Path
    root: str
    """The group that is seen at `point`."""
    controllers: frozenset[str]
    """Of v1; v2 says them in each group."""


class Hierarchy(NamedTuple):
    """A folder in which groups can be made, and what is used of it."""

    version: Literal[1, 2]
    folder: Path
    serves: tuple[Control, ...]


def mounts(mountinfo: str) -> Iterator[Mount]:
    """The hierarchies in a text like /proc/self/mountinfo."""
    for line in mountinfo.splitlines():
        before, _, after = line.partition(" - ")
        fields, (kind, _, options, *_) = before.split(), (*after.split(), "", "", "")
        if kind in ("cgroup", "cgroup2"):
            root, point = (_unescaped(field) for field in fields[3:5])
            version: Literal[1, 2] = 2 if kind == "cgroup2" else 1
            yield Mount(version, Path(point), root, frozenset(options.split(",")))


def _unescaped(field: str) -> str:
    """Space, tab, newline and backslash are octal in mountinfo."""
    return re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), field)


def own_folder(mount: Mount, cgroup: str) -> Path | None:
    """Our own group, by a text like /proc/self/cgroup; None where the mount does not show it."""
    for line in cgroup.splitlines():
        _, names, path = line.split(":", 2)
        ours = not names if mount.version == 2 else bool(mount.controllers & set(names.split(",")))
        if ours:
            below = os.path.relpath(path, mount.root)
            if below == ".." or below.startswith("../"):
                return None
            return mount.point / below
    return None


def find(proc: Path) -> tuple[Hierarchy, ...]:
    """The hierarchies in which the process of `proc` (/proc/self) has a group of its own.

    v2 serves what it can, as it freezes and kills better; v1 the rest. Divides our group of v2
    where that is needed and ours to do. Whether they can be written is for the caller to try.
    """
    known = sorted(mounts((proc / "mountinfo").read_text()), key=lambda mount: -mount.version)
    cgroup = (proc / "cgroup").read_text()
    wanted, found = set(CONTROLS), []
    for mount in known:
        folder = own_folder(mount, cgroup)
        if folder is None:
            continue
        if mount.version == 2:
            folder = folder.parent if folder.name == _REFEREES else folder
            has = {*_BUILT_INTO_V2, *divide(folder, wanted, whole=folder == mount.point)}
        else:
            has = set(mount.controllers)
        serves = tuple(control for control in CONTROLS if control in wanted & has)
        if serves:
            wanted -= set(serves)
            found.append(Hierarchy(mount.version, folder, serves))
    return tuple(found)


def divide(folder: Path, wanted: Iterable[str], *, whole: bool) -> frozenset[str]:
    """Hand controllers to the children of a group of v2; those that they have then.

    `whole` says that the group is the root of all that is seen: the machine's, or a container's.
    """
    try:
        offered = set((folder / "cgroup.controllers").read_text().split())
        handed = set((folder / "cgroup.subtree_control").read_text().split())
    except OSError:
        return frozenset()
    missing = sorted(set(wanted) & offered - handed)
    if missing and (whole or delegated(folder)):
        # The root of the machine, which has no type, may keep its processes.
        if not (folder / "cgroup.type").exists() or _empty(folder):
            for controller in missing:
                with suppress(OSError):  # in use by v1, or not for us
                    write(folder / "cgroup.subtree_control", f"+{controller}")
        handed = set((folder / "cgroup.subtree_control").read_text().split())
    return frozenset(handed)


def delegated(folder: Path) -> bool:
    """Whether systemd has left this group to us: marked so, or a scope of `systemd-run`."""
    for name in ("user.delegate", "trusted.delegate"):
        with suppress(OSError):
            return os.getxattr(folder, name) == b"1"
    return folder.name.startswith("run-") and folder.name.endswith(".scope")


def _empty(folder: Path) -> bool:
    """Move the group's processes into a child; whether none is left."""
    leaf = folder / _REFEREES
    with suppress(OSError):
        leaf.mkdir(exist_ok=True)
        for _ in range(_MOVES):
            processes = (folder / "cgroup.procs").read_text().split()
            if not processes:
                return True
            for process in processes:
                with suppress(ProcessLookupError):
                    write(leaf / "cgroup.procs", process)
    return False


def write(path: Path, value: str) -> None:
    """Into a file that is there: a group's files are the kernel's to make."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, value.encode())
    finally:
        os.close(descriptor)
