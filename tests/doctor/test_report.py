"""What `arena doctor` writes of a machine, and how it looks for programs and kernels."""

import io
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

import rules
from arena.doctor import facts
from arena.doctor.facts import Facts, Kernels, PackagedGame, Tool, TriedSandbox
from arena.errors import SandboxError
from arena.model.containment import Guarantee, Held
from arena.model.record import Host
from arena.sandbox.cgroups import ControlGroup
from players.compiled.folder import cache_folder

HELD = Held(
    mode="limits",
    by={each: "landlock" if each in facts.NEEDED else None for each in Guarantee},
    notes=("cpu is not held: so it is.",),
)
FOUND = Facts(
    host=Host(name="head", system="Linux", cpu="a CPU", cores=8, python="3.11.7", arena="1.0"),
    kernel="6.1",
    user=0,
    cores=(0, 3),
    quota=None,
    memory_mb=8000,
    available_mb=7000,
    sandboxes=(
        TriedSandbox(mode="bwrap", held=None, reason="It is not installed."),
        TriedSandbox(
            mode="limits",
            held=HELD,
            attacks={
                Guarantee.FILES: {"read": True, "list": True},
                Guarantee.CPU: {"spin": False},
                Guarantee.PIDS: {"fork": True, "kill": False},
            },
        ),
    ),
    control_groups=(
        ControlGroup(what="memory", where="/sys/fs/cgroup", missing=None),
        ControlGroup(what="freeze", where=None, missing=None),
        ControlGroup(what="cpu", where=None, missing="no cpuset"),
    ),
    bubblewrap=None,
    tools=(
        Tool(language="go", program="go", version="go 1.20"),
        Tool(language="rust", program="rustc", version=None),
    ),
    kernels=Kernels(folder="/cache", kernels=12, megabytes=3.5, writable=True),
    games=(),
    delay_ms={0: 0.0, 3: 50.0},
    missing=(),
    warnings=(),
)


def shown(**changes: Any) -> str:
    out = io.StringIO()
    facts.show(FOUND.model_copy(update=changes), Console(file=out, width=40))
    return out.getvalue()


def test_the_report() -> None:
    """Each line whole, also where the terminal is narrower."""
    assert (
        shown()
        == """
This machine
  system      Linux, kernel 6.1, head
  user        root
  cores       2 of 8, a CPU
  memory      8,000 MB, 7,000 available
  arena       1.0, Python 3.11.7
  load        other programs use 0% of core 0, 25% of core 3

Sandboxes, tried just now
  bwrap       It is not installed.
  limits      holds memory (landlock), network (landlock), files (landlock), pids (landlock)
              cpu is not held: so it is.
              files: a player could not read; list
              cpu: a player could spin
              pids: a player could not fork
              pids: a player could kill
  bubblewrap  not installed: apt install bubblewrap, or dnf install bubblewrap

Control groups
  memory      /sys/fs/cgroup
  freeze      not writable
  cpu         no cpuset

What bots are started and built with
  go          go: go 1.20
  rust        rustc: not found; bots that need it cannot play here

Built-in players
  kernels     12 in /cache (3.5 MB)

Programs of strangers can play here.
"""
    )


