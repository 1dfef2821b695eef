"""A bot's way into a course: what is checked again, what is kept, and what the caller sees."""

import os
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest

from arena.bots import course, course_file
from arena.bots.package import package_store, take
from arena.bots.versions import CheckedItem, playing
from arena.checks.conditions import Conditions
from arena.checks.events import Checked, Checking, Entered, Event, Judging, PointJudged
from arena.checks.result import Checklist, CheckResult
from arena.entering import enter
from arena.errors import SubmissionError
from arena.model.containment import Held, SandboxChoice
from arena.model.contender import Prepared
from arena.model.protocol import Clock
from tests.right_bot import RIGHT

BOT, CLASS = Path("bot.py"), Path("class")
NOW, LATER = (datetime(2026, 11, day, 12, tzinfo=UTC) for day in (1, 2))
TRIED = CheckedItem(title="starts", passed=True, detail="in 12 ms")
LEGAL = CheckedItem(title="legal moves", passed=True, detail="4 games")


class Course:
    """A course in this folder, whose checks find what `found` has; `happened` is their order."""

    def __init__(self) -> None:
        course.init(CLASS)
        course.add_owners(CLASS, ["ada"], NOW)
        self.found = [TRIED, LEGAL]
        self.happened: list[str] = []
        self.conditions: list[Conditions] = []

    def enter(self, text: str, sent_at: datetime = NOW, **options: Any) -> Entered:
        BOT.write_text(text)
        return enter.enter(
            BOT,
            CLASS,
            "ada",
            lambda _: None,
            sent_at=sent_at,
            returning=lambda: self.happened.append("returns"),
            accepting=lambda: self.happened.append(f"accepts after {self.plays}"),
            **options,
        )

    def check(self, path: Path, conditions: Conditions, *_: object) -> Checklist:
        self.happened.append("checks")
        self.conditions.append(conditions)
        results = [
            CheckResult(number=number, seconds=0, **item.model_dump())
            for number, item in enumerate(self.found, 1)
        ]
        return Checklist.of(str(path), Held(), results, conditions.seed)

    @property
    def plays(self) -> int | None:
        """The number of the version of ada's that plays."""
        receipt = playing(CLASS / "ada")
        return receipt.number if receipt else None


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Course:
    monkeypatch.setenv("ARENA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    made = Course()
    monkeypatch.setattr(enter, "check", made.check)
    return made


def version_of(number: int) -> str:
    receipt = playing(CLASS / "ada")
    assert receipt is not None and receipt.number == number
    return f"ada@{number} ({receipt.digest[:8]})"


def test_a_bot_that_passes_is_kept_with_what_was_found(here: Course) -> None:
    first = here.enter(RIGHT)
    assert first == Entered(name="ada", rules=None, version=version_of(1), before=None)
    kept = playing(CLASS / "ada")
    assert kept is not None
    assert (kept.accepted_at, kept.owner, kept.checked) == (NOW, "ada", (TRIED, LEGAL))
    second = here.enter(f"{RIGHT}# 2")
    assert (second.version, second.before) == (version_of(2), first.version)
    assert here.happened == ["checks", "accepts after None", "checks", "accepts after 1"]


@pytest.mark.parametrize("passed", [True, False])
def test_the_bot_before_is_that_which_plays_after_the_check(
    here: Course, monkeypatch: pytest.MonkeyPatch, *, passed: bool
) -> None:
    """Another may be accepted meanwhile: its author is named where the folder has no owners."""
    others = list[Entered]()

    def meanwhile(*arguments: Any) -> Checklist:
        monkeypatch.setattr(enter, "check", here.check)
        others.append(here.enter(f"{RIGHT}# 2"))
        here.found = [TRIED.model_copy(update={"passed": passed})]
        return here.check(*arguments)

    here.enter(RIGHT)
    monkeypatch.setattr(enter, "check", meanwhile)
    third = here.enter(f"{RIGHT}# 3")
    assert (third.before, bool(third.version)) == (others[0].version, passed)


def test_of_a_bot_that_fails_nothing_is_kept(here: Course) -> None:
    first = here.enter(RIGHT)
    stored = set(package_store().iterdir())
    here.found = [CheckedItem(title="starts", passed=False, detail="it exits")]
    failed = here.enter(f"{RIGHT}# 2")
    assert (failed.version, failed.before) == (None, first.version)
    assert here.plays == 1
    assert here.happened[2:] == ["checks"]
    assert set(package_store().iterdir()) == stored


def test_a_version_that_was_checked_returns_without_another_check(here: Course) -> None:
    first, second = here.enter(RIGHT), here.enter(f"{RIGHT}# 2")
    here.happened.clear()
    again = here.enter(f"{RIGHT}# 2", LATER)
    assert (again.version, again.before) == (second.version, second.version)
    assert here.happened == ["accepts after 2"], "it plays already"
    back = here.enter(RIGHT, LATER)
    assert (back.version, back.before) == (first.version, second.version)
    assert here.happened[1:] == ["returns", "accepts after 2"]
    course.withdraw(CLASS, "ada", "ada")
    assert here.enter(RIGHT, LATER).before is None
    assert here.happened[3:] == ["returns", "accepts after None"]
    kept = playing(CLASS / "ada")
    assert kept is not None and (kept.accepted_at, kept.checked) == (NOW, (TRIED, LEGAL))


def test_a_return_can_be_refused(here: Course) -> None:
    here.enter(RIGHT)
    here.enter(f"{RIGHT}# 2")

    def refuse() -> None:
        raise SubmissionError("not now")

    BOT.write_text(RIGHT)
    with pytest.raises(SubmissionError, match="not now"):
        enter.enter(BOT, CLASS, "ada", lambda _: None, sent_at=NOW, returning=refuse)
    assert here.plays == 2


def test_for_a_tournament_what_was_checked_is_checked_again(
    here: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For the one that is given, by the Python of the course."""
    monkeypatch.setattr(course, "python_of", {CLASS: sys.executable}.get)
    rules = CLASS / course_file.FILE
    rules.write_text(f'check = "ladder"\n{rules.read_text()}')
    Path("cup.toml").write_text('[game]\nrules = "dots"\n[clock]\nmove_ms = 77\n')
    here.enter(RIGHT)
    again = here.enter(RIGHT, tournament=Path("cup.toml"))
    assert again.version == again.before == version_of(1)
    assert here.happened == ["checks", "accepts after None", "checks", "accepts after 1"]
    ladder, cup = here.conditions
    assert ladder.clocks.judged == (Clock(move_ms=1000),)
    assert cup.clocks.judged == (Clock(move_ms=77),)
    assert {each.default_python for each in here.conditions} == {sys.executable}


def test_a_bot_is_checked_by_the_table_that_will_take_it(here: Course) -> None:
    clocks = {"others": 55, str(CLASS): 66, "others again": 77}
    tables = (f'[[player]]\nfrom = "{name}"\nclock.move_ms = {ms}\n' for name, ms in clocks.items())
    Path("cup.toml").write_text('[game]\nrules = "dots"\n' + "".join(tables))
    here.enter(RIGHT, tournament=Path("cup.toml"))
    assert here.conditions[0].clocks.judged == (Clock(move_ms=66),)


def test_what_was_built_before_is_not_built_again(here: Course) -> None:
    bot = Path("fox")
    bot.mkdir()
    (bot / "bot.toml").write_text(
        'name = "fox"\nrules = ["dots"]\nbuild = ["false"]\ncommand = ["python3", "bot.py"]\n'
    )
    (bot / "bot.py").write_text(RIGHT)
    built = take(bot).model_copy(update={"build": None})
    course.submit(CLASS, built, [TRIED], "ada", NOW)
    again = enter.enter(bot, CLASS, "ada", lambda _: None, sent_at=NOW)
    assert again.version == again.before is not None
    assert again.rules == ("dots",)


def test_a_bot_keeps_its_name_when_a_new_builtin_player_has_it(here: Course) -> None:
    """In a folder that is no course, where a script has the name of its file."""
    bot = Path("greedy.py")
    bot.write_text(RIGHT)
    with pytest.raises(SubmissionError, match="choose another name for the file"):
        enter.enter(bot, Path("mine"), None, lambda _: None)
    course.submit(Path("mine"), take(bot), (), None, NOW)
    bot.write_text(f"{RIGHT}# 2")
    entered = enter.enter(bot, Path("mine"), None, lambda _: None)
    assert entered.version is not None and entered.version.startswith("greedy@2")


def test_a_bot_is_submitted_now_unless_it_was_sent_before(here: Course) -> None:
    BOT.write_text(RIGHT)
    before = datetime.now(UTC)
    enter.enter(BOT, CLASS, "ada", lambda _: None)
    kept = playing(CLASS / "ada")
    assert kept is not None and before <= kept.accepted_at <= datetime.now(UTC)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A checklist of two items without a sandbox or a bot's process, and what it is made from."""
    given: dict[str, Any] = {}

    def resolve(sandbox: SandboxChoice, _: Prepared) -> Held:
        given["sandbox"] = sandbox
        return Held(notes=(sandbox,))

    def run_checks(
        opened: Path, opponent: Prepared, _: Held, __: Conditions, judging: Callable[[str], None]
    ) -> Iterator[CheckResult]:
        given.update(opened=opened, opponent=opponent)
        for number in (1, 2):
            judging(f"{number}")
            yield CheckResult(number=number, title="t", seconds=1, passed=True, detail="well")

    monkeypatch.setattr(enter, "resolve", resolve)
    monkeypatch.setattr(enter, "run_checks", run_checks)
    return given


def test_a_check_is_followed_item_by_item(run: dict[str, Any]) -> None:
    """A note ends the first item alone; a name that is no text is escaped."""
    events: list[Event] = []
    conditions = Conditions(seed=5)
    path = Path(os.fsdecode(b"b\xff.py"))
    checklist = enter.check(path, conditions, "limits", events.append, BOT, "mind its name")
    opening, *middle, checked = events
    assert opening == Checking(held=Held(notes=("limits",)), terms=None)
    assert checked == Checked(checklist=checklist)
    assert [type(each) for each in middle] == [Judging, PointJudged] * 2
    assert [each.detail for each in checklist.results] == ["well\nmind its name", "well"]
    assert [each.result for each in middle if isinstance(each, PointJudged)] == [*checklist.results]
    assert (checklist.bot, checklist.seed, checklist.passed) == (r"b\xff.py", 5, True)
    assert run["opened"] == BOT
    assert run["opponent"].builtin, "it is not contained"


def test_a_sandbox_that_is_asked_for_comes_before_that_of_the_tournament(
    run: dict[str, Any],
) -> None:
    conditions = Conditions(seed=5, sandbox="bwrap")
    for asked, used in ((None, "bwrap"), ("limits", "limits")):
        enter.check(BOT, conditions, cast("Any", asked), lambda _: None, BOT)
        assert run["sandbox"] == used


def test_without_a_tournament_a_check_has_the_games_and_the_seed_that_are_given() -> None:
    given = enter.conditions_of(BOT, None, ["dots"], 0)
    assert (given.rules, given.seed) == (("dots",), 0)
    drawn = {enter.conditions_of(BOT, None, []).seed for _ in range(5)}
    assert len(drawn) > 1
    assert enter.conditions_of(BOT, None, []).rules is None, "all of them"
