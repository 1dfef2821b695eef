"""The canary breaks what is not held, and finds held what is; nothing of it is left."""

import json
import os
import subprocess
import sys
import uuid
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import psutil
import pytest

from arena.model.containment import Guarantee, Mode
from arena.sandbox import canary, features, mounts
from arena.sandbox.canary import CanaryError, CanaryTargets, Findings, probe
from arena.sandbox.features import Features
from tests.sandbox.ordinary import run_as_ordinary_user

pytestmark = pytest.mark.slow

HERE = features.detect()
CORES = (min(os.sched_getaffinity(0)),)
BWRAP = pytest.mark.skipif(HERE.bwrap is None, reason="bubblewrap is not installed")
FULL = pytest.mark.skipif(
    not (HERE.root and mounts.mounts_possible() and HERE.landlock >= 6 and HERE.seccomp),
    reason="needs root that can make mounts, Landlock 6 and seccomp",
)


def broken(findings: Findings) -> set[str]:
    return {guarantee.value for guarantee, could in findings.breaches.items() if could}


def test_bare_it_breaks_everything() -> None:
    """The proof that the acts are real."""
    findings = probe("none", CORES, HERE)
    assert broken(findings) == {g.value for g in Guarantee}
    assert len(findings.breaches[Guarantee.NETWORK]) >= 4  # no route on a machine without a network
    assert len(findings.breaches[Guarantee.PIDS]) == 3
    assert len(findings.breaches[Guarantee.FILES]) >= 5  # keys and queues are not everywhere
    for guarantee, act in (
        (Guarantee.MEMORY, "memory_file"), (Guarantee.PROCESSES, "orphan"),
        (Guarantee.CPU, "wake"), (Guarantee.FILES, "system_v"),
        (Guarantee.FILES, "environment"),
    ):  # fmt: skip
        assert canary.BREACHES[guarantee][act] in findings.breaches[guarantee]
    assert not findings.ended_for_memory
    assert findings.bounded == frozenset()