def test_the_report_of_what_is_rarer() -> None:
    nothing = TriedSandbox(mode="limits", held=Held(mode="limits"))
    said = shown(
        user=1000,
        quota=1.5,
        delay_ms={0: -0.01, 1: 230.0},
        sandboxes=(nothing,),
        bubblewrap="bubblewrap 0.8.0",
        kernels=Kernels(folder="/cache", kernels=0, megabytes=0, writable=False),
        games=(
            PackagedGame(name="hex", package="hex 1.0", compiled=True, wrong=None),
            PackagedGame(name="chomp", package="chomp 2.0", compiled=False, wrong=None),
            PackagedGame(name="go", package="go 3.0", compiled=False, wrong="No module."),
        ),
        warnings=("The cores are busy.",),
        missing=("No sandbox holds anything.",),
    )
    for line in (
        "  user        number 1000, not root",
        "  cores       2 of 8, a CPU; this container may use 1.5 CPUs",
        "  load        other programs use 0% of core 0, 100% of core 1",
        "  limits      holds nothing",
        "  bubblewrap  bubblewrap 0.8.0",
        "  kernels     none in /cache; `arena warm` compiles them, once",
        "              That folder cannot be written: players whose kernels it lacks cannot play. "
        "ARENA_CACHE_DIR names another.",
        "Games of packages",
        "  hex         the package hex 1.0, with compiled code",
        "  chomp       the package chomp 2.0, rules alone: greedy and monkey play it",
        "  go          cannot be played: No module.",
    ):
        assert f"\n{line}\n" in said
    assert said.endswith("\n\nThe cores are busy.\nNo sandbox holds anything.\n")


def held(mode: str, *guarantees: Guarantee) -> TriedSandbox:
    found = Held.model_validate({"mode": mode, "by": dict.fromkeys(guarantees, "cgroup")})
    return TriedSandbox(mode="limits", held=found)


def test_one_sandbox_must_hold_all_that_is_needed() -> None:
    whole, none = held("limits", *facts.NEEDED), TriedSandbox(mode="bwrap", held=None)
    parts = [held("limits", *facts.NEEDED[:2]), held("bwrap", *facts.NEEDED[2:])]
    assert facts._missing((none, whole)) == ()
    (sentence,) = facts._missing((none, *parts))
    assert sentence.startswith("No sandbox holds memory, network, files, pids here: play only")


def test_why_a_sandbox_cannot_be_used_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def resolve(*_: object) -> Held:
        raise SandboxError("It is not installed. Install it.")

    monkeypatch.setattr(facts, "resolve", resolve)
    assert facts._sandbox("bwrap") == TriedSandbox(
        mode="bwrap", held=None, reason="It is not installed. Install it."
    )


@pytest.mark.parametrize(
    ("script", "version"),
    [
        ("echo; echo '  tool 1.2  '; echo more", "tool 1.2"),
        ("echo tool 1.2 >&2", "tool 1.2"),  # as Java says it
        (r"printf 'tool \377'", "tool \ufffd"),
        ("true", "unknown version"),
        ("echo tool 1.2; exit 3", None),
        ("exec sleep 9", None),
    ],
)
def test_a_program_says_its_version_or_counts_as_not_there(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: str, version: str | None
) -> None:
    monkeypatch.setattr(facts, "_PATIENCE_S", 0.2)
    tool = tmp_path / "tool"
    tool.write_text(f"#!/bin/sh\n{script}\n")
    tool.chmod(0o755)
    assert facts._version((str(tool), "--version")) == version


def test_a_program_that_cannot_be_started_is_not_there(tmp_path: Path) -> None:
    tool = tmp_path / "tool"
    tool.write_text("#!/no/such/interpreter\n")
    tool.chmod(0o755)
    assert facts._version((str(tool),)) is None
    assert facts._version((str(tmp_path / "nothing"),)) is None


def test_kernels_are_counted_where_they_are_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ARENA_CACHE_DIR", str(tmp_path / "cache"))
    nothing = facts._kernels()
    assert (nothing.kernels, nothing.writable) == (0, True), "the folder above can be written"
    folder = cache_folder()
    (folder / "deep").mkdir(parents=True)
    (folder / "a.nbc").write_bytes(bytes(1 << 20))
    (folder / "deep" / "b.nbc").write_bytes(bytes(1 << 19))
    (folder / "a.nbi").write_bytes(bytes(1 << 20))
    assert facts._kernels() == Kernels(folder=str(folder), kernels=2, megabytes=1.5, writable=True)


