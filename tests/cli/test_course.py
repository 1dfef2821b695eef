"""A course on the command line: its owners, its bots, and a run that goes on next week."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import Result

from arena.bots import course
from arena.bots.package import open_bot, take
from arena.bots.versions import CheckedItem
from arena.errors import SubmissionError
from arena.files.rights import unreadable
from arena.tournament.run_view import RunView
from tests import command
from tests.files.users import as_nobody
from tests.right_bot import RIGHT

Arena = Callable[..., Result]
NOW = datetime(2026, 11, 1, 12, tzinfo=UTC)
BOT = RIGHT.replace("[0]", "[WHICH]")
CUP = """
[tournament]
sandbox = "none"
concurrency = 1
[game]
rules = "dots"
rows = 1
cols = 1
[openings]
plies = 0
[[player]]
from = "course"
"""


@pytest.fixture
def arena(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Arena:
    """Runs a command in a folder of its own."""
    monkeypatch.setenv("ARENA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("ARENA_TOKEN", "")
    monkeypatch.chdir(tmp_path)

    def run(line: str, *, code: int = 0) -> Result:
        result = command.arena(*line.split())
        assert result.exit_code == code, result.output
        return result

    return run


def hand_in(owner: str, which: str = "0") -> None:
    """What `arena submit` does to the course after its check."""
    script = Path("bot.py")
    script.write_text(BOT.replace("WHICH", which))
    bot = course.admitted(Path("course"), open_bot(script), owner, NOW)
    started = CheckedItem(title="start time", passed=True, detail="soon\nruns on Python")
    course.submit(Path("course"), bot, (started,), owner, NOW)


@pytest.fixture
def tokens(arena: Arena) -> dict[str, str]:
    arena("course init course")
    Path("names.csv").write_text("owner\nada\nbob\n")
    header, *lines = arena("course roster add names.csv --course course").stdout.split()
    assert header == "owner,token"
    return dict(line.split(",") for line in lines)


def test_the_roster(arena: Arena, tokens: dict[str, str]) -> None:
    again = arena("course roster add names.csv --course course")
    assert (again.stdout, "No owner of names.csv is new" in again.stderr) == ("owner,token\n", True)
    arena("course roster revoke ada --course course")
    shown = arena("course roster list --course course").stdout.splitlines()
    assert [("revoked" in line) for line in shown] == [True, False]
    assert all(line.endswith("; no bot") for line in shown)
    renewed = arena("course roster renew ada --course course").stdout.split()[1]
    assert renewed.startswith("ada,") and renewed != f"ada,{tokens['ada']}"
    said = arena("course roster revoke adda --course course", code=2)
    assert 'no owner is named "adda"; did you mean "ada"?' in said.stderr
    assert "is not a course" in arena("course roster list", code=2).stderr
    assert "is a course already" in arena("course init course", code=2).stderr


def test_a_command_for_a_folder_with_a_space_in_its_name_may_be_typed(
    arena: Arena, tmp_path: Path
) -> None:
    del arena
    folder = "Kurs Äpfel"
    begun = command.arena("course", "init", folder).stdout
    assert "roster add names.csv --course 'Kurs Äpfel' > tokens-1.csv" in begun
    assert "submit BOT --to 'Kurs Äpfel' adds one" in command.arena("bots", "list", folder).stdout
    copied = command.arena("examples", "alle Dateien").stdout
    assert "arena run 'alle Dateien/first.toml'" in copied
    obf = tmp_path / "ein Problem.obf"
    obf.write_text(f"{'-' * 27}OX------XO{'-' * 27} X; D3:+0\n")
    imported = command.arena("import", obf.name, "--to", "p.sqlite").stderr
    assert "`arena analyse othello '@ein Problem.obf'`" in imported


def test_whose_bot_it_is_comes_before_the_check(arena: Arena, tokens: dict[str, str]) -> None:
    Path("bot.py").write_text(BOT)
    for words, said in (
        ("", "is a course: say whose bot it is"),
        (" --as adda", 'no owner is named "adda"'),
        (" --token 123", "no owner has this token"),
        (f" --as bob --token {tokens['ada']}", "the token belongs to ada, not to bob"),
    ):
        shown = arena(f"submit bot.py --to course{words}", code=2)
        assert said in shown.stderr and shown.stdout == ""
    assert "is not a course" in arena("submit bot.py --to subs --as ada", code=2).stderr
    said = arena("submit bot.py --to ./cours --token 123", code=2).stderr
    assert said == 'there is no course cours; did you mean "course"?\n'
    assert not Path("cours").exists()
    Path("subs").mkdir()
    said = arena("submit bot.py --to subs --token 123", code=2).stderr
    assert "subs is not a course, and takes no token; leave out --token" in said


def test_a_token_of_the_environment_is_for_courses_alone(
    arena: Arena, tokens: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_TOKEN", tokens["ada"])
    Path("bot.py").write_text(BOT)
    course.submit(Path("subs"), take(Path("bot.py")), (), None, NOW)
    assert "bot@1" in arena("submit bot.py --to subs").stdout
    assert "there is no course sub;" in arena("submit bot.py --to sub", code=2).stderr
    assert not Path("sub").exists()
    hand_in("ada")
    said = arena("submit bot.py --to course").stdout
    assert "It plays in the course's tournaments from the next time" in said
    assert "[[player]]" not in said
    assert "bot is withdrawn" in arena("bots withdraw subs/bot").stdout
    hand_in("bob")
    assert "belongs to bob" in arena("bots withdraw course/bob", code=2).stderr


def test_the_bots_of_a_course(arena: Arena, tokens: dict[str, str]) -> None:
    assert "has no submission; arena submit" in arena("bots list course").stdout
    hand_in("ada")
    hand_in("ada", "-1")
    hand_in("bob")
    (ada, bob) = arena("bots list course").stdout.splitlines()[1:]
    assert ada.split()[:4] == ["ada", "ada", "ada@2", "(" + ada.split("(")[1].split(")")[0] + ")"]
    assert bob.split()[2] == "bob@1"
    head, first, second = arena("bots show course/ada").stdout.splitlines()
    assert head.startswith("ada, of ada: ada@2 (")
    assert "2026-11-01 12:00 UTC, by ada, 1 of 1 passed" in first and "ada@2" in second
    shown = arena("bots show course/ada@1").stdout.splitlines()
    assert "bot.py, SHA-256" in shown[1]
    assert shown[2:] == ["  ✓ start time: soon", "    runs on Python"]
    said = arena(f"bots rollback course/ada@1 --token {tokens['bob']}", code=2)
    assert 'the name "ada" belongs to ada' in said.stderr
    assert "plays from now on" in arena("bots rollback course/ada@1 --as ada").stdout
    assert "name a version of ada" in arena("bots rollback course/ada@7", code=2).stderr
    assert "ada is withdrawn" in arena("bots withdraw course/ada --as ada").stdout
    assert "bob is excluded" in arena("bots exclude course/bob").stdout
    shown = arena("bots list course").stdout
    assert "withdrawn" in shown and "excluded" in shown
    shown = arena("course roster list --course course").stdout
    assert [line.partition("; ")[2] for line in shown.splitlines()] == [
        "ada withdrawn",
        "bob excluded",
    ]
    assert 'has no bot "bop"; did you mean "bob"' in arena("bots show course/bop", code=2).stderr
    folder = arena("bots show course", code=2).stderr
    assert folder.startswith("course is a folder of submissions; name a bot: course/")


@pytest.mark.parametrize(
    "words", ["list {}", "show {}/ada", "withdraw {}/ada", "rollback {}/ada@1 --token 123"]
)
def test_a_server_is_no_folder(arena: Arena, words: str) -> None:
    url = "http://127.0.0.1:8123"
    said = arena(f"bots {words.format(url)}", code=2).stderr
    assert f"{url} is a server, and this takes a folder; your bots there are on {url}/me" in said


def test_a_version_with_a_damaged_receipt_is_named(arena: Arena, tokens: dict[str, str]) -> None:
    hand_in("ada")
    hand_in("ada", "-1")
    hand_in("bob")
    receipt = Path("course/bob", Path("course/bob/active").readlink(), "receipt.json")
    receipt.write_text("{")
    listed = arena("bots list course", code=1)
    assert [line.split()[0] for line in listed.stdout.splitlines()] == ["Bot", "ada"]
    assert listed.stderr.startswith(f"{receipt} is not a receipt of the arena; ")
    assert f"{receipt} is not" in arena("bots show course/bob", code=2).stderr
    owners = arena("course roster list --course course", code=1)
    assert "; ada@2 (" in owners.stdout and owners.stderr == listed.stderr
    (Path("course/ada/active").resolve() / "receipt.json").unlink()
    shown = arena("bots show course/ada", code=1)
    assert shown.stdout.startswith("ada, of ada: no version\n") and "ada@1" in shown.stdout
    assert "is not as it was accepted" in shown.stderr
    owners = arena("course roster list --course course", code=1).stdout
    assert owners.splitlines()[0].endswith("; ada no version")


@pytest.mark.slow
def test_a_run_goes_on_next_week(arena: Arena, tokens: dict[str, str]) -> None:
    Path("cup.toml").write_text(CUP)
    arena("course roster add names.csv --course course")
    for owner in ("ada", "bob"):
        hand_in(owner)
    assert "2/2" in arena("run cup.toml").stdout
    hand_in("bob", "-1")
    Path("names.csv").write_text("eve\n")
    arena("course roster add names.csv --course course")
    hand_in("eve")
    said = arena("run cup.toml").stdout
    assert "All 2 games are played already." in said
    assert "bob has a new version. It continues with those it began with. --take-new" in said
    ahead = arena("run cup.toml --take-new --dry-run").stdout
    assert "3 players: ada, eve, bob@2" in ahead and "6 of 8 games to play" in ahead
    assert "8/8" in arena("run cup.toml --take-new").stdout
    table = arena("report runs/cup.sqlite --csv players").stdout
    assert {line.split(",")[1] for line in table.splitlines()[1:]} == {"ada", "bob", "eve", "bob@2"}
    said = arena("run cup.toml --without eve").stdout
    assert "All 8 games" in said and "Left out, with games that stay in the record: eve." in said
    assert "eve" not in arena("report runs/cup.sqlite --csv players").stdout
    with RunView(Path("runs/cup.sqlite")) as view:
        game = next(game.game for game in view.games if "eve" in game.players)
    assert "eve" in arena(f"replay runs/cup.sqlite {game} --all").stdout
    said = arena("run cup.toml --without bobb", code=2)
    assert 'without: no player is named "bobb"; did you mean "bob"' in said.stderr


def test_a_missing_right_is_said_once(for_all: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = for_all / "closed"
    closed.mkdir(mode=0o700)

    def refuse(_: Path) -> None:
        try:
            (closed / "receipt.json").stat()
        except PermissionError as error:
            raise SubmissionError(unreadable(closed, error)) from None

    monkeypatch.setattr(course, "init", refuse)
    with as_nobody():
        refused = command.arena("course", "init", for_all)
    assert refused.stderr.count("nobody may not enter") == 1
