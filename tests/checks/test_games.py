"""What a second game in a process shows, and how whole games are told."""

import re
from itertools import islice
from pathlib import Path

import pytest

from arena.checks import answers, games
from arena.model.contender import Prepared
from arena.model.game_spec import GameSetup
from arena.model.protocol import Termination
from arena.model.record import GameRecord
from arena.referee import SessionPool, play_game
from tests.right_bot import RIGHT

from .conftest import Check

_MOVE = '        move = request["legal"][0]\n'


def dying(when: str) -> str:
    """A bot that dies at a turn `when` its request is so."""
    return RIGHT.replace(_MOVE, f"{_MOVE}        assert not ({when})\n")


def counted(folder: Path) -> str:
    """A piece of a bot: how often it was run by now, in any process."""
    log = f"open({str(folder / 'runs')!r}, 'a')"
    return f"(lambda log: (log.write('.'), log.tell()))({log})[1]"


@pytest.mark.parametrize(
    ("when", "where"),
    [
        ('request["state"]["rows"] == 3 and request["ply"] > 9', "in a first game too, at ply"),
        ('request["ply"] > 40', "in its first game, at ply 4"),
    ],
)
def test_a_death_that_no_item_saw_before_is_reported_with_its_line(
    when: str, where: str, check: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answers, "_BOARD_S", 0.0)  # as with a bot that thinks for long
    *_, legal, _, again = islice(check(dying(when)), 8)
    assert legal.passed
    assert (again.passed, again.verdict) == (False, Termination.EXITED)
    assert again.detail.startswith(where)
    assert again.fix == "Fix the error in student.py, line 10; it ended the program."


@pytest.mark.slow
def test_what_comes_by_chance_is_not_blamed_on_the_game_before(
    check: Check, tmp_path: Path
) -> None:
    chance = f"        move = move if {counted(tmp_path)} % 5 else 'a9a9'\n"
    *_, legal, _, again = islice(check(RIGHT.replace(_MOVE, _MOVE + chance)), 8)
    assert legal.verdict is Termination.ILLEGAL_MOVE
    assert again.passed or again.detail == "same failure as in item 6"


def test_a_fresh_process_is_asked_several_times(
    check: Check, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answers, "_BOARD_S", 0.0)
    late = f'request["state"]["rows"] == 3 and request["ply"] > 9 and {counted(tmp_path)} % 2'
    *_, again = islice(check(dying(late)), 8)
    assert again.detail.startswith("in a first game too, at ply ")


@pytest.mark.slow
@pytest.mark.parametrize("rules", [("dots",), ("2048",)])
def test_the_score_of_a_game_that_was_cut_short_is_no_result(
    rules: tuple[str, ...], check: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(games, "_MAX_PLIES", 9)
    results = list(check(RIGHT, rules=rules))
    for result in results[12:14]:
        assert re.search(rf"{rules[0]}.* \d+(–\d+)? \(cut short after 9 plies\)", result.detail)


@pytest.mark.slow
def test_a_game_of_the_other_that_is_void_is_no_result(
    check: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    def play(setup: GameSetup, players: tuple[Prepared, ...], pool: SessionPool) -> GameRecord:
        record = play_game(setup, players, pool)
        void = {"termination": Termination.VOID, "detail": "The host was overloaded."}
        return record.model_copy(update=void) if players[0].name == "other" else record

    monkeypatch.setattr(games, "_MAX_PLIES", 9)
    monkeypatch.setattr(games, "play_game", play)
    against, itself = list(check(RIGHT, rules=("2048",)))[12:14]
    assert against.passed is None and "The host was overloaded" in against.detail
    assert itself.passed


def test_what_is_wrong_only_late_in_a_game_is_reported_by_its_own_line(check: Check) -> None:
    late = _MOVE + "        turns += 1\n        move = move.title() if turns > 45 else move\n"
    begins = '    if request["type"] == "start":\n'
    text = RIGHT.replace(_MOVE, late).replace(begins, f"{begins}        turns = 0\n")
    again, _, _, _, _, against, itself = list(check(text, rules=("2048",)))[7:14]
    assert again.passed
    for result in (against, itself):
        assert result.fix is not None and result.line is not None
        assert re.fullmatch(r"Write moves as in `legal`: (\w+), not '\1'\.", result.fix, re.I)
        assert result.line_number == 47 and '"move": "' in result.line
