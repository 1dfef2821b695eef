"""The referee notices that it did not run itself: a laptop's lid, a worker that was stopped."""

import sys
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from arena.model.contender import Prepared
from arena.model.protocol import Clock, Termination
from arena.referee import SessionPool, game, play_game
from arena.referee.lateness import Presence
from tests.conftest import BOTS, PYTHON, Bots, Spec
from tests.hostile.host import PlayedMatch, Referee

T = Termination
MS = 1_000_000


def test_a_look_that_comes_late_is_time_missed() -> None:
    times = iter([0, 10, 40, 400, 410, 2000])
    presence = Presence(lambda: next(times) * MS)
    assert presence.look() == 10 * MS
    presence.expect(35 * MS)
    presence.look()  # 5 ms late: that happens
    assert presence.missed == 0
    presence.expect(65 * MS)
    presence.look()
    assert presence.missed == 335 * MS
    presence.look()
    presence.look()  # at once, it was announced
    assert presence.missed == (335 + 1590) * MS


def lid(bots: Bots, *how: str) -> Prepared:
    command = (*PYTHON, str(BOTS / "lid.py"), bots.mark, *how)
    return Prepared(name="lid", command=command)


def refereed(bots: Bots, dots: Spec, *how: str, **terms: Any) -> PlayedMatch:
    """A game of a referee in a process of its own, which can be stopped."""
    referee = Referee("none", (sys.executable,), {})
    try:
        return referee.play(dots(lid(bots, *how), bots.hostile(), **terms))
    finally:
        referee.close()


@pytest.mark.slow
@pytest.mark.parametrize("how", [(), ("both",)], ids=["referee", "both"])
def test_a_player_is_not_late_while_its_referee_is_stopped(
    how: tuple[str, ...], bots: Bots, dots: Spec
) -> None:
    record = refereed(bots, dots, *how).record
    assert record.termination is T.VOID, record.detail
    assert "lid was late, and the referee itself had not run for " in record.detail
    assert record.offender is None


@pytest.mark.slow
def test_an_endless_loop_is_late_though_the_referee_was_stopped(bots: Bots, dots: Spec) -> None:
    record = refereed(bots, dots, "both", "loops").record
    assert (record.termination, record.offender) == (T.TIMEOUT, 0), record.detail


@pytest.mark.slow
def test_a_bank_does_not_pay_for_what_the_referee_missed(bots: Bots, dots: Spec) -> None:
    record = refereed(bots, dots, "both", clock=Clock(move_ms=None, bank_ms=60_000)).record
    assert record.termination is T.NATURAL, record.detail
    stopped = [move.used_ms for move in record.moves if move.seat == 0 and move.used_ms][1]
    assert record.duration_ms >= 1000 > stopped


@pytest.mark.slow
def test_a_step_of_the_wall_clock_changes_nothing(
    bots: Bots, pool: SessionPool, dots: Spec, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Stepping(datetime):
        """Goes back by a day at each look."""

        looks = 0

        @classmethod
        def now(cls, tz: Any = UTC) -> datetime:
            cls.looks += 1
            return datetime(2030, 1, 30, tzinfo=tz) - timedelta(days=cls.looks)

    monkeypatch.setattr(game, "datetime", Stepping)
    for name in ("time", "time_ns"):
        monkeypatch.setattr(time, name, lambda: pytest.fail("a wall clock was looked at"))
    record = play_game(*dots(bots.hostile(), bots.hostile("nearly_late")), pool)
    assert record.termination is T.NATURAL, record.detail
    assert 0 < record.duration_ms < 60_000
    assert all(move.used_ms is not None and move.used_ms >= 0 for move in record.moves)