def test_kernels_cannot_be_kept_in_a_folder_of_others(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Whichever of the folders is the nearest that is there."""
    monkeypatch.setenv("ARENA_CACHE_DIR", str(tmp_path))
    asked: list[Path] = []

    def access(path: Path, mode: int) -> bool:
        asked.append(path)
        return not mode & os.X_OK  # a file of one's own, say

    monkeypatch.setattr(os, "access", access)
    assert not facts._kernels().writable
    cache_folder().mkdir(parents=True)
    assert not facts._kernels().writable
    monkeypatch.setenv("ARENA_CACHE_DIR", "/proc/no/cache")
    assert not facts._kernels().writable
    assert asked == [tmp_path, tmp_path / cache_folder().name, Path("/proc")]


def test_kernels_in_a_folder_that_is_closed_are_not_counted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ARENA_CACHE_DIR", str(tmp_path))

    def closed(_: Path) -> bool:
        raise PermissionError

    monkeypatch.setattr(Path, "exists", closed)
    found = facts._kernels()
    assert (found.kernels, found.writable) == (0, False)


def test_games_of_packages_say_whether_they_can_be_played(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = rules.Registration(lambda: rules.load("dots"))
    compiled = replace(plain, kernels="hex.kernels")
    monkeypatch.setattr(rules, "package", lambda name: f"{name} 1.0")
    monkeypatch.setattr(rules, "unusable", {"go": "No module.", "hex": "", "chomp": ""}.get)
    monkeypatch.setattr(rules, "registration", {"hex": compiled, "chomp": plain}.__getitem__)
    assert [facts._game(name) for name in ("hex", "chomp", "go")] == [
        PackagedGame(name="hex", package="hex 1.0", compiled=True, wrong=None),
        PackagedGame(name="chomp", package="chomp 1.0", compiled=False, wrong=None),
        PackagedGame(name="go", package="go 1.0", compiled=False, wrong="No module."),
    ]


@pytest.mark.parametrize(
    ("busy", "more"), [(None, ()), ("The cores are busy.", ("The cores are busy.",))]
)
def test_what_could_be_better_is_a_warning_each(
    monkeypatch: pytest.MonkeyPatch, busy: str | None, more: tuple[str, ...]
) -> None:
    game = PackagedGame(name="hex", package="hex 1.0", compiled=False, wrong=None)
    lacking = TriedSandbox(mode="bwrap", held=None)
    monkeypatch.setattr(facts, "_sandbox", lambda _: lacking)
    monkeypatch.setattr(facts, "_version", lambda words: f"{words[0]} 1")
    monkeypatch.setattr(facts, "_game", {"hex": game}.get)
    monkeypatch.setattr(facts, "_kernels", lambda: FOUND.kernels)
    monkeypatch.setattr(facts, "scheduling_delay", lambda *_: {})
    monkeypatch.setattr(facts, "delay_warning", lambda *_: busy)
    monkeypatch.setattr(rules, "names", lambda: (*rules.GAMES, "hex"))
    monkeypatch.setattr(rules, "misnamed", lambda: ("hex is misnamed",))
    monkeypatch.setattr(rules, "slow", lambda: ("hex is slow",))
    found = facts.facts()
    assert found.warnings == (*more, "hex is misnamed.", "hex is slow.")
    assert found.missing == facts._missing((lacking,)) != ()
    assert (found.games, found.bubblewrap) == ((game,), "bwrap 1")
    assert found.memory_mb == os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20


@pytest.mark.parametrize(
    ("zone", "known"),
    [
        ("", True),
        ("UTC", True),
        (":There", True),
        ("<+03>-3", True),
        ("CET-1CEST,M3.5.0/2,M10.5.0/3", True),
        ("Nowhere/City", False),
        ("Etc/GMT+5", False),
        (":/missing", False),
    ],
)
def test_a_time_zone_that_is_not_there_is_a_warning(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, zone: str, known: bool
) -> None:
    monkeypatch.setenv("TZDIR", str(tmp_path))
    (tmp_path / "There").touch()
    told = "".join(facts._time_zone(zone))
    assert told.startswith(f"The time zone {zone.lstrip(':')} of TZ is not") is not known
