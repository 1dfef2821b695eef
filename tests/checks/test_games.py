"""What a second game in a process shows, and how whole games are told."""

from itertools import islice

import pytest

from arena.checks import answers
from arena.model.protocol import Termination
from tests.right_bot import RIGHT

from .conftest import Check

_MOVE = '        move = request["legal"][0]\n'


def dying(when: str) -> str:
    """A bot that dies at a turn `when` its request is so."""
    return RIGHT.replace(_MOVE, f"{_MOVE}        assert not ({when})\n")


@pytest.mark.parametrize(
    ("when", "where"),
    [
        ('request["state"]["rows"] == 3 and request["ply"] > 9', "in a first game too, at ply"),
        ('request["ply"] > 40', "in its first game, at ply 4"),
    ],
)
def test_a_death_that_no_item_saw_before_is_told_with_its_line(
    when: str, where: str, check: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answers, "_BOARD_S", 0.0)  # as with a bot that thinks for long
    *_, legal, _, again = islice(check(dying(when)), 8)
    assert legal.passed
    assert (again.passed, again.verdict) == (False, Termination.EXITED)
    assert again.detail.startswith(where)
    assert again.fix == "Fix the error in student.py, line 10; it ended the program."
