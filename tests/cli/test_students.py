"""What a student types first: `arena new`, then `arena submit`."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from arena.bots.package import open_bot, package_store
from arena.bots.submissions import submissions
from arena.checks.checklist import ITEMS
from tests import command
from tests.submitting import accept

Arena = Callable[..., Result]


@pytest.fixture
def arena(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Arena:
    """Runs a command in a folder of its own."""
    monkeypatch.setenv("ARENA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> Result:
        return command.arena(*words)

    return run


def test_new_refuses_names_and_folders(arena: Arena, tmp_path: Path) -> None:
    said = arena("new", "../evil", "--lang", "js")
    assert (said.exit_code, "cannot name a bot" in said.stderr) == (2, True)
    said = arena("new", "monkey", "--lang", "js")
    assert (said.exit_code, "name of a built-in player" in said.stderr) == (2, True)
    (tmp_path / "taken").mkdir()
    said = arena("new", "taken", "--lang", "js")
    assert (said.exit_code, "is there already" in said.stderr) == (2, True)
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


@pytest.mark.parametrize(
    ("written", "meant"),
    [("c++", "cpp"), ("Node", "js"), ("javascript", "js"), ("py", "python"), ("python3", "python")],
)
def test_another_name_of_a_language_is_known(arena: Arena, written: str, meant: str) -> None:
    said = arena("new", "mine", "--lang", written)
    assert said.exit_code == 2
    assert said.stderr.endswith(f'got "{written}"; did you mean "{meant}"?\n')


def test_new_on_a_full_disk_leaves_nothing(tmp_path: Path) -> None:
    said = subprocess.run(
        ("sh", "-c", 'ulimit -f 0; exec "$0" -m arena new mine --lang js', sys.executable),
        cwd=tmp_path,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert said.returncode == 2, said.stderr
    assert said.stderr == f"{tmp_path / 'mine'} cannot be written: File too large\n"
    assert list(tmp_path.iterdir()) == []


def test_new_writes_a_bot_and_says_how_to_go_on(arena: Arena, tmp_path: Path) -> None:
    said = arena("new", "mine", "--lang", "python")
    assert said.exit_code == 0, said.stderr
    assert "arena submit mine --to submissions" in said.stdout
    written = "PROTOCOL.md bot.py bot.toml dialogue.txt sdk.py test.sh"
    assert {path.name for path in (tmp_path / "mine").iterdir()} == set(written.split())
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


@pytest.mark.slow
def test_a_bot_is_submitted_once_and_a_bad_one_never(arena: Arena, tmp_path: Path) -> None:
    assert arena("new", "mine", "--lang", "python").exit_code == 0
    manifest = tmp_path / "mine" / "bot.toml"
    lines = manifest.read_text().splitlines()
    lines[1] = 'rules = ["dots"]'
    manifest.write_text("\n".join(lines))
    first = arena("submit", "mine", "--to", "subs")
    assert first.exit_code == 0, first.stdout + first.stderr
    (bot,) = submissions(tmp_path / "subs")
    assert f"Accepted mine@1 ({bot.digest[:8]}).\n" in first.stdout
    assert "Games: dots." in first.stdout
    assert 'from = "subs"' in first.stdout
    assert "subs is new; it was made.\n" in first.stdout
    again = arena("submit", "mine", "--to", "subs")
    assert "active already" in again.stdout
    assert "is new" not in again.stdout
    assert "legal moves" not in again.stdout, "what was checked is not checked again"
    (tmp_path / "mine" / "bot.py").write_text("raise SystemExit('broken')\n")
    bad = arena("submit", "mine", "--to", "subs")
    assert bad.exit_code == 1
    assert f"mine is not accepted; mine@1 ({bot.digest[:8]}) stays active" in bad.stderr
    assert submissions(tmp_path / "subs") == (bot,)
    assert (package_store() / bot.digest).exists()
    assert not (package_store() / open_bot(tmp_path / "mine").digest).exists()


def test_a_bot_is_checked_for_the_tournament_even_if_it_passed_before(
    arena: Arena, tmp_path: Path
) -> None:
    assert arena("new", "mine", "--lang", "python").exit_code == 0
    manifest = tmp_path / "mine" / "bot.toml"
    manifest.write_text(re.sub("rules = .*", 'rules = ["dots"]', manifest.read_text()))
    package = open_bot(tmp_path / "mine")
    accept(package, [], tmp_path / "subs")
    (tmp_path / "cup.toml").write_text('[game]\nrules = "othello"\n')
    assert "active already" in arena("submit", "mine", "--to", "subs").stdout
    said = arena("submit", "mine", "--to", "subs", "--tournament", "cup.toml")
    assert said.exit_code == 1
    assert "mine plays dots; the tournament plays othello" in said.stdout
    assert f"2–{len(ITEMS)}: skipped until item 1 is fixed" in said.stdout


def test_whose_bot_was_replaced_is_reported(arena: Arena, tmp_path: Path) -> None:
    for name, authors in ("1", '["Ada"]'), ("2", '["Ada", "Bob"]'), ("3", '["Eve"]'), ("4", "[]"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "bot.py").write_text(f"# {name}\n")
        command = 'rules = ["dots"]\ncommand = ["python3", "bot.py"]'
        (folder / "bot.toml").write_text(f'name = "fox"\n{command}\nauthors = {authors}\n')
        accept(open_bot(folder), [], tmp_path / "subs")  # so that `submit` need not check it

    def warned(name: str) -> str:
        said = arena("submit", name, "--to", "subs")
        assert (said.exit_code, "Accepted fox" in said.stdout) == (0, True), said.output
        return said.stderr

    assert warned("1") == "", "a starter states no authors: one's own is submitted again and again"
    assert warned("1") == "", "it was active already"
    assert warned("2") == "", "they share an author"
    said = warned("3")
    assert "fox@2, which it replaced, is by Ada, Bob. If that is not yours" in said
    assert said.endswith("\narena bots rollback subs/fox@2\n")
    assert arena(*said.splitlines()[-1].split()[1:]).exit_code == 0
    assert "fox@2, which it replaced, is by Ada, Bob." in warned("4")


def test_a_single_file_states_no_games(arena: Arena, tmp_path: Path) -> None:
    (tmp_path / "solo.py").write_text("print()\n")
    accept(open_bot(tmp_path / "solo.py"), [], tmp_path / "subs")  # so `submit` need not check it
    said = arena("submit", "solo.py", "--to", "subs")
    assert "\nGames: not stated (single file).\n" in said.stdout


def test_where_it_cannot_be_submitted_to_is_reported_before_the_check(
    arena: Arena, tmp_path: Path
) -> None:
    assert arena("new", "mine", "--lang", "js").exit_code == 0
    files = sorted(path.name for path in (tmp_path / "mine").iterdir())
    said = arena("submit", "mine", "--to", ".")  # where the bot itself would hold its versions
    assert (said.exit_code, said.stdout) == (2, "")
    assert "mine is a bot or a file, not a folder of versions" in said.stderr
    assert sorted(path.name for path in (tmp_path / "mine").iterdir()) == files
    (tmp_path / "file").touch()
    said = arena("submit", "mine", "--to", "file")
    assert (said.exit_code, said.stdout) == (2, "")
    assert "file is a file; name a folder" in said.stderr


def test_a_new_bot_has_no_name_of_a_builtin_player(arena: Arena, tmp_path: Path) -> None:
    assert arena("new", "mine", "--lang", "python").exit_code == 0
    manifest = tmp_path / "mine/bot.toml"
    manifest.write_text(manifest.read_text().replace('"mine"', '"greedy"'))
    said = arena("submit", "mine", "--to", "subs")
    assert (said.exit_code, said.stdout) == (2, "")
    assert "greedy is the name of a built-in player; choose another, in bot.toml" in said.stderr
    (tmp_path / "greedy.py").touch()
    said = arena("submit", "greedy.py", "--to", "subs")
    assert "choose another name for the file" in said.stderr
    assert not (tmp_path / "subs").exists()


def test_what_is_no_bot_is_reported_in_a_sentence(arena: Arena, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    said = arena("submit", "empty", "--to", "subs")
    assert said.exit_code == 2
    assert "has no bot.toml" in said.stderr
    assert "Traceback" not in said.stderr
    assert not (tmp_path / "subs").exists()
