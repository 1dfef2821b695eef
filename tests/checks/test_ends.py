"""Processes that a program leaves, how long its end is waited for, and what a package lacks."""

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from arena.checks import start_stop
from arena.checks.modules import Import, PythonFound
from arena.checks.result import CheckFinding
from arena.errors import BuildError, ManifestError, PackageError, Problem

PROGRAM, OLD, LEFT, ITS_OWN, ENDED = 10, 3, 20, 21, 22
COMMANDS = {OLD: "other", PROGRAM: "bot", LEFT: "sleep 60", ITS_OWN: "helper", ENDED: ""}


@pytest.mark.parametrize(
    ("orphans", "said"),
    [
        ([], None),
        ([ENDED], None),
        ([ITS_OWN], "it leaves a process behind: helper"),
        ([LEFT, ENDED], "it leaves 2 processes behind: sleep 60"),
    ],
)
def test_all_that_is_left_is_counted_and_nothing_else(
    orphans: list[int], said: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = iter([{OLD}, {OLD, PROGRAM, *orphans}])
    monkeypatch.setattr(start_stop, "children", lambda _=None: next(now))
    monkeypatch.setattr(start_stop, "tree", lambda pid: [LEFT, ITS_OWN] if pid == LEFT else [pid])
    monkeypatch.setattr(start_stop, "_command", COMMANDS.__getitem__)
    monkeypatch.setattr(start_stop, "_play", lambda *_: None)
    monkeypatch.setattr(start_stop, "_wait_for_end", lambda pid: None)
    process = SimpleNamespace(pid=PROGRAM)
    asked = list[str]()
    dialogue = SimpleNamespace(
        process=process,
        send_quit=lambda: asked.append("quit"),
        close_stdin=lambda: asked.append("end of stdin"),
    )
    held = SimpleNamespace(mode="none")
    subject: Any = SimpleNamespace(held=held, process=lambda: nullcontext(dialogue))
    found = start_stop.no_strays(subject)
    assert (found.passed, found.detail) == (said is None, said or "no process is left behind")
    assert asked == ["quit", "end of stdin"]


@contextmanager
def running(*command: str) -> Iterator[subprocess.Popen[bytes]]:
    """A program that has begun, ended afterwards."""
    with subprocess.Popen(command) as program:
        try:
            while not start_stop._command(program.pid):
                time.sleep(0.001)
            yield program
        finally:
            program.kill()


def test_the_end_of_a_program_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start_stop, "_SETTLE_S", 0)
    monkeypatch.setattr(start_stop, "QUIT_S", 60)  # a busy machine is late
    with running("sleep", "0.2") as program:
        start_stop._wait_for_end(program.pid)
        assert program.poll() == 0


def test_a_program_that_does_not_end_is_not_waited_for_longer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(start_stop, "_SETTLE_S", 0)
    monkeypatch.setattr(start_stop, "QUIT_S", 0.05)
    with running("sleep", "60") as program:
        start_stop._wait_for_end(program.pid)
        assert program.poll() is None


def test_helpers_have_a_moment_to_end_after_their_program(monkeypatch: pytest.MonkeyPatch) -> None:
    slept = list[float]()
    monkeypatch.setattr("time.sleep", slept.append)
    start_stop._wait_for_end(2**22 + 1)  # of no process
    assert slept == [start_stop._SETTLE_S]


def test_a_long_command_is_shown_in_part() -> None:
    with running("sleep", "60", "0" * 1000) as program:
        assert len(start_stop._command(program.pid)) == 200


ALONE = "A source file is submitted alone."


@pytest.mark.parametrize(
    ("said", "alone", "fixes"),
    [
        ("x.c:1:9: error: no", True, "Fix the error in x.c, line 1."),
        ("x.c:1:9: fatal error: y.h: No such file or directory", True, f"line 1. {ALONE}"),
        ("x.c:1:9: fatal error: y.h: No such file or directory", False, "line 1."),
        ("undefined reference to `main'", True, ALONE),
        ("undefined reference to `main'", False, "Make `build` in bot.toml work"),
    ],
)
def test_a_build_that_fails_is_fixed_in_its_line_or_its_folder(
    said: str, alone: bool, fixes: str
) -> None:
    found = start_stop._refused(BuildError(Path("x"), [said]), alone=alone)
    assert fixes in str(found.fix)
    assert (ALONE in str(found.fix)) == (ALONE in fixes)


def test_a_package_is_named_where_its_error_does_not_name_a_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refusal(error: PackageError) -> CheckFinding:
        def refuse(path: Path) -> None:
            raise error

        monkeypatch.setattr(start_stop, "open_bot", refuse)
        subject: Any = SimpleNamespace(path=Path("mine"))
        return start_stop.package_safety(subject)

    lacking = refusal(PackageError(Path("mine"), ["has no bot.toml"]))
    assert lacking.detail == "mine: has no bot.toml"
    wrong = refusal(ManifestError(Path("mine/bot.toml"), (Problem("name", 1, "is missing"),)))
    assert wrong.detail == "bot.toml:1: name: is missing"


@pytest.mark.parametrize(
    ("claims", "passed"), [(None, True), (("dots",), True), (("othello",), False)]
)
def test_a_tournament_takes_scripts_and_what_claims_its_game(
    claims: tuple[str, ...] | None, passed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot = SimpleNamespace(name="fox", rules=claims, build=None)
    monkeypatch.setattr(start_stop, "open_bot", lambda path: bot)
    terms = SimpleNamespace(rules="dots")
    conditions = SimpleNamespace(terms=terms)
    subject: Any = SimpleNamespace(path=Path("fox"), conditions=conditions, claims=("dots",))
    assert start_stop.package_safety(subject).passed is passed


@pytest.mark.parametrize(
    ("build", "kind"), [(None, "fox: a script"), (("gcc", "fox.c"), "fox: a source file")]
)
def test_what_claims_no_game_is_called_what_it_is(
    build: tuple[str, ...] | None, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot = SimpleNamespace(name="fox", rules=None, build=build)
    monkeypatch.setattr(start_stop, "open_bot", lambda path: bot)
    conditions = SimpleNamespace(terms=None)
    subject: Any = SimpleNamespace(path=Path("fox"), conditions=conditions, claims=None)
    assert start_stop.package_safety(subject).detail.startswith(kind)


@pytest.mark.parametrize(
    ("script", "fix"),
    [(True, "Submit a folder with numpy, brain"), (False, "Put numpy, brain into")],
)
def test_a_missing_module_is_named_once_with_each_of_its_lines(script: bool, fix: str) -> None:
    lacks = (
        Import("numpy", "bot.py", 1),
        Import("numpy", "more.py", 2),
        Import("brain", "bot.py", 3),
    )
    found = start_stop._without_modules(PythonFound("python3", "3.11.7", (), lacks), script=script)
    assert "has no numpy, brain\n" in found.detail and found.detail.count("imports numpy") == 2
    assert fix in str(found.fix)
