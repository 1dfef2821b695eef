"""A control group for each player: it bounds, measures, stops and ends all its processes together.
It is a folder in one or several hierarchies, named after the referee that made it, for
`hierarchies.sweep`.
"""

import errno
import os
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple, Self

from arena.model import Frozen
from arena.model.containment import Guarantee
from arena.sandbox import hierarchies
from arena.sandbox.hierarchies import Control, Hierarchy, is_root, write

_GUARANTEES: dict[Control, Guarantee] = {
    "memory": Guarantee.MEMORY,
    "pids": Guarantee.PROCESSES,
    "cpuset": Guarantee.CPU,
}
_PROC = Path("/proc")
_AUTOGROUP = Path("/proc/sys/kernel/sched_autogroup_enabled")


class Bounds(NamedTuple):
    """Limits of a group; `pids` counts processes and threads. None leaves each unbounded."""

    memory_mb: int | None = None
    pids: int | None = None
    cores: tuple[int, ...] | None = None


_DELEGATE = (
    "To change that, write as root `[Service]` and `Delegate=cpu cpuset io memory pids` into "
    "/etc/systemd/system/user@.service.d/delegate.conf, and restart the machine."
)
_SHARES = 1024
"""The share of a program that is not nice; each step of niceness takes a fifth of it."""
_LAST_PIECE = 4 * 2**20
"""More than a process takes at once: a huge page."""


