"""What passes: a program that does it right, in every rule set and every sandbox there is here."""

import json
import re
import shutil
import subprocess
import sys
from contextlib import nullcontext
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jsonschema
import psutil
import pytest

from arena.checks import checklist, start_stop
from arena.checks.checklist import ITEMS
from arena.checks.dialogue import Overloaded
from arena.checks.result import CheckFinding, Checklist, passed, schema
from arena.checks.subject import Subject
from arena.errors import SandboxError
from arena.model.containment import Held, SandboxChoice
from arena.model.contender import Prepared
from arena.sandbox.probe import resolve
from tests.pages import blocks_of
from tests.right_bot import RIGHT

from .conftest import Check


@pytest.mark.slow
def test_a_good_script_passes_in_all_rule_sets_it_starts(check: Check) -> None:
    told: list[str] = []
    results = list(check(RIGHT, rules=None, tell=told.append))
    assert [result.passed for result in results] == [True] * len(ITEMS), results
    assert [result.number for result in results] == list(range(1, len(ITEMS) + 1))
    for rule_set in ("othello", "dots", "2048", "2584"):
        assert rule_set in results[2].detail
    for board in ("othello cornerless", "dots 3×3"):
        assert board in results[5].detail
    assert told[0] == " 1 package safety"
    assert " 6 legal moves: dots 5×5, position 2 of 26" in told
    assert "13 games against another: game 2 of 4, dots 5×5" in told


def test_a_mapped_model_larger_than_the_memory_passes(check: Check, tmp_path: Path) -> None:
    (tmp_path / "model").write_bytes(b"x" * (80 << 20))
    maps = f"""
import mmap
with open({str(tmp_path / "model")!r}, "rb") as file:
    model = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
model.find(b"y")  # reads all
for line"""
    result = list(islice(check(RIGHT.replace("for line", maps), memory_mb=64), 9))[8]
    assert result.passed, result
    assert re.fullmatch(r"at most \d+ MB of 64; files that it maps do not count, .+", result.detail)


@pytest.mark.slow
@pytest.mark.parametrize("asked", ["bwrap", "limits"])
def test_a_good_script_passes_in_a_sandbox(asked: SandboxChoice, check: Check) -> None:
    """Up to the whole games, which `arena submit` has played in one, in cli/test_students.py."""
    try:
        held = resolve(asked, Prepared(name="bot", command=(sys.executable,)))
    except SandboxError as error:
        pytest.skip(str(error))
    alone = 12
    results = list(islice(check(RIGHT, held=held), alone))
    assert [result.passed for result in results] == [True] * alone, results


@pytest.mark.slow
def test_a_process_that_is_left_behind_is_seen_in_a_namespace_of_its_own(check: Check) -> None:
    try:
        held = resolve("bwrap", Prepared(name="bot", command=(sys.executable,)))
    except SandboxError as error:
        pytest.skip(str(error))
    leaving = "import subprocess\nsubprocess.Popen(['sleep', '77.5'])\n" + RIGHT
    results = {result.title: result for result in islice(check(leaving, held=held), 11)}
    assert "sleep 77.5" in results["no stray processes"].detail
    assert not any("77.5" in process.info["cmdline"] for process in processes())


def test_a_program_that_ends_while_its_namespace_is_sought_is_not_judged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with subprocess.Popen(["sleep", "60"]) as childless:
        dialogue = SimpleNamespace(process=SimpleNamespace(pid=childless.pid))
        subject: Any = SimpleNamespace(
            held=Held(mode="bwrap"), process=lambda: nullcontext(dialogue)
        )
        monkeypatch.setattr(start_stop, "_play", lambda *_: None)
        found = start_stop.no_strays(subject)
        childless.kill()
    assert (found.passed, found.detail) == (None, "it did not play on (exited)")


def test_nothing_is_left_when_a_check_is_given_up(check: Check) -> None:
    results = check("import time\ntime.sleep(78.5)\n")
    next(results)
    next(results)
    results.close()
    assert not any("78.5" in process.info["cmdline"] for process in processes())


def processes() -> list[psutil.Process]:
    return [it for it in psutil.process_iter(["cmdline"]) if it.info["cmdline"]]


