"""`arena check` as a student types it: what is shown, JSON, exit codes, Ctrl-C."""

import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import jsonschema
import psutil
import pytest
from typer.testing import Result

from arena.checks.checklist import ITEMS
from arena.checks.events import Checked, Checking, Judging
from arena.checks.result import Checklist
from arena.files.console import PlainConsole
from arena.model.containment import Held
from arena.model.game_spec import Terms
from arena.reports.checklist import CheckScreen
from tests.command import arena
from tests.right_bot import RIGHT

WRONG = RIGHT.replace("        move =", '        print("thinking…")\n        move =')


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "right.py").write_text(RIGHT)
    (tmp_path / "wrong.py").write_text(WRONG)
    return tmp_path


def check(*arguments: str) -> Result:
    return arena("check", *arguments)


@pytest.mark.slow
def test_a_bot_that_does_it_right(folder: Path) -> None:
    shown = check("right.py", "--sandbox", "none", "--rules", "dots")
    assert shown.exit_code == 0, shown.output
    lines = shown.output.splitlines()
    assert lines[0] == "Checking right.py without a sandbox"
    assert " 1 ✓ package safety         right: a script, which claims no rules" in lines
    assert lines[-1].startswith(f"{len(ITEMS)} of {len(ITEMS)} passed · ")
    assert "Fix" not in shown.output


@pytest.mark.slow
def test_a_mistake_is_shown_with_its_line_and_what_to_change(folder: Path) -> None:
    shown = check("wrong.py", "--sandbox", "none", "--rules", "othello")
    assert shown.exit_code == 1
    text = " ".join(shown.output.split())
    assert "4 ✗ clean stdout othello: This line is not JSON" in text
    assert "line 2 of what your program wrote: `thinking…`" in text
    assert "Fix: Print debug text to stderr, not to stdout: print(…, file=sys.stderr)." in text
    assert f"5–{len(ITEMS)}: skipped until item 4 is fixed" in text
    assert "ply echo" not in text
    assert f"3 of {len(ITEMS)} passed, 1 failed, {len(ITEMS) - 4} skipped" in text


def test_a_line_says_what_is_judged_on_a_terminal_alone(folder: Path) -> None:
    for terminal in (True, False):
        file = io.StringIO()
        console = PlainConsole(file=file, force_terminal=terminal, width=60)
        screen = CheckScreen(console, Path("right.py"))
        screen.show(Checking(held=Held(), terms=None))
        screen.show(Judging(what=" 6 legal moves: dots 5×5, position 12 of 30"))
        screen.close()
        assert file.getvalue().startswith("Checking right.py without a sandbox")
        assert ("position 12 of 30 …" in file.getvalue()) is terminal


@pytest.mark.slow
def test_a_failed_check_can_be_asked_again(folder: Path) -> None:
    (folder / "ends.py").write_text("")
    arguments = ("ends.py", "--sandbox", "none", "--rules", "dots", "--seed", "77")
    assert "\nAgain: arena check ends.py --rules dots --seed 77\n" in check(*arguments).output
    assert json.loads(check(*arguments, "--json").output)["seed"] == 77


@pytest.mark.slow
def test_a_check_for_a_tournament_is_asked_again_for_it(folder: Path) -> None:
    failed = Checklist.of("fox", Held(), (), 7).model_copy(update={"passed": False})
    terms = Terms(rules="othello", variant={})
    for played, given, again in (
        (terms, Path("cup.toml"), "Again: arena check fox --tournament cup.toml --seed 7"),
        (None, Path("cup.toml"), "Again: arena check fox --seed 7"),
        (terms, None, "Again, not under the terms of the course: arena check fox --seed 7"),
    ):
        file = io.StringIO()
        screen = CheckScreen(PlainConsole(file=file, width=60), Path("fox"), given)
        screen.show(Checking(held=Held(), terms=played))
        screen.show(Checked(checklist=failed))
        assert f"\n{again}\n" in file.getvalue()


@pytest.mark.slow
def test_json_has_the_keys_of_its_schema(folder: Path) -> None:
    odd = Path(os.fsdecode(b"wrong\xff"))
    odd.mkdir()
    Path("wrong.py").rename(odd / "wrong.py")
    shown = check(str(odd / "wrong.py"), "--sandbox", "none", "--rules", "dots", "--json")
    assert shown.exit_code == 1
    data = json.loads(shown.output)
    document = arena("schema", "--check").output
    jsonschema.validate(data, json.loads(document))
    assert data["bot"] == r"wrong\xff/wrong.py"
    assert not data["passed"]
    failed = next(result for result in data["results"] if result["passed"] is False)
    assert (failed["number"], failed["verdict"]) == (4, "bad_json")
    assert (failed["line_number"], failed["line"]) == (2, "`thinking…`")


@pytest.mark.slow
def test_markup_and_colours_of_a_bot_are_not_taken_for_ours(folder: Path) -> None:
    asked = "    request = json"
    (folder / "rude.py").write_text(RIGHT.replace(asked, f'    print("[red]\\x1b[31m!")\n{asked}'))
    shown = check("rude.py", "--sandbox", "none", "--rules", "dots")
    assert "`[red]\\x1b[31m!`" in shown.output
    assert "\x1b" not in shown.output


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("lost.py",), "lost.py: no such file"),
        (
            ("right.py", "--sandbox", "jail"),
            '--sandbox: must be one of auto, bwrap, limits, none, got "jail"',
        ),
        (("right.py", "--tournament", "lost.toml"), "lost.toml: "),
        (("right.py", "--tournament", "x.toml", "--rules", "dots"), "leave one of them out"),
        (("right.py", "--seed", "-1"), "--seed"),
        (("right.py", "--rules", "chess"), "--rules: must be one of othello, dots, 2048, 2584"),
    ],
)
def test_what_is_not_there_is_reported_and_exits_with_2(
    arguments: tuple[str, ...], expected: str, folder: Path
) -> None:
    result = check(*arguments)
    assert result.exit_code == 2
    assert expected in " ".join(result.stderr.split())


@pytest.mark.slow
def test_ctrl_c_leaves_nothing(folder: Path) -> None:
    (folder / "hangs.py").write_text("import time\ntime.sleep(79.5)\n")
    command = [sys.executable, "-m", "arena", "check", "hangs.py", "--sandbox", "none"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:  # item by item, as they are judged
            if line.startswith(" 2 ✓"):
                break
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=10)
        assert process.returncode == 130
    assert said == "Interrupted.\n"
    for it in psutil.process_iter(["cmdline"]):
        assert "hangs.py" not in (it.info["cmdline"] or [])
