"""Which sandbox is chosen, how each guarantee is held, and what is said of those that are not."""

import os
import sys
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import pytest

from arena.errors import SandboxError
from arena.model.containment import Guarantee, Mode
from arena.model.contender import Prepared
from arena.sandbox import features, probe
from arena.sandbox.canary import CanaryError, Findings
from arena.sandbox.features import Features
from arena.sandbox.probe import attempts, resolve
from tests.sandbox.ordinary import run_as_ordinary_user

PLAYER = Prepared(name="player", command=(sys.executable,))
HERE = features.detect()
ALL = Features(bwrap="/usr/bin/bwrap", landlock=7, seccomp="x86_64", root=True)
GROUPS = frozenset({Guarantee.MEMORY, Guarantee.PROCESSES, Guarantee.CPU})
Canaries = dict[Mode, Findings | str]


def findings(
    *broken: Guarantee, bounded: frozenset[Guarantee] = GROUPS, user_kept: str | None = None
) -> Findings:
    breaches = {one: ("do it",) if one in broken else () for one in Guarantee}
    return Findings(breaches, bounded, Guarantee.MEMORY in bounded, user_kept)


@pytest.fixture
def canaries(monkeypatch: pytest.MonkeyPatch) -> Canaries:
    """What canaries come back with, by mode, without sending any."""
    results: Canaries = {"bwrap": findings(), "limits": findings()}
    monkeypatch.setattr(probe, "_findings", lambda mode, *more: results[mode])
    return results


def test_none_promises_nothing() -> None:
    held = resolve("none", PLAYER)
    assert held.mode == "none"
    assert set(held.by) == set(Guarantee)
    assert set(held.by.values()) == {None}
    assert "not contained" in held.notes[0]


def test_auto_is_bubblewrap_where_it_holds_everything(canaries: Canaries) -> None:
    held = resolve("auto", PLAYER, ALL)
    assert held.mode == "bwrap"
    assert held.notes == ()
    assert held.by == {
        Guarantee.MEMORY: "cgroup",
        Guarantee.PROCESSES: "cgroup",
        Guarantee.CPU: "cpuset",
        Guarantee.NETWORK: "namespace",
        Guarantee.FILES: "bwrap",
        Guarantee.DISK: "tmpfs",
        Guarantee.PIDS: "namespace",
        Guarantee.UID: "own user",
    }


def test_auto_takes_limits_only_where_they_hold_more(canaries: Canaries) -> None:
    canaries["bwrap"] = findings(Guarantee.UID)
    canaries["limits"] = findings(Guarantee.UID)
    assert resolve("auto", PLAYER, ALL).mode == "bwrap"
    canaries["limits"] = findings()
    assert resolve("auto", PLAYER, ALL).mode == "limits"
    canaries["limits"] = "it failed"
    assert resolve("auto", PLAYER, ALL).mode == "bwrap"


