"""The folders of control groups: cgroup v1 has a tree for each controller, v2 one for all. In v2 a
group with processes cannot hand controllers to its children (but for the root): where it is ours to
divide, they are moved into a child. Sources: cgroups(7), Linux admin-guide/cgroup-v{1,2}.
"""

import itertools
import os
import re
import signal
import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple, get_args

from arena.sandbox.processes import stat_fields

Control = Literal["memory", "pids", "cpuset", "freezer", "cpuacct", "cpu"]
"""Named as the controllers of v1; v2 freezes and accounts CPU time without one."""

_BUILT_INTO_V2: tuple[Control, ...] = ("freezer", "cpuacct")
REFEREES = "arena-referees"
"""The child that takes the processes of a group that is divided."""
_MOVES = 5  # how often a group is emptied: its processes may fork meanwhile
_PROC = Path("/proc")
_NAME = re.compile(r"arena(-\d+){4}")
_NUMBERS = itertools.count(1)
_PATIENCE_S = 2.0  # for killed processes to be gone, on a host that is busy freeing their memory
_POLL_S = 0.001


class Mount(NamedTuple):
    """A hierarchy of control groups where it is mounted."""

    version: Literal[1, 2]
    point: Path
    root: str  # the group that is seen at `point`
    controllers: frozenset[str]  # of v1; v2 lists them in each group


class Hierarchy(NamedTuple):
    """A folder in which groups can be made, and the controls used there."""

    version: Literal[1, 2]
    folder: Path
    serves: tuple[Control, ...]


def mounts(mountinfo: str) -> Iterator[Mount]:
    """The hierarchies in a text like /proc/self/mountinfo."""
    for line in mountinfo.split("\n"):  # a path may have any other space
        before, _, after = line.partition(" - ")
        fields, (kind, _, options, *_) = before.split(" "), (*after.split(" "), "", "", "")
        if kind in ("cgroup", "cgroup2"):
            root, point = (  # space, tab, newline and backslash are octal
                re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), field)
                for field in fields[3:5]
            )
            version: Literal[1, 2] = 2 if kind == "cgroup2" else 1
            yield Mount(version, Path(point), root, frozenset(options.split(",")))


def _read(names: Path) -> str:
    """A file of /proc with paths in it, which need not be text."""
    return os.fsdecode(names.read_bytes())


def is_root(version: Literal[1, 2], folder: Path) -> bool:
    """Whether a group is the first of its hierarchy, as the kernel has it, not as a mount shows."""
    if version == 1:
        return (folder / "release_agent").exists()
    return not (folder / "cgroup.type").exists()


def own_folder(mount: Mount, cgroup: str) -> Path | None:
    """Our own group, by a text like /proc/self/cgroup; None where the mount does not show it."""
    for line in filter(None, cgroup.split("\n")):
        _, names, path = line.split(":", 2)
        ours = not names if mount.version == 2 else bool(mount.controllers & set(names.split(",")))
        if ours:
            below = os.path.relpath(path, mount.root)
            return None if below.split("/")[0] == ".." else mount.point / below
    return None


def enclosing(controller: str, proc: Path) -> Iterator[tuple[Mount, Path]]:
    """The groups that may limit the process of `proc` by a controller, from its own outwards."""
    cgroup = _read(proc / "cgroup")
    for mount in mounts(_read(proc / "mountinfo")):
        if mount.version == 2 or controller in mount.controllers:
            own = own_folder(mount, cgroup) or mount.point
            folders = (own, *own.parents)
            yield from ((mount, each) for each in folders if each.is_relative_to(mount.point))


