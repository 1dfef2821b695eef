"""Hierarchies of groups as they are written, where this machine need not have them.

A folder that looks like v2 with controllers stands in for one: few machines let a test divide
their groups.
"""

import os
from pathlib import Path

import pytest

from arena.model.containment import Guarantee
from arena.sandbox import cgroups, hierarchies
from arena.sandbox.cgroups import Group
from arena.sandbox.hierarchies import Hierarchy


class Kernel:
    """Keeps a folder as Linux keeps a mounted cgroup v2, as far as groups are made and divided."""

    OFFERED = ("cpuset", "cpu", "memory", "pids")
    FILES = {  # noqa: RUF012 - never changed
        "memory": ("memory.max", "memory.swap.max", "memory.oom.group", "memory.peak"),
        "pids": ("pids.max",),
        "cpuset": ("cpuset.cpus",),
        "cpu": ("cpu.weight.nice",),
    }

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root = root
        self.mkdir, self.rmdir = Path.mkdir, Path.rmdir
        monkeypatch.setattr(Path, "mkdir", lambda path, *a, **k: self.make(path, *a, **k))
        monkeypatch.setattr(Path, "rmdir", lambda path: self.remove(path))
        monkeypatch.setattr(hierarchies, "write", self.write)
        monkeypatch.setattr(cgroups, "write", self.write)
        self.mkdir(root)
        self.fill(root, " ".join(self.OFFERED))

    def make(self, path: Path, *arguments: object, **more: object) -> None:
        self.mkdir(path, *arguments, **more)  # type: ignore[arg-type] # as they came
        if path.parent.is_relative_to(self.root):
            self.fill(path, (path.parent / "cgroup.subtree_control").read_text())
            (path / "cgroup.type").write_text("domain\n")

    def fill(self, path: Path, controllers: str) -> None:
        for name in ("cgroup.procs", "cgroup.subtree_control", "cgroup.freeze", "cpu.stat"):
            (path / name).touch()
        (path / "cgroup.controllers").write_text(controllers)
        for controller in controllers.split():
            for name in self.FILES.get(controller, ()):
                (path / name).touch()

    def remove(self, path: Path) -> None:
        if path.is_relative_to(self.root) and path != self.root:
            for file in path.iterdir():
                file.unlink()
        self.rmdir(path)

    def write(self, path: Path, value: str) -> None:
        if not path.exists():
            raise FileNotFoundError(path)
        if path.name == "cgroup.procs":
            for other in self.root.rglob("cgroup.procs"):
                words = [word for word in other.read_text().split() if word != value]
                other.write_text(" ".join(words))
            path.write_text(f"{path.read_text()} {value}".strip())
        elif path.name == "cgroup.subtree_control":
            if (path.parent / "cgroup.procs").read_text() and (
                path.parent / "cgroup.type"
            ).exists():
                raise OSError(16, "Device or resource busy")
            path.write_text(f"{path.read_text()} {value[1:]}".strip())
        else:
            path.write_text(value)


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Kernel:
    return Kernel(tmp_path / "cg roup", monkeypatch)


def proc(kernel: Kernel, own: str, root: str = "/") -> Path:
    """A folder like /proc/self of a process in the group `own`."""
    folder = kernel.root.parent / "self"
    kernel.mkdir(folder, exist_ok=True)
    point = str(kernel.root).replace(" ", "\\040")
    (folder / "mountinfo").write_text(
        "22 1 0:21 / /proc rw - proc proc rw\n"
        f"35 24 0:30 {root} {point} rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
    )
    (folder / "cgroup").write_text(f"0::{own}\n")
    return folder


ALL = ("memory", "pids", "cpuset", "freezer", "cpuacct", "cpu")


def test_a_scope_made_for_us_is_divided_and_its_processes_moved(kernel: Kernel) -> None:
    for name in ("user.slice", "user.slice/run-r7.scope"):
        (kernel.root / name).mkdir()
    scope = kernel.root / "user.slice/run-r7.scope"
    (scope / "cgroup.controllers").write_text("cpu memory pids cpuset")
    (scope / "cgroup.procs").write_text("11 12 13")
    found = hierarchies.find(proc(kernel, "/user.slice/run-r7.scope"))
    assert found == (Hierarchy(2, scope, ALL),)
    handed = (scope / "cgroup.subtree_control").read_text().split()
    assert set(handed) == {"cpu", "memory", "pids", "cpuset"}
    assert (scope / "cgroup.procs").read_text() == ""
    assert (scope / "arena-referees/cgroup.procs").read_text() == "11 12 13"
    # for who is there now, the same place
    assert hierarchies.find(proc(kernel, "/user.slice/run-r7.scope/arena-referees")) == found