@pytest.mark.parametrize(("root", "tries"), [(False, 3), (True, 1)])
def test_an_ordinary_users_limits_are_tried_again(
    root: bool, tries: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another program of that user, such as a second job of a CI, took the processes."""
    failed = [CanaryError(f"no process at try {number}.") for number in range(1, tries + 1)]
    probe_once = Mock(side_effect=[*failed[1:], findings(), *failed])
    monkeypatch.setattr(probe.canary, "probe", probe_once)
    asked = ("limits", 0, replace(ALL, root=root), ())
    assert probe._findings.__wrapped__(*asked) == findings()
    assert probe._findings.__wrapped__(*asked) == f"no process at try {tries}"


def test_auto_says_first_which_attacks_remain_open(canaries: Canaries) -> None:
    canaries["limits"] = findings(Guarantee.DISK, bounded=frozenset())._replace(sees_others=True)
    held = resolve("auto", PLAYER, replace(ALL, bwrap=None, cgroups=False))
    assert held.notes[0] == (
        "Without bubblewrap and control groups a player can still do it; take more memory than its "
        "limit until the referee sees it, or hide it as shared memory; see sizes and times of "
        "files that it cannot read."
    )
    assert held.by[Guarantee.FILES] == "landlock"
    (note,) = [note for note in held.notes[1:] if note.startswith("files")]
    assert note.startswith("files: a player can see sizes and times")
    canaries["limits"] = findings()
    assert "still" not in resolve("auto", PLAYER, replace(ALL, bwrap=None)).notes[0]


@pytest.mark.parametrize(
    ("mode", "uid", "bounded", "told"),
    [
        ("limits", "same", frozenset(), True),
        ("limits", "same", frozenset({Guarantee.PROCESSES}), False),
        ("limits", "own", frozenset(), False),
        ("bwrap", "same", frozenset(), False),
    ],
)
def test_players_of_one_user_share_their_processes(
    mode: Mode, uid: str, bounded: frozenset[Guarantee], told: bool, canaries: Canaries
) -> None:
    missing = (Guarantee.UID,) if uid == "same" else ()
    canaries[mode] = findings(*missing, bounded=bounded)
    held = resolve(mode, PLAYER, replace(ALL, root=False))
    assert held.by[Guarantee.PROCESSES] == ("cgroup" if bounded else "rlimit")
    notes = [
        note for note in held.notes if note.startswith("processes: the processes of all players")
    ]
    assert bool(notes) is told


def test_every_attack_is_reported_held_or_not(canaries: Canaries) -> None:
    canaries["limits"] = findings()._replace(
        breaches=dict.fromkeys(Guarantee, ()) | {Guarantee.CPU: ("move to other cores",)}
    )
    told = attempts("limits", PLAYER, ALL)
    assert told.keys() == set(Guarantee)
    assert told[Guarantee.CPU]["move to other cores"] is False
    assert sum(not held for tried in told.values() for held in tried.values()) == 1
    canaries["limits"] = "it cannot be started"
    assert attempts("limits", PLAYER, ALL) == {}


def test_auto_says_why_it_is_not_bubblewrap(canaries: Canaries) -> None:
    held = resolve("auto", PLAYER, replace(ALL, bwrap=None))
    assert held.mode == "limits"
    assert "not installed. Install bubblewrap (apt" in held.notes[0]
    canaries["bwrap"] = "bwrap: No permissions to create new namespace"
    held = resolve("auto", PLAYER, ALL)
    assert held.mode == "limits"
    assert held.notes[0].startswith(
        "bubblewrap cannot be used here: bwrap: No permissions to create new namespace. "
    )
    assert held.by[Guarantee.NETWORK] == "seccomp"
    assert held.by[Guarantee.FILES] == "landlock"


def test_bubblewrap_asked_for_and_not_to_be_had(canaries: Canaries) -> None:
    with pytest.raises(SandboxError, match="not installed"):
        resolve("bwrap", PLAYER, replace(ALL, bwrap=None))
    canaries["bwrap"] = "it failed"
    with pytest.raises(SandboxError, match=r"cannot be used here: it failed\.$"):
        resolve("bwrap", PLAYER, ALL)
    canaries["limits"] = "it failed"
    for asked in ("limits", "auto"):
        with pytest.raises(SandboxError, match="within limits here: it failed"):
            resolve(asked, PLAYER, ALL)


@pytest.mark.parametrize("guarantee", Guarantee)
@pytest.mark.parametrize("mode", ["bwrap", "limits"])
def test_what_was_broken_is_not_held_and_is_reported(
    guarantee: Guarantee, mode: Mode, canaries: Canaries
) -> None:
    canaries[mode] = findings(guarantee)
    held = resolve(mode, PLAYER, ALL)
    assert [one for one, way in held.by.items() if way is None] == [guarantee]
    (note,) = held.notes
    assert note.startswith(f"{guarantee} is not held: a player could do it.")
    assert note.endswith(".")


def test_without_control_groups(canaries: Canaries) -> None:
    canaries["limits"] = findings(bounded=frozenset())
    held = resolve("limits", PLAYER, replace(ALL, cgroups=False))
    assert held.by[Guarantee.MEMORY] == "watched"
    assert held.by[Guarantee.PROCESSES] == "rlimit"
    assert held.by[Guarantee.CPU] == "seccomp"
    (note,) = held.notes
    assert note.startswith("memory is watched by the referee")


def test_without_a_memory_limit_memory_is_not_held(canaries: Canaries) -> None:
    held = resolve("limits", PLAYER.model_copy(update={"memory_mb": None}), ALL)
    assert held.by[Guarantee.MEMORY] is None
    assert held.notes == ("memory is not held: memory_mb sets no limit.",)


def test_what_would_bring_a_user_is_reported(canaries: Canaries) -> None:
    canaries["limits"] = findings(Guarantee.UID, user_kept="/root/bot")
    (note,) = resolve("limits", PLAYER, ALL).notes
    assert "/root/bot is in a folder that only some users may enter" in note
    (note,) = resolve("limits", PLAYER, replace(ALL, root=False)).notes
    assert "Start the arena as root" in note


def test_others_processes_are_kept_by_what_there_is(canaries: Canaries) -> None:
    assert resolve("limits", PLAYER, ALL).by[Guarantee.PIDS] == "landlock"
    older = replace(ALL, landlock=5)
    assert resolve("limits", PLAYER, older).by[Guarantee.PIDS] == "own user"


def test_a_players_own_closed_files_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where root cannot show them, they keep the player from having a user of its own."""
    asked: list[tuple[str, ...]] = []

    def fake(mode: Mode, core: int, of: Features, readable: tuple[str, ...]) -> Findings:
        asked.append(readable)
        return findings()

    monkeypatch.setattr(probe, "_findings", fake)
    monkeypatch.setattr(probe, "mounts_possible", lambda: False)
    player = Prepared(name="player", command=(sys.executable,), cwd=str(Path(__file__).parent))
    resolve("limits", player, ALL)
    assert str(Path(__file__).resolve().parent) in asked[-1]
    resolve("limits", player, replace(ALL, root=False))
    resolve("limits", Prepared(name="player", command=("no such program",)), ALL)
    assert asked[1:] == [(), ()]


@pytest.mark.skipif(
    HERE.landlock < 6 or HERE.seccomp is None, reason="needs Landlock 6 and seccomp"
)
def test_limits_on_this_machine() -> None:
    """No bubblewrap on the PATH: limits, and precisely what they hold."""
    held = resolve("auto", PLAYER, replace(HERE, bwrap=None))
    assert held.mode == "limits"
    assert held.by[Guarantee.NETWORK] == "seccomp"
    assert held.by[Guarantee.FILES] == "landlock"
    assert held.by[Guarantee.PIDS] == "landlock"
    own = HERE.root and probe.mounts_possible()
    assert held.by[Guarantee.DISK] == ("tmpfs" if own else None)
    assert (held.by[Guarantee.UID] is None) == (not HERE.root)
    assert held.by[Guarantee.MEMORY] in ("cgroup", "watched")
    bare = resolve("limits", PLAYER, replace(HERE, bwrap=None, landlock=0, seccomp=None))
    assert bare.by[Guarantee.NETWORK] is None
    assert bare.by[Guarantee.FILES] is None


def test_the_path_decides_whether_there_is_bubblewrap(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    features.detect.cache_clear()
    try:
        with pytest.raises(SandboxError, match="not installed"):
            resolve("bwrap", PLAYER)
    finally:
        monkeypatch.undo()
        features.detect.cache_clear()


def test_an_ordinary_user_sees_what_is_missing(tmp_path: Path) -> None:
    code = """
import sys
from arena.sandbox.probe import attempts, resolve
from arena.model.contender import Prepared
held = resolve("limits", Prepared(name="player", command=(sys.executable,)))
print(held.model_dump_json())
"""
    said = run_as_ordinary_user(code, tmp_path)
    assert '"uid":null' in said
    assert '"disk":null' in said
    assert "Start the arena as root" in said
    assert os.geteuid() != 0 or '"memory":"watched"' in said
