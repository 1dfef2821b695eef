"""A control group for each player: it bounds, measures, stops and ends all its processes together.

A group is a folder in one or several hierarchies (see `hierarchies`), named after the referee that
made it, so that `sweep` finds the groups of referees that were killed.
"""

import errno
import os
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple, Self

from arena.model.containment import Guarantee
from arena.sandbox import hierarchies
from arena.sandbox.hierarchies import Control, Hierarchy, sweep, write

__all__ = ["Available", "Group", "available", "limits", "sweep", "usable"]

_GUARANTEES: dict[Control, Guarantee] = {
    "memory": Guarantee.MEMORY,
    "pids": Guarantee.PROCESSES,
    "cpuset": Guarantee.CPU,
}
_PROC = Path("/proc")


class Group:
    """The processes of one player, whatever they fork. Made by `create`."""

    def __init__(self, parts: dict[Hierarchy, Path], bounds: frozenset[Guarantee]) -> None:
        self.bounds = bounds
        """The guarantees it has a limit for."""
        self._parts = parts
        self._serving = {control: (part, parts[part]) for part in parts for control in part.serves}

    @classmethod
    def create(
        cls,
        memory_mb: int | None = None,
        processes: int | None = None,
        cores: tuple[int, ...] | None = None,
    ) -> Self | None:
        """A new, empty group; None where this process can make none.

        `processes` counts threads too; None leaves each unbounded. OSError: the host fails.
        """
        found = usable()
        if not found:
            return None
        name = hierarchies.new_name()
        parts = {part: part.folder / name for part in found}
        made: list[Path] = []
        try:
            for part, folder in parts.items():
                folder.mkdir()
                made.append(folder)
                for control in part.serves:
                    _set_limits(part, folder, control, memory_mb, processes, cores)
        except OSError:
            for folder in made:
                folder.rmdir()
            raise
        asked = {"memory": memory_mb, "pids": processes, "cpuset": cores}
        served = {control for part in found for control in part.serves}
        bounds = {_GUARANTEES[c] for c in _GUARANTEES if c in served and asked[c] is not None}
        return cls(parts, frozenset(bounds))

    @property
    def freezes(self) -> bool:
        """Whether `freeze` can be used; a machine may have no freezer for us."""
        return "freezer" in self._serving

    def join(self) -> None:
        """Move the calling process, of one thread, in here; its forks start in here."""
        for part, folder in self._parts.items():
            # `tasks` of v1 moves a thread and takes no lock, where moving a process takes 10 ms
            write(folder / ("tasks" if part.version == 1 else "cgroup.procs"), "0")

    def processes(self) -> tuple[int, ...]:
        """Pids of the processes in here and in groups below, without zombies."""
        folder = next(iter(self._parts.values()))
        return tuple(hierarchies.processes(folder))

    def memory_bytes(self) -> int | None:
        """Memory of its processes that cannot be dropped: their own pages, and files in memory."""
        if (found := self._serving.get("memory")) is None:
            return None
        part, folder = found
        stat = _pairs(folder / "memory.stat")
        names = ("anon", "shmem") if part.version == 2 else ("total_rss", "total_shmem")
        return sum(stat[name] for name in names)

    def peak_bytes(self) -> int | None:
        """The most memory it ever had, cached files included; None where the system cannot say."""
        if (found := self._serving.get("memory")) is None:
            return None
        part, folder = found
        name = "memory.peak" if part.version == 2 else "memory.max_usage_in_bytes"
        with suppress(FileNotFoundError):  # before Linux 5.19
            return int((folder / name).read_text())
        return None

    def oom_kills(self) -> int:
        """Processes that the system killed for the group's memory limit."""
        if (found := self._serving.get("memory")) is None:
            return 0
        part, folder = found
        name = "memory.events" if part.version == 2 else "memory.oom_control"
        return _pairs(folder / name).get("oom_kill", 0)

    def cpu_ms(self) -> float | None:
        """CPU time of all that ever ran in here."""
        if (found := self._serving.get("cpuacct")) is None:
            return None
        part, folder = found
        if part.version == 2:
            return _pairs(folder / "cpu.stat")["usage_usec"] / 1e3
        return int((folder / "cpuacct.usage").read_text()) / 1e6

    def freeze(self) -> None:
        """Stop all its processes where they are, and those they would fork. May be repeated."""
        self._set_frozen(True)

    def thaw(self) -> None:
        """Continue its processes."""
        self._set_frozen(False)

    def _set_frozen(self, frozen: bool) -> None:
        part, folder = self._serving["freezer"]
        if part.version == 2:
            write(folder / "cgroup.freeze", "1" if frozen else "0")
        else:
            write(folder / "freezer.state", "FROZEN" if frozen else "THAWED")

    def kill(self, patience_s: float = 2.0) -> bool:
        """End all its processes, frozen ones too; whether none is left in time.

        The caller reaps its own children.
        """
        return hierarchies.end(self._parts.values(), patience_s)

    def remove(self) -> None:
        """Remove its folders; one with a process that outlived its killing is left to `sweep`."""
        for folder in self._parts.values():
            try:
                hierarchies.remove(folder)
            except OSError as error:
                if error.errno != errno.EBUSY:
                    raise


