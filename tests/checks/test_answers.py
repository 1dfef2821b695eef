"""What the failures in several positions have in common."""

from collections.abc import Callable
from itertools import islice
from types import SimpleNamespace
from typing import Any

import pytest

from arena.checks.answers import AskedPosition, _pattern
from arena.checks.dialogue import Offence
from arena.checks.positions import boards_of, practice_positions
from arena.model.protocol import Termination
from arena.model.record import PlayerFault
from tests.right_bot import RIGHT

from .conftest import Check

_MOVE = '        move = request["legal"][0]\n'
_ASK = "if it is not meant to play that, say what it plays:"


@pytest.mark.parametrize(
    ("line", "rules", "expected"),
    [
        (
            '"" + request["state"].get("board", [0])[0]',
            None,
            f"It fails only in dots, 2048, 2584: {_ASK} "
            '`rules = ["othello"]` in a bot.toml, or --rules othello. ',
        ),
        ('assert "rows" not in request["state"]', ("dots", "othello"), ""),
        ('assert request["state"]["to_move"] == 1', ("dots",), "It fails only at seat 0. "),
        ('assert len(request["legal"][request["state"]["to_move"] :])', ("dots",), ""),
        ('assert request["state"]["to_move"] == 0', ("dots",), "It fails only at seat 1. "),
        # by chance in one board alone
        ('assert len(request["legal"]) not in range(30, 36)', ("dots",), ""),
    ],
)
def test_the_pattern_of_the_failures(
    line: str, rules: tuple[str, ...] | None, expected: str, check: Check
) -> None:
    *_, legal = islice(check(RIGHT.replace(_MOVE, f"{_MOVE}        {line}\n"), rules=rules), 6)
    assert legal.fix == f"{expected}Fix the error in student.py, line 10; it ended the program."


_IN_ONE = (
    "It fails only in dots 3×3: read size and rules from `variant` in each `start`, or, if it is "
    "not meant to play that, check it with the file of its tournament (--tournament FILE, or "
    "`check` in course.toml)."
)


@pytest.mark.parametrize(
    ("termination", "fails", "expected"),
    [
        (Termination.ILLEGAL_MOVE, lambda at, last: at == 0, ""),
        (Termination.ILLEGAL_MOVE, lambda at, last: at in (0, last), _IN_ONE),
        (Termination.EXITED, lambda at, last: at in (0, last), ""),
        (Termination.EXITED, lambda at, last: at % 2 == 0, _IN_ONE),
    ],
)
def test_failures_in_one_board_are_blamed_on_it_where_they_are_no_chance(
    termination: Termination, fails: Any, expected: str
) -> None:
    offence, asked = Offence(PlayerFault(termination, "…")), list[AskedPosition]()
    for board, game in boards_of("dots").items():
        positions = practice_positions(game, 1)
        for number, at in enumerate(positions):
            wrong = board == "dots 3×3" and fails(number, len(positions) - 1)
            asked.append(AskedPosition(board, at, offence if wrong else None))
    subject: Any = SimpleNamespace(claims=("dots",), wrong={termination})
    assert _pattern(asked, subject) == expected


Fails = Callable[[AskedPosition], bool]
BOARDS = {
    rule_set: {name: practice_positions(game, 1) for name, game in boards_of(rule_set).items()}
    for rule_set in ("dots", "othello")
}


def in_dots(one: AskedPosition) -> bool:
    return one.rule_set == "dots"


def pattern(fails: Fails, claims: tuple[str, ...] | None, termination: Termination) -> str:
    """What is said of a program that is asked everything and fails there."""
    asked = list[AskedPosition]()
    for boards in (BOARDS[rule_set] for rule_set in claims or BOARDS):
        for board, positions in boards.items():
            asked += [AskedPosition(board, at, None) for at in positions]
    wrong = Offence(PlayerFault(termination, "…"))
    asked = [one._replace(offence=wrong if fails(one) else None) for one in asked]
    subject: Any = SimpleNamespace(claims=claims, wrong={termination})
    return _pattern(asked, subject)


def first(one: AskedPosition) -> bool:
    return one.at is BOARDS["dots"]["dots 5×5"][0]


_CLAIM = f"It fails only in dots: {_ASK}"


@pytest.mark.parametrize(
    ("fails", "claims", "said"),
    [
        (in_dots, None, _CLAIM),
        (lambda one: in_dots(one) and len(one.at.moves) > 20, None, _CLAIM),
        (first, None, ""),  # by chance
        (in_dots, ("dots", "othello"), ""),  # it said that it plays both
        (lambda one: one.at.seat == 1, None, "It fails only at seat 1."),
        (lambda one: in_dots(one) and one.at.seat == 1, None, "It fails only at seat 1."),
        (lambda one: one.at.seat == 1, ("dots",), "It fails only at seat 1."),
        (lambda one: one.at.seat == 1 and len(one.at.moves) == 1, ("dots",), ""),
        (lambda one: True, None, ""),
    ],
)
def test_a_rule_set_or_a_seat_is_blamed_where_the_failures_say_so(
    fails: Fails, claims: tuple[str, ...] | None, said: str
) -> None:
    found = pattern(fails, claims, Termination.EXITED)
    assert found.startswith(said) and bool(found) is bool(said), found


def test_one_who_moves_for_the_wrong_seat_is_told_where_its_seat_is_said() -> None:
    found = pattern(lambda one: one.at.seat == 1, ("dots",), Termination.ILLEGAL_MOVE)
    assert "take the seat from each `start`" in found


def test_a_seat_is_blamed_only_where_each_board_was_asked_in_both() -> None:
    positions = BOARDS["dots"]
    asked = [
        AskedPosition(board, at, None if at.seat else Offence(PlayerFault(Termination.EXITED, "…")))
        for board, limit in (("dots 5×5", 2), ("dots 3×3", 1))
        for at in positions[board]
        if at.seat < limit
    ]
    subject: Any = SimpleNamespace(claims=("dots",), wrong={Termination.EXITED})
    assert _pattern(asked, subject) == ""


def test_a_board_is_blamed_not_a_seat_where_only_one_board_fails() -> None:
    """A slow bot for standard Othello alone: time was over soon after the first seat."""
    offence, asked = Offence(PlayerFault(Termination.ILLEGAL_MOVE, "…")), list[AskedPosition]()
    for board, positions in BOARDS["othello"].items():
        seats = [[at for at in positions if at.seat == seat] for seat in (0, 1)]
        late = seats[1] if board == "othello" else seats[1][:2]
        asked += [AskedPosition(board, at, None) for at in late]
        wrong = None if board == "othello" else offence
        asked += [AskedPosition(board, at, wrong) for at in seats[0]]
    subject: Any = SimpleNamespace(claims=("othello",), wrong={Termination.ILLEGAL_MOVE})
    assert _pattern(asked, subject).startswith("It fails only in othello cornerless: ")


def test_the_only_board_is_not_blamed() -> None:
    illegal = Offence(PlayerFault(Termination.ILLEGAL_MOVE, "…"))
    positions = BOARDS["dots"]["dots 5×5"]
    asked = [
        AskedPosition("dots 5×5", at, illegal if number % 2 else None)
        for number, at in enumerate(positions)
    ]
    subject: Any = SimpleNamespace(claims=("dots",), wrong={Termination.ILLEGAL_MOVE})
    assert _pattern(asked, subject) == ""
