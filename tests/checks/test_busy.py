"""A check on a busy host blames the bot for what is the bot's fault."""

from itertools import islice
from typing import NoReturn

import pytest

from arena.checks import start_stop
from arena.checks.dialogue import Overloaded
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


def test_what_needs_a_start_waits_for_a_host_that_can_start_it(
    check: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    def overloaded(*_: object) -> NoReturn:
        raise Overloaded("late")

    monkeypatch.setattr(start_stop, "_start", overloaded)
    results = list(check(RIGHT))
    assert "not your fault: the machine was too busy" in results[2].detail
    assert {each.detail for each in results[3:]} == {"skipped until item 3 is judged"}