def _set_limits(
    part: Hierarchy,
    folder: Path,
    control: Control,
    memory_mb: int | None,
    processes: int | None,
    cores: tuple[int, ...] | None,
) -> None:
    """Set the limits that `control` is for. OSError where that cannot be."""
    for name, value, needed in limits(part, control, memory_mb, processes, cores):
        try:
            write(folder / name, value)
        except OSError:
            if needed:
                raise


def limits(
    part: Hierarchy,
    control: Control,
    memory_mb: int | None,
    processes: int | None,
    cores: tuple[int, ...] | None,
) -> Iterator[tuple[str, str, bool]]:
    """File, value and whether the limit needs it, in the order of writing."""
    v1 = part.version == 1
    if control == "memory" and memory_mb is not None:
        limit = str(memory_mb * 2**20)
        # Swap would let it have more, slowly: none, where swap is accounted for
        if v1:
            yield "memory.limit_in_bytes", limit, True
            yield "memory.memsw.limit_in_bytes", limit, False
            yield "memory.swappiness", "0", False
        else:
            yield "memory.max", limit, True
            yield "memory.swap.max", "0", False
            yield "memory.oom.group", "1", False  # the player as a whole
    elif control == "pids" and processes is not None:
        yield "pids.max", str(processes), True
    elif control == "cpuset" and (v1 or cores is not None):
        if v1:  # a cpuset without cpus or mems accepts no process
            yield "cpuset.mems", _of(part, "cpuset.effective_mems"), True
            # Balanced with our own group; alone it would make the kernel plan all cores again
            yield "cpuset.sched_load_balance", "0", False
        ours = _of(part, "cpuset.effective_cpus") if cores is None else ",".join(map(str, cores))
        yield "cpuset.cpus", ours, True


def _of(part: Hierarchy, name: str) -> str:
    """The value in our own group."""
    return (part.folder / name).read_text().strip()


@cache
def usable() -> tuple[Hierarchy, ...]:
    """The hierarchies this process can make groups in, found out by making one in each."""
    return tuple(part for part, _ in _tried() if part.serves)


@cache
def _tried() -> tuple[tuple[Hierarchy, dict[Control, str]], ...]:
    """Each hierarchy with the controls it serves, and why it does not serve the others."""
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
    cores = tuple(sorted(os.sched_getaffinity(0)))
    for control in part.serves:
        try:
            _set_limits(part, folder, control, 1024, 64, cores)
        except OSError as error:
            failed[control] = f"{folder.parent} takes no limit for {control}: {error.strerror}"
    folder.rmdir()
    serves = tuple(control for control in part.serves if control not in failed)
    return part._replace(serves=serves), failed


class Available(NamedTuple):
    """One ability of groups, for people."""

    what: str  # `memory`, `processes`, `cpu` or `freeze`
    where: str | None  # the hierarchy that has it; None where none has
    missing: str | None  # why none has it, and what to do


_SHOWN: dict[str, Control] = {
    "memory": "memory",
    "processes": "pids",
    "cpu": "cpuset",
    "freeze": "freezer",
}
_SCOPE = "systemd-run --scope -p Delegate=yes arena run …"
_USER_SCOPE = "systemd-run --user --scope -p Delegate=yes arena run …"


def available() -> tuple[Available, ...]:
    """The abilities of control groups on this machine for this process."""
    return tuple(_available(what, control) for what, control in _SHOWN.items())


def _available(what: str, control: Control) -> Available:
    for part, _ in _tried():
        if control in part.serves:
            return Available(what, f"cgroup v{part.version}, {part.folder}", None)
    reasons = [failed[control] for _, failed in _tried() if control in failed]
    why = reasons[0] if reasons else f"no control group of ours has the controller {control}"
    start = _SCOPE if os.geteuid() == 0 else _USER_SCOPE
    return Available(what, None, f"{why}. With systemd, start the arena as `{start}`.")


def _pairs(path: Path) -> dict[str, int]:
    """A file of `name number` lines."""
    return {name: int(value) for name, value in map(str.split, path.read_text().splitlines())}
