"""Groups as this machine has them, with real processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from arena.model.containment import Guarantee
from arena.sandbox import cgroups, hierarchies
from arena.sandbox.cgroups import Group
from arena.sandbox.hierarchies import Hierarchy

pytestmark = pytest.mark.slow

PYTHON = (sys.executable, "-I", "-S", "-c")
SERVED = {control: part for part in cgroups.usable() for control in part.serves}


def needs(*controls: str) -> pytest.MarkDecorator:
    missing = [control for control in controls if control not in SERVED]
    return pytest.mark.skipif(bool(missing), reason=f"no writable control group for {missing}")


@pytest.fixture
def run() -> Iterator[CgroupRun]:
    run = CgroupRun()
    yield run
    run.close()


class CgroupRun:
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
        group = Group.create(cgroups.Bounds(memory_mb, processes, cores))
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
def test_all_that_was_forked_away_is_ended(run: CgroupRun) -> None:
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
def test_frozen_it_uses_no_cpu(
    version: int, run: CgroupRun, monkeypatch: pytest.MonkeyPatch
) -> None:
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


CROWD = """
import os
for number in range(30):
    if not os.fork():
        while True:
            pass
print("all", flush=True)
input()
"""


@needs("cpu", "cpuacct")
def test_a_crowd_has_the_time_of_one_program_next_to_it(run: CgroupRun) -> None:
    ours = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(ours)})
    try:
        group = run.group()
        crowd = run.start(group, CROWD)
        assert crowd.stdout is not None and crowd.stdout.readline() == "all\n"
        one = subprocess.Popen((*PYTHON, "while True: pass"), start_new_session=True)
    finally:
        os.sched_setaffinity(0, ours)
    with one:
        theirs, its = group.cpu_ms() or 0, psutil.Process(one.pid).cpu_times().user
        time.sleep(0.5)
        theirs_ms = (group.cpu_ms() or 0) - theirs
        its_ms = 1000 * (psutil.Process(one.pid).cpu_times().user - its)
        one.kill()
    assert theirs_ms < 3 * its_ms, "equal but for chance"


@needs("memory")
def test_memory_is_held_and_its_end_is_reported(run: CgroupRun) -> None:
    group = run.group(memory_mb=48)
    assert group.bounds == {Guarantee.MEMORY}
    code = "x = bytearray(16 << 20); print(flush=True); input(); x = bytearray(99 << 20)"
    child = run.start(group, code)
    assert child.stdout is not None and child.stdout.readline() == "\n"
    assert 16 << 20 <= (group.memory_bytes() or 0) <= 48 << 20
    assert group.oom_kills() == 0
    child.communicate("\n")
    assert child.returncode == -signal.SIGKILL
    assert group.oom_kills() >= 1 and group.was_full()
    assert (group.peak_bytes() or 0) >= 16 << 20


@needs("memory")
def test_memory_that_ends_around_a_group_is_not_its_own(
    run: CgroupRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    outer, part = run.group(memory_mb=48), SERVED["memory"]
    around = outer._parts[part]
    if part.version == 2:
        hierarchies.write(around / "cgroup.subtree_control", "+memory")
    part = part._replace(folder=around, serves=("memory",))
    monkeypatch.setattr(cgroups, "usable", lambda: (part,))
    group = run.group(memory_mb=96)
    run.groups.reverse()  # it goes before the one around it
    child = run.start(group, "x = bytearray(99 << 20)")
    child.communicate()
    assert child.returncode == -signal.SIGKILL
    assert group.oom_kills() >= 1 and not group.was_full()


FORKS = """
import os
n = 0
while True:
    try:
        if os.fork() == 0: os.read(0, 1); os._exit(0)
        n += 1
    except BlockingIOError: break
print(n, flush=True)
"""


@needs("pids")
def test_processes_are_counted_with_threads(run: CgroupRun) -> None:
    group = run.group(processes=5)
    assert group.bounds == {Guarantee.PROCESSES}
    child = run.start(group, FORKS)
    assert child.stdout is not None and child.stdout.readline() == "4\n"
    assert not group.was_refused_processes(), "its own limit"


@needs("pids")
@pytest.mark.skipif(
    "pids" in SERVED and SERVED["pids"].version == 2, reason="v2 counts it in the group around"
)
def test_processes_that_a_limit_around_a_group_refuses_are_told_apart(
    run: CgroupRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    outer, part = run.group(processes=4), SERVED["pids"]
    part = part._replace(folder=outer._parts[part], serves=("pids",))
    monkeypatch.setattr(cgroups, "usable", lambda: (part,))
    group = run.group(processes=50)
    run.groups.reverse()  # it goes before the one around it
    if not (group._parts[part] / "pids.peak").exists():
        pytest.skip("a newer Linux tells how many there were")
    child = run.start(group, FORKS)
    assert child.stdout is not None and child.stdout.readline() == "3\n"
    assert group.was_refused_processes()


@needs("cpuset")
def test_cores_cannot_be_left(run: CgroupRun) -> None:
    core = min(os.sched_getaffinity(0))
    group = run.group(cores=(core,))
    assert group.bounds == {Guarantee.CPU}
    every = range(os.cpu_count() or 1)
    code = f"import os; os.sched_setaffinity(0, {set(every)}); print(os.sched_getaffinity(0))"
    assert run.start(group, code).communicate()[0] == f"{ {core} }\n"


REFEREE = """
import subprocess, sys, time
from arena.sandbox.cgroups import Bounds, Group
group = Group.create(Bounds(64, 20))
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
    hierarchies.sweep()
    assert len(groups_of(referee.pid)) == len(cgroups.usable()), "a living referee keeps its groups"
    os.kill(player, 0)
    referee.kill()
    referee.communicate(timeout=10)
    hierarchies.sweep()
    assert groups_of(referee.pid) == []
    assert not Path(f"/proc/{player}/exe").exists()


def groups_of(pid: int) -> list[Path]:
    return [found for part in cgroups.usable() for found in part.folder.glob(f"arena-{pid}-*")]


def test_a_referee_is_not_taken_for_another_that_had_its_pid() -> None:
    name = hierarchies.new_name()
    assert not hierarchies._abandoned(name)
    pid, started, namespace, number = name.removeprefix("arena-").split("-")
    assert hierarchies._abandoned(f"arena-{pid}-{int(started) - 1}-{namespace}-{number}")
    # of another container: dead or not, that cannot be seen from here
    assert not hierarchies._abandoned(f"arena-{pid}-{int(started) - 1}-1-{number}")