class Group:
    """The processes of one player, whatever they fork. Made by `create`."""

    def __init__(self, parts: dict[Hierarchy, Path], limits: Bounds) -> None:
        self._parts = parts
        self._serving = {control: (part, parts[part]) for part in parts for control in part.serves}
        bounds = dict(zip(_GUARANTEES, limits, strict=True))
        self.bounds = frozenset(
            _GUARANTEES[control]
            for control, bound in bounds.items()
            if control in self._serving and bound is not None
        )
        """The guarantees it has a limit for."""

    @classmethod
    def create(cls, bounds: Bounds) -> Self | None:
        """A new, empty group; None where this process can make none. OSError: the host fails."""
        name = hierarchies.new_name()
        parts = {part: part.folder / name for part in usable()}
        folders: list[Path] = []
        try:
            for part, folder in parts.items():
                folder.mkdir()
                folders.append(folder)
                for control in part.serves:
                    _set_limits(part, folder, control, bounds)
        except OSError:
            for folder in folders:
                folder.rmdir()
            raise
        return cls(parts, bounds) if parts else None

    @property
    def freezes(self) -> bool:
        """Whether `freeze` can be used; a machine may have no freezer for us."""
        return "freezer" in self._serving

    def join(self) -> None:
        """Move the calling process, of one thread, in here; its forks start in here."""
        for part, folder in self._parts.items():
            # `tasks` of v1 moves a thread and takes no lock, where moving a process takes 10 ms.
            write(folder / ("tasks" if part.version == 1 else "cgroup.procs"), "0")

    def processes(self) -> tuple[int, ...]:
        """Pids of the processes in here and in groups below, without zombies."""
        folder = next(iter(self._parts.values()))
        return tuple(hierarchies.processes(folder))

    def _file(self, control: Control, v1: str, v2: str) -> Path | None:
        if control not in self._serving:
            return None
        part, folder = self._serving[control]
        return folder / (v2 if part.version == 2 else v1)

    def memory_bytes(self) -> int | None:
        """Memory of its processes that cannot be dropped: their own pages, and files in memory."""
        if (stat := self._memory_stat()) is None:
            return None
        return stat.get("anon", stat.get("total_rss", 0)) + self._shared(stat)

    def file_bytes(self) -> int:
        """The part of that memory that is files in memory, or shared memory."""
        return self._shared(self._memory_stat() or {})

    def _memory_stat(self) -> dict[str, int] | None:
        file = self._file("memory", "memory.stat", "memory.stat")
        return None if file is None else _pairs(file)

    @staticmethod
    def _shared(stat: dict[str, int]) -> int:
        return stat.get("total_shmem", stat.get("shmem", 0))  # v1 has both, and means all by total

    def peak_bytes(self) -> int | None:
        """The most memory it ever had, cached files included; None where the system cannot say."""
        file = self._file("memory", "memory.max_usage_in_bytes", "memory.peak")
        with suppress(FileNotFoundError):  # before Linux 5.19
            return int(file.read_text()) if file else None
        return None

    def oom_kills(self) -> int:
        """Processes that the system killed for memory: of the group, or of what is around it."""
        file = self._file("memory", "memory.oom_control", "memory.events")
        return _pairs(file).get("oom_kill", 0) if file else 0

    def was_full(self) -> bool:
        """Whether it ever had all the memory it may have."""
        file = self._file("memory", "memory.limit_in_bytes", "memory.events")
        if file is None:
            return False
        if file.name == "memory.events":
            return _pairs(file).get("oom", 0) > 0
        # v1 counts no such ends; Linux 6.18 not even that the limit was met (`memory.failcnt`).
        return (self.peak_bytes() or 0) > int(file.read_text()) - _LAST_PIECE

    def was_refused_processes(self) -> bool:
        """Whether a limit around it, and not its own, kept it from starting one: where the kernel
        counts that in here, as in v1. In v2 it counts it around, since Linux 6.11.
        """
        file = self._file("pids", "pids.events", "pids.events")
        if file is None or Guarantee.PROCESSES not in self.bounds or not _pairs(file)["max"]:
            return False
        with suppress(FileNotFoundError):  # an older Linux
            peak, most = (file.with_name(name).read_text() for name in ("pids.peak", "pids.max"))
            return int(peak) < int(most)
        return False

    def cpu_ms(self) -> float | None:
        """CPU time of all that ever ran in here."""
        if (file := self._file("cpuacct", "cpuacct.usage", "cpu.stat")) is None:
            return None
        if file.name == "cpu.stat":
            return _pairs(file)["usage_usec"] / 1e3
        return int(file.read_text()) / 1e6

    def freeze(self) -> None:
        """Stop all its processes where they are, and those they would fork. May be repeated."""
        self._set_frozen("FROZEN", "1")

    def thaw(self) -> None:
        self._set_frozen("THAWED", "0")

    def _set_frozen(self, v1: str, v2: str) -> None:
        file = self._file("freezer", "freezer.state", "cgroup.freeze")
        assert file is not None, "it `freezes`"
        write(file, v2 if file.name == "cgroup.freeze" else v1)

    def kill(self) -> bool:
        """End all its processes, frozen or not; whether none is left. The caller reaps its own."""
        return hierarchies.end(self._parts.values())

    def remove(self) -> None:
        """Remove its folders; one with a process that outlived its killing is left to `sweep`."""
        for folder in self._parts.values():
            try:
                hierarchies.remove(folder)
            except OSError as error:
                if error.errno != errno.EBUSY:
                    raise


def _set_limits(part: Hierarchy, folder: Path, control: Control, bounds: Bounds) -> None:
    for name, value, needed in limits(part, control, bounds):
        try:
            write(folder / name, value)
        except OSError:
            if needed:
                raise


def limits(part: Hierarchy, control: Control, bounds: Bounds) -> Iterator[tuple[str, str, bool]]:
    """File, value and whether the limit needs it, in the order of writing."""
    v1, cores = part.version == 1, bounds.cores
    if control == "memory" and bounds.memory_mb is not None:
        limit = str(bounds.memory_mb * 2**20)
        # Swap would let it have more, slowly: none, where swap is accounted for.
        if v1:
            yield "memory.limit_in_bytes", limit, True
            yield "memory.memsw.limit_in_bytes", limit, False
            yield "memory.swappiness", "0", False
        else:
            yield "memory.max", limit, True
            yield "memory.swap.max", "0", False
            yield "memory.oom.group", "1", False  # the player as a whole
    elif control == "pids" and bounds.pids is not None:
        yield "pids.max", str(bounds.pids), True
    elif control == "cpu":
        # Any number of processes has a core's time as we have: else they would keep us from
        # looking at the clock, and be excused for that. Below the root of v2 we are in a group as
        # they are, and all have the same.
        nice = 0 if _by_sessions(part) else os.nice(0)
        if v1:
            yield "cpu.shares", str(round(_SHARES / 1.25**nice)), False
        elif is_root(2, part.folder):
            yield "cpu.weight.nice", str(nice), False
    elif control == "cpuset":
        if v1:  # a cpuset without cpus or mems accepts no process: those of our own group
            yield "cpuset.mems", (part.folder / "cpuset.effective_mems").read_text().strip(), True
            # Balanced with our own group; alone it would make the kernel plan all cores again.
            yield "cpuset.sched_load_balance", "0", False
        if cores is not None:
            yield "cpuset.cpus", ",".join(map(str, cores)), True
        elif v1:
            yield "cpuset.cpus", (part.folder / "cpuset.effective_cpus").read_text().strip(), True


