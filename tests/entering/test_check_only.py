"""What is checked for the path that is typed, by which Python, and for which tournament."""

from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple
from zipfile import ZipFile

import pytest

from arena.bots import course, course_file
from arena.bots.package import take
from arena.checks.conditions import Conditions
from arena.checks.result import Checklist
from arena.entering import enter
from arena.errors import ConfigError, PackageError
from arena.model.containment import Held
from arena.model.protocol import Clock
from tests.right_bot import RIGHT

NOW = datetime(2026, 11, 1, 12, tzinfo=UTC)


class Opened(NamedTuple):
    """What would be checked."""

    typed: Path
    conditions: Conditions
    place: Path
    note: str


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Opened]:
    """A script next to another file, and the checks that are asked for, which are not made."""
    monkeypatch.setenv("ARENA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    Path("bot.py").write_text(RIGHT)
    Path("sdk.py").touch()
    asked = list[Opened]()

    def check(
        typed: Path, conditions: Conditions, _: object, __: object, place: Path, note: str = ""
    ) -> Checklist:
        asked.append(Opened(typed, conditions, place, note))
        return Checklist.of(str(typed), Held(), [], conditions.seed)

    monkeypatch.setattr(enter, "check", check)
    return asked


def check(path: str, tournament: Path | None = None) -> Checklist:
    return enter.check_only(Path(path), lambda _: None, tournament=tournament)


def test_a_script_is_checked_without_the_files_next_to_it(opened: list[Opened]) -> None:
    assert check("bot.py").bot == "bot.py"
    (one,) = opened
    assert [file.name for file in one.place.parent.iterdir()] == ["bot.py"]


def test_folders_and_archives_are_checked_where_they_are(opened: list[Opened]) -> None:
    """As is what cannot be taken, whose first item says why."""
    Path("fox").mkdir()
    Path("fox/bot.toml").write_text('name = "fox"\nrules = ["dots"]\ncommand = ["python3"]\n')
    with ZipFile("fox.zip", "w") as archive:
        archive.write("fox/bot.toml", "bot.toml")
    Path("link.py").symlink_to("bot.py")
    for given in ("fox", "fox.zip", "link.py"):
        check(given)
    assert [str(one.place) for one in opened] == ["fox", "fox.zip", "link.py"]


def test_a_script_that_a_course_alone_takes_is_reported(opened: list[Opened]) -> None:
    Path("name with space.py").write_text(RIGHT)
    for name in ("bot.py", "name with space.py"):
        check(name)
    plain, spaced = opened
    assert not plain.note and spaced.place.name == "bot.py"
    assert spaced.note.startswith("only a course takes a file of this name: folders and arena")
    assert "a name is letters" in spaced.note and spaced.note.endswith("; rename it")


def test_a_script_that_a_tournament_names_has_them(opened: list[Opened]) -> None:
    cup = Path("cup.toml")
    cup.write_text('[game]\nrules = "dots"\n[[player]]\nbot = "bot.py"\n')
    check("bot.py", cup)
    cup.write_text('[game]\nrules = "dots"\n[[player]]\nfrom = "class"\n')
    check("bot.py", cup)
    named, taken = opened
    assert named.place == Path("bot.py")
    assert not (taken.place.parent / "sdk.py").exists()


def test_a_submitted_version_is_run_by_the_python_of_its_course(opened: list[Opened]) -> None:
    folder = Path("class")
    course.init(folder)
    course.add_owners(folder, ["ada"], NOW)
    rules = folder / course_file.FILE
    rules.write_text('python = "python3"\n' + rules.read_text())
    course.submit(folder, course.admitted(folder, take(Path("bot.py")), "ada", NOW), (), "ada", NOW)
    python = course.python_of(folder)
    assert check("class/ada@1").bot == "class/ada@1"
    check("bot.py", folder / "tournaments" / "ladder.toml")
    assert [one.conditions.default_python for one in opened] == [python, python]
    assert opened[0].place.name == "bot.py" and opened[0].place.parent.name == "tree"


def test_a_missing_bot_names_the_nearest(opened: list[Opened]) -> None:
    with pytest.raises(PackageError, match=r'^bto\.py: no such file; did you mean "bot\.py"\?$'):
        check("bto.py")


def test_a_course_names_the_tournament_its_bots_are_checked_for(opened: list[Opened]) -> None:
    folder = Path("course")
    course.init(folder)
    course.add_owners(folder, ["ada"], NOW)
    rules = folder / course_file.FILE
    plain = rules.read_text()

    def clocks(script: str) -> list[Clock]:
        Path("bot.py").write_text(script)
        enter.enter(Path("bot.py"), folder, "ada", lambda _: None, sent_at=NOW)
        return list(opened[-1].conditions.clocks.judged)

    assert clocks(RIGHT) == [Clock(move_ms=5000), Clock(move_ms=500)]
    rules.write_text(f'check = "ladder"\n{plain}')
    assert clocks(RIGHT + "# 2") == [Clock(move_ms=1000)]
    assert opened[-1].conditions.terms is not None
    ladder = folder / "tournaments" / "ladder.toml"
    ladder.write_text(ladder.read_text().replace("1000\n\n[[", "80\n\n[["))
    assert clocks(RIGHT + "# 3") == [Clock(move_ms=80)]
    rules.write_text(f'check = "lader"\n{plain}')
    with pytest.raises(ConfigError, match=r'course.toml:1: check: no tournament "lader"'):
        clocks(RIGHT + "# 4")
    assert len(opened) == 3


def test_bots_of_another_game_than_the_named_tournaments_are_checked_as_without_one(
    opened: list[Opened],
) -> None:
    folder, bot = Path("course"), Path("fox")
    course.init(folder)
    course.add_owners(folder, ["ada"], NOW)
    rules = folder / course_file.FILE
    rules.write_text(f'check = "ladder"\n{rules.read_text()}')
    bot.mkdir()
    (bot / "bot.py").write_text(RIGHT)
    for games, limit in (('["dots"]', 5000), ('["dots", "othello"]', 1000)):
        (bot / "bot.toml").write_text(
            f'name = "fox"\nrules = {games}\ncommand = ["python3", "bot.py"]\n'
        )
        enter.enter(bot, folder, "ada", lambda _: None, sent_at=NOW)
        assert opened[-1].conditions.clocks.judged[0] == Clock(move_ms=limit)
