"""Clocks: a limit for each move, a bank for all, increments, and what the grace let pass."""

import json

import pytest

import rules
from arena.bench import instant
from arena.model.contender import Prepared
from arena.model.protocol import Clock, Termination
from arena.referee import SessionPool, play_game
from arena.referee.requests import Requests, TurnRequest
from tests.conftest import PYTHON, Spec


def asked(clock: Clock, *used_ms: float) -> list[TurnRequest]:
    """The turns of a player that takes so long for them, and the one after the last."""
    requests, position = Requests("g1", 0, clock, 9, 3, {}), rules.load("dots").start()
    found = [requests.turn(position, [])]
    for used in used_ms:
        requests.answered(0, used)
        found.append(requests.turn(position, []))
    return found


def limits(clock: Clock, *used_ms: float) -> list[int]:
    """What each move may take, the one after the last included."""
    return [turn.time_ms for turn in asked(clock, *used_ms)]


@pytest.mark.parametrize(
    ("control", "used_ms", "expected"),
    [
        (Clock(move_ms=500), (10, 500, 599), [500, 500, 500, 500]),
        (Clock(move_ms=None, bank_ms=1000), (300, 299.5), [1000, 700, 400]),
        (Clock(move_ms=None, bank_ms=1000, increment_ms=50), (300, 50), [1000, 750, 750]),
        (Clock(move_ms=500, bank_ms=1200), (500, 300), [500, 500, 400]),
        (Clock(move_ms=500, bank_ms=400, increment_ms=300), (100, 0), [400, 500, 500]),
    ],
)
def test_limits(control: Clock, used_ms: tuple[float, ...], expected: list[int]) -> None:
    assert limits(control, *used_ms) == expected


def test_an_overrun_within_the_grace_leaves_an_empty_bank() -> None:
    assert limits(Clock(move_ms=None, bank_ms=100), 180) == [100, 0]
    assert limits(Clock(move_ms=None, bank_ms=100, increment_ms=30), 180) == [100, 30]


def test_the_bank_is_sent_in_whole_milliseconds_or_not_at_all() -> None:
    for clock, bank_ms in ((Clock(move_ms=500), None), (Clock(move_ms=None, bank_ms=100), 99)):
        last = asked(clock, 0.5)[-1]
        assert json.loads(last.line)["bank_ms"] == bank_ms
        assert last.banked == (bank_ms is not None)


@pytest.mark.parametrize(
    ("all_ms", "own", "late"),
    [(100, Clock(move_ms=5000), 1), (5000, Clock(move_ms=None, bank_ms=100), 0)],
)
def test_a_clock_of_its_own_is_what_a_player_is_judged_by(
    all_ms: int, own: Clock, late: int, dots: Spec, pool: SessionPool
) -> None:
    slow = Prepared(name="all", command=(*PYTHON, instant.__file__), options={"think_ms": 400})
    odd = slow.model_copy(update={"name": "odd", "clock": own})
    game = dots(odd, slow, clock=Clock(move_ms=all_ms), startup_ms=30_000)
    record = play_game(*game, pool)
    assert (record.termination, record.offender) == (Termination.TIMEOUT, late)
    assert len(record.moves) == late
    assert [seat.clock for seat in record.seats] == [own, None]