def _by_sessions(part: Hierarchy) -> bool:
    """Whether each session has the share of a program that is not nice, as Linux has it in the root
    group by default (autogroup): one with the share of a nice program would starve there.
    """
    with suppress(OSError):  # a kernel without it
        return is_root(part.version, part.folder) and _AUTOGROUP.read_text().strip() == "1"
    return False


@cache
def usable() -> tuple[Hierarchy, ...]:
    """The hierarchies this process can make groups in, found out by making one in each."""
    return tuple(part for part, _ in _tried() if part.serves)


@cache
def _tried() -> tuple[tuple[Hierarchy, dict[Control, str]], ...]:
    try:
        found = hierarchies.find(_PROC / "self")
    except OSError as error:
        raise OSError(error.errno, f"/proc cannot be read: {error.strerror}") from None
    return tuple(_try(part) for part in found)


def _try(part: Hierarchy) -> tuple[Hierarchy, dict[Control, str]]:
    folder = part.folder / hierarchies.new_name()
    try:
        folder.mkdir()
    except OSError as error:
        why = f"{part.folder} cannot be written: {error.strerror}"
        return part._replace(serves=()), dict.fromkeys(part.serves, why)
    failed: dict[Control, str] = {}
    bounds = Bounds(1024, 64, tuple(sorted(os.sched_getaffinity(0))))
    for control in part.serves:
        try:
            _set_limits(part, folder, control, bounds)
        except OSError as error:
            failed[control] = f"{folder.parent} takes no limit for {control}: {error.strerror}"
    folder.rmdir()
    serves = tuple(control for control in part.serves if control not in failed)
    return part._replace(serves=serves), failed


class ControlGroup(Frozen):
    """The bounds of control groups: `memory`, `processes`, `cpu` or `freeze`."""

    what: str
    where: str | None  # the hierarchy; null where none can be written
    missing: str | None  # why none can, and what to do


def available() -> tuple[ControlGroup, ...]:
    """The abilities of control groups on this machine for this process."""
    shown: dict[str, Control]
    shown = {"memory": "memory", "processes": "pids", "cpu": "cpuset", "freeze": "freezer"}
    return tuple(_available(what, control) for what, control in shown.items())


def _available(what: str, control: Control) -> ControlGroup:
    for part, _ in _tried():
        if control in part.serves:
            where = f"cgroup v{part.version}, {part.folder}"
            return ControlGroup(what=what, where=where, missing=None)
    reasons = [failed[control] for _, failed in _tried() if control in failed]
    why = reasons[0] if reasons else f"no control group of this user has the controller {control}"
    if not reasons and any(hierarchies.delegated(part.folder) for part in usable()):
        missing = f"{why}, which systemd keeps from users. {_DELEGATE}"
        return ControlGroup(what=what, where=None, missing=missing)
    user = "" if os.geteuid() == 0 else "--user "
    start = f"systemd-run {user}--scope -p Delegate=yes arena run …"
    missing = f"{why}. With systemd, start the arena as `{start}`."
    return ControlGroup(what=what, where=None, missing=missing)


def _pairs(path: Path) -> dict[str, int]:
    return {name: int(value) for name, value in map(str.split, path.read_text().splitlines())}
