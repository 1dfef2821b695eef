"""What control groups leave of a machine."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.sandbox.features import (
    available_memory,
    cpu_quota,
    oom_kills,
    refused_processes,
    usable_cores,
)

Write = Callable[..., None]


@pytest.fixture(params=[1, 2])
def version(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture
def proc(version: int, tmp_path: Path) -> Path:
    """Of a process in the group a/b, of which each mount shows all."""
    kind = {1: "cgroup cgroup rw,memory,cpu,pids", 2: "cgroup2 cgroup rw"}[version]
    (tmp_path / "mountinfo").write_text(f"9 1 0:1 / {tmp_path}/all rw - {kind}\n")
    (tmp_path / "cgroup").write_text({1: "3:cpu,memory,pids:/a/b\n", 2: "0::/a/b\n"}[version])
    (tmp_path / "all" / "a" / "b").mkdir(parents=True)
    return tmp_path


@pytest.fixture
def write(version: int, proc: Path) -> Write:
    """Writes files of a group of that version."""

    def write(group: str, files: dict[int, dict[str, str]]) -> None:
        for name, text in files[version].items():
            (proc / "all" / group / name).write_text(text)

    return write


def memory(limit: str, used: int, files: int) -> dict[int, dict[str, str]]:
    return {
        1: {
            "memory.limit_in_bytes": limit.replace("max", str(2**63 - 4096)),
            "memory.usage_in_bytes": f"{used}\n",
            "memory.stat": f"inactive_file 0\ntotal_inactive_file {files}\n",
        },
        2: {
            "memory.max": limit,
            "memory.current": f"{used}\n",
            "memory.stat": f"anon 12288\ninactive_file {files}\n",
        },
    }


def quota(us: int) -> dict[int, dict[str, str]]:
    return {
        1: {"cpu.cfs_quota_us": f"{us}\n", "cpu.cfs_period_us": "100000\n"},
        2: {"cpu.max": f"{'max' if us < 0 else us} 100000\n"},
    }


def test_the_memory_left_is_that_of_the_narrowest_group_around(proc: Path, write: Write) -> None:
    assert available_memory(proc) > 2**20
    write("a/b", memory("max\n", 14336, 0))
    assert available_memory(proc) > 2**20
    write("a", memory("32768\n", 14336, 2048))
    assert available_memory(proc) == 32768 - 14336 + 2048
    write("a/b", memory("16384\n", 14336, 2048))
    assert available_memory(proc) == 4096


def test_the_cores_are_cut_to_the_least_quota_around(proc: Path, write: Write) -> None:
    every = tuple(sorted(os.sched_getaffinity(0)))
    assert (usable_cores(proc), cpu_quota(proc)) == (every, None)
    write("a/b", quota(-1))
    assert (usable_cores(proc), cpu_quota(proc)) == (every, None)
    write("a", quota(150_000))
    assert (usable_cores(proc), cpu_quota(proc)) == (every[:1], 1.5)
    write("a/b", quota(50_000))
    assert (usable_cores(proc), cpu_quota(proc)) == (every[:1], 0.5)


def test_processes_are_counted_that_any_limit_around_refused(proc: Path, write: Write) -> None:
    assert refused_processes(proc) == 0
    for number, group in enumerate(("a", "a/b"), 1):
        told = {"pids.events": f"max {number}\n"}
        write(group, {1: told, 2: told})
    assert refused_processes(proc) == 3


def test_processes_that_a_player_was_refused_by_its_own_limit_do_not_count(
    proc: Path, write: Write
) -> None:
    """v2 counts them in the groups around it, too, but not in what is local there."""
    local = {"pids.events": "max 9\n", "pids.events.local": "max 2\n"}
    write("a/b", {1: {"pids.events": "max 2\n"}, 2: local})
    assert refused_processes(proc) == 2


def test_processes_are_counted_that_the_groups_around_lost_to_memory(
    proc: Path, write: Write
) -> None:
    """v2 counts there those that players lose to their own limits, too, but not as local."""
    assert oom_kills(proc) == 0
    v1 = {"memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n"}
    v2 = {"memory.events": "oom_kill 9\n", "memory.events.local": "oom 1\noom_kill 2\n"}
    write("a/b", {1: v1, 2: v2})
    assert oom_kills(proc) == 2


def test_a_mount_that_does_not_show_our_group_shows_what_is_around_it(
    proc: Path, write: Write
) -> None:
    mount = proc / "mountinfo"
    mount.write_text(mount.read_text().replace(" / ", " /other ", 1))
    write("", quota(50_000))
    assert cpu_quota(proc) == 0.5
