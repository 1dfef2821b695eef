"""Groups as this machine has them, with real processes; and v2 with controllers, as it is written.

A folder that looks like v2 stands in for the second: few machines let a test divide their groups.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.referee.sandbox import cgroups, group_folders, hierarchies
from arena.referee.sandbox.cgroups import Group
from arena.referee.sandbox.hierarchies import Hierarchy
from arena.referee.sandbox.policy import Guarantee

PYTHON = (sys.executable, "-I", "-S", "-c")
SERVED = {control: part for part in cgroups.usable() for control in part.serves}


def needs(*controls: str) -> pytest.MarkDecorator:
    missing = [control for control in controls if control not in SERVED]
    return pytest.mark.skipif(bool(missing), reason=f"no writable control group for {missing}")


@pytest.fixture
def run() -> Iterator[Run]:
    run = Run()
    yield run
    run.close()


class Run:
    """Groups, and processes in them, that go with the test."""

    def __init__(self) -> None:
        self.groups: list[Group] = []
        self.children: list[subprocess.Popen[str]] = []

    def group(
        self,
        memory_mb: int | None = None,
        processes: int | None = None,
        cores: tuple[int, ...] | None = None,
    ) -> Group:
        group = Group.create(memory_mb, processes, cores)
        assert group is not None
        self.groups.append(group)
        return group

    def start(self, group: Group, code: str) -> subprocess.Popen[str]:
        child = subprocess.Popen(
            (*PYTHON, code), stdin=-1, stdout=-1, text=True, preexec_fn=group.join
        )
        self.children.append(child)
        return child

    def close(self) -> None:
        for group in self.groups:
            assert group.kill()
            group.remove()
        for child in self.children:
            child.communicate()


def until_settled(group: Group) -> float:
    """CPU time once it does not grow any more."""
    for _ in range(100):
        before = group.cpu_ms()
        time.sleep(0.02)
        if (after := group.cpu_ms()) == before and after is not None:
            return after
    raise AssertionError("it goes on")


ESCAPES = """
import os, signal, time
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP): signal.signal(number, signal.SIG_IGN)
for _ in range(20):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            while True: pass
        os._exit(0)
    os.wait()
print("away", flush=True)
time.sleep(60)
"""


@needs("pids")
def test_all_that_was_forked_away_is_ended(run: Run) -> None:
    group = run.group()
    child = run.start(group, ESCAPES)
    assert child.stdout is not None and child.stdout.readline() == "away\n"
    assert len(group.processes()) == 21
    if group.freezes:
        group.freeze()
    assert group.kill()
    assert group.processes() == ()
    assert child.wait() == -signal.SIGKILL


@needs("freezer", "cpuacct")
@pytest.mark.parametrize("version", [1, 2])
def test_frozen_it_uses_no_cpu(version: int, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    if not serve_freezer_by(version, monkeypatch):
        pytest.skip(f"no writable freezer of cgroup v{version}")
    group = run.group()
    child = run.start(group, ESCAPES)
    assert child.stdout is not None and child.stdout.readline() == "away\n"
    group.freeze()
    settled = until_settled(group)
    group.freeze()
    group.thaw()
    deadline = time.monotonic() + 10
    while (group.cpu_ms() or 0) <= settled:
        assert time.monotonic() < deadline, "it does not go on"
        time.sleep(0.01)
    group.freeze()  # and is ended like that


def serve_freezer_by(version: int, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Let groups be frozen by v1 alone, though v2 would do it too; whether this machine can."""
    if version == 2:
        return SERVED["freezer"].version == 2
    proc = Path("/proc/self")
    cgroup = (proc / "cgroup").read_text()
    for mount in hierarchies.mounts((proc / "mountinfo").read_text()):
        folder = hierarchies.own_folder(mount, cgroup)
        if mount.version == 1 and "freezer" in mount.controllers and folder is not None:
            rest = [part for part in cgroups.usable() if part.version == 1]
            v1 = Hierarchy(1, folder, ("freezer",))
            accounts = Hierarchy(1, folder.parent / "cpuacct", ("cpuacct",))
            if os.access(folder, os.W_OK) and accounts.folder.is_dir():
                found = (*rest, v1, accounts)
                monkeypatch.setattr(cgroups, "usable", lambda found=found: found)
                return True
    return False


@needs("memory")
def test_memory_is_held_and_its_end_is_told(run: Run) -> None:
    group = run.group(memory_mb=48)
    assert group.holds == {Guarantee.MEMORY}
    code = "x = bytearray(16 << 20); print(flush=True); input(); x = bytearray(99 << 20)"
    child = run.start(group, code)
    assert child.stdout is not None and child.stdout.readline() == "\n"
    assert 16 << 20 <= (group.memory_bytes() or 0) <= 48 << 20
    assert group.oom_kills() == 0
    child.communicate("\n")
    assert child.returncode == -signal.SIGKILL
    assert group.oom_kills() >= 1
    assert (group.peak_bytes() or 0) >= 16 << 20


@needs("pids")
def test_processes_are_counted_with_threads(run: Run) -> None:
    group = run.group(processes=5)
    assert group.holds == {Guarantee.PROCESSES}
    code = """
import os
n = 0
while True:
    try:
        if os.fork() == 0: os.read(0, 1); os._exit(0)
        n += 1
    except BlockingIOError: break
print(n, flush=True)
"""
    child = run.start(group, code)
    assert child.stdout is not None and child.stdout.readline() == "4\n"


@needs("cpuset")
def test_cores_cannot_be_left(run: Run) -> None:
    core = min(os.sched_getaffinity(0))
    group = run.group(cores=(core,))
    assert group.holds == {Guarantee.CPU}
    every = range(os.cpu_count() or 1)
    code = f"import os; os.sched_setaffinity(0, {set(every)}); print(os.sched_getaffinity(0))"
    assert run.start(group, code).communicate()[0] == f"{ {core} }\n"