def find(proc: Path) -> tuple[Hierarchy, ...]:
    """The hierarchies in which the process of `proc` (/proc/self) has a group of its own. v2 serves
    what it can, as it freezes and kills better; v1 the rest. Divides our group of v2 where that is
    needed and allowed. The caller tries whether they can be written.
    """
    known = sorted(mounts(_read(proc / "mountinfo")), key=lambda mount: -mount.version)
    cgroup = _read(proc / "cgroup")
    controls: tuple[Control, ...] = get_args(Control)
    missing, hierarchies = set(controls), []
    for mount in known:
        folder = own_folder(mount, cgroup)
        if folder is None:
            continue
        if mount.version == 2:
            folder = folder.parent if folder.name == REFEREES else folder
            has = {*_BUILT_INTO_V2, *divide(folder, missing, whole=folder == mount.point)}
        else:
            has = set(mount.controllers)
        serves = tuple(control for control in controls if control in missing & has)
        if serves:
            missing -= set(serves)
            hierarchies.append(Hierarchy(mount.version, folder, serves))
    return tuple(hierarchies)


def divide(folder: Path, controllers: Iterable[str], *, whole: bool) -> frozenset[str]:
    """Give controllers to the children of a group of v2; those they have then. `whole` says that
    the group is the root of all that is seen: the machine's, or a container's.
    """
    try:
        offered = set((folder / "cgroup.controllers").read_text().split())
        handed = set((folder / "cgroup.subtree_control").read_text().split())
    except OSError:
        return frozenset()
    missing = sorted(set(controllers) & offered - handed)
    if missing and (whole or delegated(folder)):
        # The root of the machine, which has no type, may keep its processes.
        if is_root(2, folder) or _empty(folder):
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
    return re.fullmatch(r"run-.*\.scope", folder.name) is not None


def _empty(folder: Path) -> bool:
    leaf = folder / REFEREES
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
    """Write into an existing file: only the kernel makes a group's files."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, value.encode())
    finally:
        os.close(descriptor)


def new_name() -> str:
    """A name that no other process ever had: `arena-PID-START-PIDNAMESPACE-N`."""
    pid = os.getpid()
    return f"arena-{pid}-{_started(pid)}-{_pid_namespace()}-{next(_NUMBERS)}"


def _abandoned(name: str) -> bool:
    _, pid, started, namespace, _ = name.split("-")
    return namespace == str(_pid_namespace()) and started != str(_started(int(pid)))


@cache
def _pid_namespace() -> int:
    return (_PROC / "self" / "ns" / "pid").stat().st_ino


def _started(pid: int) -> int | None:
    try:
        fields = stat_fields(_PROC / str(pid))
    except OSError:
        return None
    return None if fields[0] in "ZX" else int(fields[19])


def sweep() -> None:
    """Kill and remove the groups of dead referees, in every mount."""
    left = []
    for mount in mounts(_read(_PROC / "self" / "mountinfo")):
        for path, below, _ in os.walk(mount.point):
            ours = [name for name in below if _NAME.fullmatch(name)]
            left += [Path(path, name) for name in ours if _abandoned(name)]
            below[:] = [name for name in below if name not in ours]
    end(left)
    for folder in left:
        with suppress(OSError):  # another user's, or another sweep was quicker
            remove(folder)


def end(folders: Collection[Path]) -> bool:
    """Kill all processes in these folders, frozen or not; whether none is left in time."""
    deadline = time.monotonic() + _PATIENCE_S
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
        write(folder / "pids.max", "0")  # no more forks
    for process in processes(folder):
        with suppress(ProcessLookupError, PermissionError):
            os.kill(process, signal.SIGKILL)
    for name, value in (("freezer.state", "THAWED"), ("cgroup.freeze", "0")):
        with suppress(OSError):  # in v1 a frozen process does not die
            write(folder / name, value)


def processes(folder: Path) -> Iterator[int]:
    """Pids of the processes in a group and in those below it, without zombies."""
    for path, _, _ in os.walk(folder):
        with suppress(OSError):
            yield from map(int, Path(path, "cgroup.procs").read_text().split())


def remove(folder: Path) -> None:
    """Remove a group and all below it. OSError: one has processes (EBUSY) or is not ours."""
    for path, _, _ in os.walk(folder, topdown=False):
        with suppress(FileNotFoundError):
            Path(path).rmdir()