def test_a_session_that_is_not_ours_keeps_its_processes(kernel: Kernel) -> None:
    session = kernel.root / "session-1.scope"
    session.mkdir()
    (session / "cgroup.controllers").write_text("memory pids")
    (session / "cgroup.procs").write_text("7")
    (part,) = hierarchies.find(proc(kernel, "/session-1.scope"))
    assert part == Hierarchy(2, session, ("freezer", "cpuacct"))
    assert (session / "cgroup.procs").read_text() == "7"


def test_a_container_divides_all_it_sees(kernel: Kernel) -> None:
    (kernel.root / "cgroup.type").write_text("domain")
    (kernel.root / "cgroup.procs").write_text("1 40")
    (part,) = hierarchies.find(proc(kernel, "/docker/c0ffee", root="/docker/c0ffee"))
    assert part == Hierarchy(2, kernel.root, ALL)
    assert (kernel.root / "arena-referees/cgroup.procs").read_text() == "1 40"


def test_the_root_of_the_machine_keeps_its_processes(kernel: Kernel) -> None:
    (kernel.root / "cgroup.procs").write_text("1 2 3")
    (part,) = hierarchies.find(proc(kernel, "/"))
    assert part.serves == ALL
    assert not (kernel.root / "arena-referees").exists()


def test_a_group_that_the_mount_does_not_show_is_none_of_ours(kernel: Kernel) -> None:
    assert hierarchies.find(proc(kernel, "/other", root="/docker/c0ffee")) == ()


@pytest.mark.parametrize(
    ("own", "autogroup", "share"),
    [("/", "1", "0"), ("/", "0", "7"), ("/user.slice/run-r7.scope", "1", "")],
)
def test_a_nice_player_has_the_share_that_we_have(
    kernel: Kernel, monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
    own: str, autogroup: str, share: str,
) -> None:  # fmt: skip
    if own != "/":
        (kernel.root / "user.slice").mkdir()
        (kernel.root / own[1:]).mkdir()
        (kernel.root / own[1:] / "cgroup.controllers").write_text("cpu")
    (tmp_path / "autogroup").write_text(f"{autogroup}\n")
    monkeypatch.setattr(cgroups, "_AUTOGROUP", tmp_path / "autogroup")
    monkeypatch.setattr(os, "nice", lambda _: 7)
    found = hierarchies.find(proc(kernel, own))
    monkeypatch.setattr(cgroups, "usable", lambda: found)
    assert Group.create(cgroups.Bounds()) is not None
    (folder,) = kernel.root.rglob("arena-*-*")
    assert (folder / "cpu.weight.nice").read_text() == share


def test_the_limits_of_v2(kernel: Kernel, monkeypatch: pytest.MonkeyPatch) -> None:
    found = hierarchies.find(proc(kernel, "/"))
    monkeypatch.setattr(cgroups, "usable", lambda: found)
    monkeypatch.setattr(cgroups, "_AUTOGROUP", kernel.root / "none")
    group = Group.create(cgroups.Bounds(memory_mb=100, pids=20, cores=(1, 3)))
    assert group is not None
    (folder,) = kernel.root.glob("arena-*")
    assert group.bounds == {Guarantee.MEMORY, Guarantee.PROCESSES, Guarantee.CPU}
    values = {
        "memory.max": str(100 * 2**20), "memory.swap.max": "0", "memory.oom.group": "1",
        "pids.max": "20", "cpuset.cpus": "1,3", "cpu.weight.nice": str(os.nice(0)),
    }  # fmt: skip
    assert {name: (folder / name).read_text() for name in values} == values
    (folder / "memory.stat").write_text("anon 5000\nfile 70\nshmem 60\n")
    (folder / "memory.events").write_text("low 0\noom 3\noom_kill 2\n")
    (folder / "memory.peak").write_text("6000\n")
    (folder / "cpu.stat").write_text("usage_usec 1500\nuser_usec 9\n")
    assert (group.memory_bytes(), group.file_bytes(), group.peak_bytes()) == (5060, 60, 6000)
    assert (group.oom_kills(), group.was_full(), group.cpu_ms()) == (2, True, 1.5)
    (folder / "memory.events").write_text("low 0\noom 0\noom_kill 2\n")
    assert (group.oom_kills(), group.was_full()) == (2, False)
    group.freeze()
    assert (folder / "cgroup.freeze").read_text() == "1"
    group.thaw()
    assert (folder / "cgroup.freeze").read_text() == "0"
    group.remove()
    assert not folder.exists()


