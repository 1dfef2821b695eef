"""What the failures in several positions have in common."""

from itertools import islice

import pytest

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
        ('assert request["state"]["to_move"] == 1', ("dots",), ""),
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
