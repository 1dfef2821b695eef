"""A check on a busy host blames the bot for what is the bot's fault."""

from itertools import islice

from arena.model.protocol import Termination
from tests.right_bot import RIGHT
from tests.sandbox.test_overload import busy, on_one_core

from .conftest import QUICK, Check


def test_an_endless_loop_is_found(check: Check) -> None:
    choice = '        move = request["legal"][0]\n'
    loop = RIGHT.replace(choice, "        while True:\n            pass\n")
    with on_one_core(), busy(2):
        *_, result = islice(check(loop, clocks=QUICK._replace(patience_ms=200)), 6)
    assert (result.title, result.verdict) == ("legal moves", Termination.TIMEOUT), result
    assert "Look for an endless loop" in (result.fix or "")