REFEREE = """
import subprocess, sys, time
from arena.referee.sandbox.cgroups import Group
group = Group.create(64, 20)
code = "while True: pass"
player = subprocess.Popen([sys.executable, "-I", "-S", "-c", code], stdout=2, preexec_fn=group.join)
if group.freezes: group.freeze()
print(player.pid, flush=True)
time.sleep(60)
"""


@needs("pids")
def test_what_a_killed_referee_left_is_swept_up() -> None:
    referee = subprocess.Popen([sys.executable, "-c", REFEREE], stdout=subprocess.PIPE, text=True)
    assert referee.stdout is not None
    player = int(referee.stdout.readline())
    cgroups.sweep()
    assert len(groups_of(referee.pid)) == len(cgroups.usable()), "a living referee keeps its groups"
    os.kill(player, 0)
    referee.kill()
    referee.communicate(timeout=10)
    assert cgroups.sweep() >= len(cgroups.usable())
    assert groups_of(referee.pid) == []
    assert not Path(f"/proc/{player}/exe").exists()


def groups_of(pid: int) -> list[Path]:
    return [found for part in cgroups.usable() for found in part.folder.glob(f"arena-{pid}-*")]


def test_a_referee_is_not_taken_for_another_that_had_its_pid() -> None:
    name = group_folders.new_name()
    assert not group_folders._abandoned(name)
    pid, started, namespace, number = name.removeprefix("arena-").split("-")
    assert group_folders._abandoned(f"arena-{pid}-{int(started) - 1}-{namespace}-{number}")
    # of another container: dead or not, that cannot be seen from here
    assert not group_folders._abandoned(f"arena-{pid}-{int(started) - 1}-1-{number}")


# v2 with controllers


class Kernel:
    """Keeps a folder as Linux keeps a mounted cgroup v2, as far as groups are made and divided."""

    OFFERED = ("cpuset", "cpu", "memory", "pids")
    FILES = {  # noqa: RUF012 - never changed
        "memory": ("memory.max", "memory.swap.max", "memory.oom.group", "memory.peak"),
        "pids": ("pids.max",),
        "cpuset": ("cpuset.cpus",),
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


ALL = ("memory", "pids", "cpuset", "freezer", "cpuacct")


def test_a_scope_made_for_us_is_divided_and_its_processes_moved(kernel: Kernel) -> None:
    for name in ("user.slice", "user.slice/run-r7.scope"):
        (kernel.root / name).mkdir()
    scope = kernel.root / "user.slice/run-r7.scope"
    (scope / "cgroup.controllers").write_text("cpu memory pids cpuset")
    (scope / "cgroup.procs").write_text("11 12 13")
    found = hierarchies.find(proc(kernel, "/user.slice/run-r7.scope"))
    assert found == (Hierarchy(2, scope, ALL),)
    assert set((scope / "cgroup.subtree_control").read_text().split()) == {
        "memory",
        "pids",
        "cpuset",
    }
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


def test_the_limits_of_v2(kernel: Kernel, monkeypatch: pytest.MonkeyPatch) -> None:
    found = hierarchies.find(proc(kernel, "/"))
    monkeypatch.setattr(cgroups, "usable", lambda: found)
    group = Group.create(memory_mb=100, processes=20, cores=(1, 3))
    assert group is not None
    (folder,) = kernel.root.glob("arena-*")
    assert group.holds == {Guarantee.MEMORY, Guarantee.PROCESSES, Guarantee.CPU}
    values = {
        "memory.max": str(100 * 2**20), "memory.swap.max": "0", "memory.oom.group": "1",
        "pids.max": "20", "cpuset.cpus": "1,3",
    }  # fmt: skip
    assert {name: (folder / name).read_text() for name in values} == values
    (folder / "memory.stat").write_text("anon 5000\nfile 70\nshmem 60\n")
    (folder / "memory.events").write_text("low 0\noom 3\noom_kill 2\n")
    (folder / "memory.peak").write_text("6000\n")
    (folder / "cpu.stat").write_text("usage_usec 1500\nuser_usec 9\n")
    assert (group.memory_bytes(), group.peak_bytes()) == (5060, 6000)
    assert (group.oom_kills(), group.cpu_ms()) == (2, 1.5)
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
    assert Group.create(64, 20, (0,)) is None
    shown = {thing.what: thing for thing in cgroups.available()}
    assert set(shown) == {"memory", "processes", "cpu", "freeze"}
    assert all(thing.where is None for thing in shown.values())
    assert "/proc/self cannot be written" in (shown["memory"].missing or "")
    assert "Delegate=yes arena run" in (shown["processes"].missing or "")


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


def test_limits_of_v1_in_the_order_the_system_wants(tmp_path: Path) -> None:
    (tmp_path / "cpuset.effective_mems").write_text("0-1\n")
    (tmp_path / "cpuset.effective_cpus").write_text("0-7\n")
    part = Hierarchy(1, tmp_path, ("memory", "cpuset"))
    memory = [name for name, _, _ in cgroups.limits(part, "memory", 1, None, None)]
    assert memory == ["memory.limit_in_bytes", "memory.memsw.limit_in_bytes", "memory.swappiness"]
    names = ["cpuset.mems", "cpuset.sched_load_balance", "cpuset.cpus"]
    for cores, written in ((None, "0-7"), ((2, 4), "2,4")):
        limits = list(cgroups.limits(part, "cpuset", None, None, cores))
        assert [name for name, _, _ in limits] == names
        assert (limits[0][1], limits[2][1]) == ("0-1", written)
