"""What `arena check` opens for the path that is typed, and by which Python."""

from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import pytest

from arena.bots import course
from arena.bots.package import take
from arena.checks.conditions import Conditions
from arena.checks.result import Checklist
from arena.entering import enter
from arena.errors import PackageError
from arena.model.containment import Held
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
        typed: Path, conditions: Conditions, _: object, __: object, place: Path, note: str
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


def test_a_script_that_a_course_alone_takes_is_told(opened: list[Opened]) -> None:
    Path("name with space.py").write_text(RIGHT)
    for name in ("bot.py", "name with space.py"):
        check(name)
    plain, spaced = opened
    assert not plain.note and spaced.place.name == "bot.py"
    assert spaced.note.startswith("a course takes it as it is; all others, arena match too, under")
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
    rules = folder / course.FILE
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