@pytest.mark.slow
def test_a_script_is_judged_in_what_it_starts_alone(check: Check) -> None:
    picky = RIGHT.replace(
        '    if request["type"] == "start":\n',
        '    if request["type"] == "start":\n'
        '        if request["rules"] != "2048":\n'
        '            sys.exit("I play 2048")\n',
    )
    results = list(islice(check(picky, rules=None), 13))
    assert all(result.passed for result in results), results
    assert results[2].detail.startswith("2048 ready after ")
    assert "2048–" not in results[5].detail
    assert "othello" not in results[12].detail


def test_a_script_that_starts_nothing_fails(check: Check) -> None:
    started = list(check("raise SystemExit('not today')\n", rules=None))[2]
    assert started.passed is False
    assert "not today" in started.detail


def test_what_is_claimed_must_be_played(check: Check, tmp_path: Path) -> None:
    folder = package(tmp_path / "picky", rules='["dots", "othello"]')
    (folder / "bot.py").write_text(
        RIGHT.replace('== "start":', '== "start" and request["rules"] == "dots":')
    )
    results = list(check(folder, rules=None))
    assert results[2].passed is False
    assert results[2].detail.startswith("start of othello: ")


def test_a_game_that_is_claimed_and_cannot_be_played_here_is_named(
    check: Check, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(start_stop, "unusable", lambda rule_set: f"{rule_set} is broken")
    first = next(check(package(tmp_path / "fox"), rules=None))
    assert (first.passed, first.detail) == (False, "dots is broken")
    assert "Repair the package of that game" in (first.fix or "")


def package(folder: Path, rules: str = '["dots"]', **more: str) -> Path:
    folder.mkdir()
    (folder / "bot.py").write_text(RIGHT)
    lines = {"name": f'"{folder.name}"', "rules": rules, "command": '["python3", "bot.py"]'} | more
    (folder / "bot.toml").write_text("".join(f"{key} = {value}\n" for key, value in lines.items()))
    return folder


def first_failure(check: Check, path: Path) -> str:
    """What an author is told, who submits `path`: item, sentence, fix."""
    failed = next(result for result in check(path, rules=None) if result.passed is False)
    assert failed.fix
    return f"{failed.number} {failed.detail} | {failed.fix}"


@pytest.mark.slow
def test_a_package_is_built_and_judged_in_what_it_claims(check: Check, tmp_path: Path) -> None:
    folder = package(tmp_path / "mine", build='["touch", "built"]')
    results = list(islice(check(folder, rules=None), 6))
    assert all(result.passed for result in results), results
    assert results[0].detail == "mine: claims dots"
    assert results[1].detail == "touch built"
    assert results[5].detail.endswith(" positions of dots 5×5, dots 3×3")


def test_a_folder_without_bot_toml(check: Check, tmp_path: Path) -> None:
    folder = package(tmp_path / "mine")
    (folder / "bot.toml").unlink()
    told = first_failure(check, folder)
    assert told.startswith("1 mine: has no bot.toml")
    assert "with a bot.toml" in told


def test_a_bot_toml_with_a_mistake(check: Check, tmp_path: Path) -> None:
    folder = package(tmp_path / "mine", rules='["otello"]')
    told = first_failure(check, folder)
    assert "bot.toml:2: rules[1]: must be one of" in told
    assert "Correct what is named in bot.toml" in told


def test_missing_build_tools(check: Check, tmp_path: Path) -> None:
    folder = package(tmp_path / "mine", build='["gpp-17", "bot.cpp"]')
    told = first_failure(check, folder)
    assert told.startswith("2 ")
    assert "gpp-17" in told
    assert "compilers of this machine" in told


def test_an_error_of_a_compiler_names_its_line(check: Check, tmp_path: Path) -> None:
    script = "echo 'bot.cpp:7:14: error: expected primary-expression' >&2; exit 1"
    folder = package(tmp_path / "mine", build=json.dumps(["sh", "-c", script]))
    assert first_failure(check, folder).endswith("| Fix the error in bot.cpp, line 7.")


ALONE = "A source file is submitted alone. If it needs other files, submit a folder with"


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
@pytest.mark.parametrize(
    ("source", "fix"),
    [
        ("int main(void) { return x; }", r"\| Fix the error in solo\.c, line 1\.$"),
        ('#include "x.h"', rf"\| Fix the error in solo\.c, line 1\. {ALONE}"),
        ("int f(void) { return 1; }", rf"\| {ALONE}"),
    ],
)
def test_a_source_file_that_does_not_compile(
    source: str, fix: str, check: Check, tmp_path: Path
) -> None:
    path = tmp_path / "solo.c"
    path.write_text(source)
    told = first_failure(check, path)
    assert told.startswith("2 its build command, gcc ")
    assert re.search(fix, told)


@pytest.mark.slow
def test_a_source_file_passes(check: Check, tmp_path: Path) -> None:
    if shutil.which("g++") is None:
        pytest.skip("g++ is not installed")
    (block,) = (each for each in blocks_of("arena/bots/README.md") if each.name == "solo.cpp")
    path = tmp_path / "solo.cpp"
    path.write_text(block.text)
    results = list(check(path, rules=None))
    assert all(result.passed for result in results), results
    assert results[0].detail == "solo: a source file, which claims no rules"
    assert results[1].detail == "g++ -std=c++17 -O2 -Wall -Wextra -o bot solo.cpp"


@pytest.mark.parametrize(
    ("contents", "executable", "expected"),
    [
        ("#!/usr/bin/env python3\r\nprint()\n", True, "Unix line ends"),
        ("print('no interpreter named')\n", True, "Begin bot.run with the line"),
        ("\ufeff#!/bin/sh\n", True, "Save bot.run without a byte order mark"),
        ("MZ\x00\n", True, "as this one is for Windows"),
        ("#!/usr/bin/python9\n", True, "not /usr/bin/python9"),
        ("#!/bin/sh\n", False, "chmod +x"),
    ],
)
def test_a_program_that_cannot_be_started(
    contents: str, executable: bool, expected: str, check: Check, tmp_path: Path
) -> None:
    folder = package(tmp_path / "mine", command='["./bot.run"]')
    program = folder / "bot.run"
    program.write_bytes(contents.encode())
    program.chmod(0o755 if executable else 0o644)
    assert expected in first_failure(check, folder)


def test_line_ends_of_windows_in_what_a_shell_runs(check: Check, tmp_path: Path) -> None:
    folder = package(tmp_path / "mine", command='["sh", "run.sh"]')
    (folder / "run.sh").write_bytes(b"#!/bin/sh\r\nset -e\r\nexec python3 bot.py\r\n")
    assert "Save run.sh with Unix line ends" in first_failure(check, folder)


def test_a_model_that_git_lfs_did_not_fetch_is_named(check: Check, tmp_path: Path) -> None:
    folder = package(tmp_path / "mine")
    (folder / "net.json").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\n")
    (folder / "bot.py").write_text("import json\njson.load(open('net.json'))\n" + RIGHT)
    assert "\nnet.json is a git-LFS pointer" in first_failure(check, folder)


def test_a_bot_that_changed_its_folder_fails_for_what_it_did(check: Check, tmp_path: Path) -> None:
    """A package may have no link; without a sandbox a bot can make one in its own."""
    folder = package(tmp_path / "mine")
    (folder / "bot.py").write_text("import os\nos.symlink('.', 'link')\nexit('no idea')\n")
    assert "no idea" in first_failure(check, folder)


def test_the_checklist_as_json_is_what_its_schema_says(check: Check) -> None:
    results = list(check("print('hello')\n"))
    whole = Checklist.of("student.py", Held(), results, seed=7)
    assert not whole.passed
    jsonschema.validate(whole.model_dump(mode="json"), schema())
    assert Checklist.model_validate_json(whole.model_dump_json()) == whole
    described = schema()["properties"] | schema()["$defs"]["CheckResult"]["properties"]
    assert all("description" in key for key in described.values())


@pytest.mark.parametrize(("late", "passes"), [(2, True), (3, None)])
def test_on_an_overloaded_host_an_item_is_begun_again(
    late: int, passes: bool | None, check: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries = []

    def judge(subject: Subject) -> CheckFinding:
        tries.append(subject)
        if len(tries) <= late:
            raise Overloaded("it had waited 900 ms")
        return passed("in time")

    monkeypatch.setattr(checklist, "ITEMS", (checklist.Item("patience", judge),))
    (result,) = check(RIGHT)
    assert result.passed is passes
    assert len(tries) == 3
    assert ("it had waited 900 ms" in result.detail) is (passes is None)