def test_where_nothing_can_be_written_there_is_no_group(monkeypatch: pytest.MonkeyPatch) -> None:
    part = Hierarchy(2, Path("/proc/self"), ("memory", "freezer"))
    tried, failed = cgroups._try(part)
    assert tried.serves == ()
    assert set(failed) == {"memory", "freezer"}
    monkeypatch.setattr(cgroups, "_tried", lambda: ((tried, failed),))
    monkeypatch.setattr(cgroups, "usable", lambda: ())
    assert Group.create(cgroups.Bounds(64, 20, (0,))) is None
    shown = {thing.what: thing for thing in cgroups.available()}
    assert set(shown) == {"memory", "processes", "cpu", "freeze"}
    assert all(thing.where is None for thing in shown.values())
    assert "/proc/self cannot be written" in (shown["memory"].missing or "")
    assert "Delegate=yes arena run" in (shown["processes"].missing or "")


def test_a_controller_that_systemd_keeps_from_users(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the scope that the page names, starting the arena so is no advice."""
    scope = Hierarchy(2, Path("/x/run-7.scope"), ("memory", "pids", "freezer"))
    monkeypatch.setattr(cgroups, "_tried", lambda: ((scope, {}),))
    monkeypatch.setattr(cgroups, "usable", lambda: (scope,))
    shown = {thing.what: thing for thing in cgroups.available()}
    assert shown["memory"].where == "cgroup v2, /x/run-7.scope"
    missing = shown["cpu"].missing or ""
    assert "Delegate=cpu cpuset io memory pids" in missing and "systemd-run" not in missing


def test_lines_of_v1(tmp_path: Path) -> None:
    (mount,) = hierarchies.mounts(
        f"33 31 0:30 /lxc/box {tmp_path} rw shared:2 master:3 - cgroup cgroup rw,cpu,cpuacct\n"
    )
    assert mount == (1, tmp_path, "/lxc/box", frozenset({"rw", "cpu", "cpuacct"}))
    assert (
        hierarchies.own_folder(mount, "3:pids:/x\n2:cpu,cpuacct:/lxc/box/a b\n") == tmp_path / "a b"
    )
    assert hierarchies.own_folder(mount, "3:pids:/x\n") is None
    assert hierarchies.own_folder(mount, "2:cpu,cpuacct:/lxc/boxes\n") is None


def test_mounts_and_groups_whose_names_are_no_text(tmp_path: Path) -> None:
    ours = f"9 1 0:1 / {tmp_path} rw - cgroup2 cgroup2 rw\n"
    (tmp_path / "mountinfo").write_bytes(
        b"9 1 0:9 / /b\xff\x0c rw - tmpfs none rw\n" + ours.encode()
    )
    (tmp_path / "cgroup").write_bytes(b"1:name=a:/b\xff\x0c\n0::/\n")
    assert [folder for _, folder in hierarchies.enclosing("cpu", tmp_path)] == [tmp_path]


def test_limits_of_v1_in_the_order_the_system_wants(tmp_path: Path) -> None:
    (tmp_path / "cpuset.effective_mems").write_text("0-1\n")
    (tmp_path / "cpuset.effective_cpus").write_text("0-7\n")
    part = Hierarchy(1, tmp_path, ("memory", "cpuset"))
    memory = [name for name, _, _ in cgroups.limits(part, "memory", cgroups.Bounds(1))]
    assert memory == ["memory.limit_in_bytes", "memory.memsw.limit_in_bytes", "memory.swappiness"]
    names = ["cpuset.mems", "cpuset.sched_load_balance", "cpuset.cpus"]
    for cores, written in ((None, "0-7"), ((2, 4), "2,4")):
        limits = list(cgroups.limits(part, "cpuset", cgroups.Bounds(cores=cores)))
        assert [name for name, _, _ in limits] == names
        assert (limits[0][1], limits[2][1]) == ("0-1", written)
