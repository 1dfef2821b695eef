"""What an owner's lost games become, in runs that were made up."""

import asyncio
from pathlib import Path

import pytest

from arena.model.containment import Held
from arena.model.contender import CommandLine, Contender, Home
from arena.model.record import STDERR_FOLLOWS, GameRecord
from arena.tournament.config import Player
from arena.web import losses as module
from arena.web.losses import Loss, losses
from arena.web.runs import Runs
from tests.reports.conftest import Play
from tests.reports.runs import begun

ERROR = f"The player exited.{STDERR_FOLLOWS}"
"""The referee's sentence, before what the program wrote."""


@pytest.fixture
def course(tmp_path: Path) -> Path:
    return tmp_path / "secret" / "course"


def lost(play: Play, game: int, *, error: str = "", stderr: str = "") -> GameRecord:
    """A game that ada's bot loses, by a fault with an error or by the score."""
    record = play(
        "dots",
        "fox",
        "wolf",
        game=f"g{game}",
        rows=1,
        cols=1,
        forfeit=0 if error else None,
        winner=1,
        stderr=stderr,
    )
    return record.model_copy(update={"detail": ERROR + error} if error else {})


def of_ada(course: Path, *records: GameRecord, name: str = "cup") -> list[Loss]:
    """Her losses, with those of this run of the course."""
    players = tuple(
        Player(
            bot=bot, builtin=None, uses_clock=None, owner=owner,
            contender=Contender(name=bot, program=CommandLine(words=("x",))),
            home=Home(held=Held(), package=str(course / bot)),
        )
        for bot, owner in (("fox", "ada"), ("wolf", "bob"))
    )  # fmt: skip
    folder = course / "runs"
    folder.mkdir(parents=True, exist_ok=True)
    with begun(folder / f"{name}.sqlite", list(records), players=players) as store:
        for record in records:
            store.add(record)
    return asyncio.run(losses(Runs(folder), "ada"))


def games(found: list[Loss]) -> list[list[str]]:
    return [[game for game, _ in each.games] for each in found]


def test_faults_at_one_place_are_an_entry_with_its_last_three_games(
    course: Path, play: Play
) -> None:
    """The place where the program failed, not the one that called it."""
    late, soon = (f'bot.py", line 9, in main | bot.py", line {line}, in best' for line in (2, 5))
    found = of_ada(course, *(lost(play, n, error=soon if n == 1 else late) for n in range(1, 6)))
    assert games(found) == [["g5", "g4", "g3"], ["g1"]]
    assert [each.many for each in found] == [4, 1]


def test_games_lost_by_the_score_are_an_entry_each(
    course: Path, play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_EACH", 3)
    records = [lost(play, n, error="bot.py:3" if n == 1 else "") for n in range(1, 6)]
    assert games(of_ada(course, *records)) == [["g1"], ["g5"], ["g4"]], "and faults are not cut off"


def test_a_loss_names_no_folder_of_the_course(course: Path, play: Play) -> None:
    book = course / "fox" / "book.bin"
    fault = lost(play, 1, error=f"cannot read {book}")
    fault = fault.model_copy(update={"detail": f"{book} ended. {fault.detail}"})
    by_fault, by_score = of_ada(course, fault, lost(play, 2, stderr=f"cannot read {book}"))
    assert (by_fault.detail, by_score.detail) == ("book.bin ended. The player exited.", "")
    assert by_fault.stderr == by_score.stderr == "cannot read book.bin"


def test_the_newest_come_first_whatever_their_run(course: Path, play: Play) -> None:
    first, second, third = (
        lost(play, day).model_copy(update={"started_at": f"2026-11-0{day}T12:00:00Z"})
        for day in (1, 2, 3)
    )
    of_ada(course, first, third)
    assert games(of_ada(course, second, name="night")) == [["g3"], ["g2"], ["g1"]]


def test_a_run_that_cannot_be_read_hides_no_loss_of_another(course: Path, play: Play) -> None:
    (course / "runs").mkdir(parents=True)
    (course / "runs" / "broken.sqlite").write_bytes(b"no database" * 100)
    assert games(of_ada(course, lost(play, 1))) == [["g1"]]
