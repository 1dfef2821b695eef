"""Clocks: a limit for each move, a bank for all, increments, and what the grace let pass."""

import pytest

from arena.model.protocol import Clock
from arena.referee.requests import PlayerClock


def limits(control: Clock, *used_ms: float) -> list[int]:
    """What each move may take, the one after the last included."""
    clock = PlayerClock.full(control)
    found = [clock.limit_ms]
    for used in used_ms:
        clock = clock.after(used)
        found.append(clock.limit_ms)
    return found


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


def test_the_bank_is_told_in_whole_milliseconds_or_not_at_all() -> None:
    assert PlayerClock.full(Clock(move_ms=500)).after(20).shown_bank_ms is None
    bank = PlayerClock.full(Clock(move_ms=None, bank_ms=100)).after(0.5)
    assert (bank.shown_bank_ms, bank.bank_ms) == (99, 99.5)