@pytest.mark.parametrize("first", ["", "sleep 2 & "])
def test_it_says_why_it_could_take_no_memory(first: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where it may start no process; it has ended, and is not waited for, nor is a process that
    it left.
    """
    monkeypatch.setattr(canary, "_PATIENCE_S", 1)
    monkeypatch.setattr(canary, "_COUNTED_S", 0.1)
    command = ("/bin/sh", "-c", f"{first}read line; echo cannot fork. >&2; exit 1")
    pipe = subprocess.PIPE
    with (
        subprocess.Popen(command, 0, stdin=pipe, stdout=pipe, stderr=pipe) as process,
        pytest.raises(CanaryError, match="was to take memory, cannot fork"),
    ):
        canary._ends_a_hog(Mock(out_of_memory=lambda: False), process)


@FULL
@pytest.mark.parametrize("mode", ["limits", pytest.param("bwrap", marks=BWRAP)])
def test_with_all_means_it_breaks_nothing(mode: Mode) -> None:
    findings = probe(mode, CORES, HERE)
    assert broken(findings) == set()
    assert findings.ended_for_memory == (Guarantee.MEMORY in findings.bounded)


@FULL
@pytest.mark.parametrize(
    ("without", "breaks"),
    [
        ({"landlock": 0}, {"files", "disk"}),
        ({"seccomp": None}, {"files", "network", "uid"}),  # of files, the referee's keys
        ({"root": False}, {"disk", "uid"}),
        ({"cgroups": False}, set()),  # watched, by rlimit, by seccomp
        ({"cgroups": False, "seccomp": None}, {"cpu", "files", "memory", "network", "uid"}),
    ],
    ids=lambda value: "-".join(sorted(value)) or "nothing",
)
def test_what_is_left_out_is_broken(without: dict[str, object], breaks: set[str]) -> None:
    """A guarantee that nothing holds is never reported as held."""
    findings = probe("limits", CORES, replace(HERE, **without))
    assert broken(findings) == breaks
    if not replace(HERE, **without).cgroups:
        assert findings.bounded == frozenset()
        assert not findings.ended_for_memory


USER = """
import json, os
from dataclasses import replace
from arena.sandbox import canary, features
here = replace(features.detect(), cgroups=False)
said = {}
for name, mode, without in (
    ("none", "none", {}), ("limits", "limits", {}), ("no landlock", "limits", {"landlock": 0}),
    ("no scopes", "limits", {"landlock": min(5, here.landlock)}),
    ("no seccomp", "limits", {"seccomp": None}), ("bwrap", "bwrap", {}),
):
    try:
        findings = canary.probe(mode, (min(os.sched_getaffinity(0)),), replace(here, **without))
        said[name] = sorted(guarantee for guarantee, could in findings.breaches.items() if could)
    except canary.CanaryError as error:
        said[name] = str(error)
print(json.dumps(said))
"""


@pytest.mark.skipif(
    HERE.landlock < 6 or HERE.seccomp is None, reason="needs Landlock 6 and seccomp"
)
def test_as_an_ordinary_user(tmp_path: Path) -> None:
    said = json.loads(run_as_ordinary_user(USER, tmp_path))
    assert said["none"] == sorted(guarantee.value for guarantee in Guarantee)
    assert said["limits"] == ["disk", "uid"]
    assert said["no landlock"] == ["disk", "files", "pids", "uid"]
    assert said["no scopes"] == ["disk", "pids", "uid"]
    # The filter alone keeps it from the modes of files, the priorities of others, its own tree.
    assert said["no seccomp"] == sorted(guarantee.value for guarantee in Guarantee)
    if HERE.bwrap is not None and isinstance(said["bwrap"], list):
        assert said["bwrap"] == ["uid"]


def test_nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even in mode `none`, which knows nothing of what was forked far away."""
    mark = uuid.uuid4()  # other workers' canaries have other marks
    monkeypatch.setattr("uuid.uuid4", lambda: mark)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    (tmp_path / "home").mkdir()
    monkeypatch.chdir(tmp_path)
    tmp_path.chmod(0o755)
    files = sorted(Path("/proc/self/fd").iterdir())
    before = set(psutil.Process().children(recursive=True))  # of other tests, in any state
    probe("none", CORES, HERE)
    probe("limits", CORES, HERE)
    assert [path.name for path in tmp_path.rglob("*")] == ["home"]
    assert set(psutil.Process().children(recursive=True)) <= before
    assert not [
        process.info["cmdline"]
        for process in psutil.process_iter(["cmdline"])
        if any(mark.hex in word for word in process.info["cmdline"] or ())
    ]
    for folder in ("/tmp", "/var/tmp", "/dev/shm"):
        assert not list(Path(folder).glob(f"*{mark.hex}*"))
    assert sorted(Path("/proc/self/fd").iterdir()) == files


def test_a_killed_trial_leaves_nothing_open_and_nothing_for_long(tmp_path: Path) -> None:
    code = f"""
import os, signal, tempfile
from contextlib import ExitStack
from arena.sandbox.canary import CanaryTargets
tempfile.tempdir = {str(tmp_path)!r}
CanaryTargets(ExitStack())
os.kill(os.getpid(), signal.SIGKILL)
"""
    subprocess.run((sys.executable, "-c", code), check=False)
    (left,) = tmp_path.iterdir()
    assert left.stat().st_mode & 0o777 == 0o700
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tempfile.tempdir", str(tmp_path))
        probe("limits", CORES, HERE)
    assert not list(tmp_path.iterdir())


def test_a_sandbox_in_which_it_cannot_start_is_reported() -> None:
    broken_bwrap = Features(bwrap="/bin/false", landlock=0, seccomp=None)
    with pytest.raises(CanaryError, match="exit code 1"):
        probe("bwrap", CORES, broken_bwrap)


def test_a_user_may_have_no_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOME")
    monkeypatch.setattr("pwd.getpwuid", Mock(side_effect=KeyError))
    with ExitStack() as stack:
        assert "/tmp" in CanaryTargets(stack).described["folders"]


def test_a_path_that_is_too_long_for_sockets_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = tmp_path / ("d" * 100)
    deep.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(deep))
    with pytest.raises(CanaryError, match=r"ddd/arena.*: AF_UNIX path too long; .* TMPDIR"):
        probe("limits", CORES, HERE)
    assert not list(deep.iterdir())


def test_acts_that_crash_are_no_proof(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who says nothing has not been held."""
    acts = tmp_path / "acts.py"
    acts.write_text("raise SystemExit('the acts broke')\n")
    tmp_path.chmod(0o755)
    monkeypatch.setattr(canary.canary_acts, "__file__", str(acts))
    with pytest.raises(CanaryError, match="the acts broke"):
        probe("none", CORES, HERE)
