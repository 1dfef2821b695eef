"""Two players at once: they load together, and who waits is looked after too."""

import pytest

from arena.model.protocol import Clock, Termination
from arena.referee import SessionPool, play_game
from tests.conftest import Bots, Spec


def test_players_load_at_the_same_time(bots: Bots, pool: SessionPool, dots: Spec) -> None:
    players = bots.hostile("waits_for_another"), bots.hostile("waits_for_another")
    record = play_game(*dots(*players, startup_ms=60_000), pool)
    assert record.termination is Termination.NATURAL, record.detail


def test_a_ready_is_timed_when_it_comes(bots: Bots, pool: SessionPool, dots: Spec) -> None:
    record = play_game(*dots(bots.hostile("slow_start"), bots.hostile()), pool)
    slow, quick = (seat.startup_ms or 0 for seat in record.seats)
    assert quick < slow


@pytest.mark.parametrize("hung", [0, 1])
def test_who_is_ready_in_time_is_not_late_because_the_other_hangs(
    hung: int, bots: Bots, pool: SessionPool, dots: Spec
) -> None:
    players = [bots.hostile(), bots.hostile()]
    players[hung] = bots.hostile("hang_at_start")
    spec = dots(*players, startup_ms=600, grace_ms=0, on_fault="random_move")
    record = play_game(*spec, pool)
    assert record.termination is Termination.NATURAL
    assert [seat.random_moves > 0 for seat in record.seats] == [hung == 0, hung == 1]
    assert record.seats[hung].startup_ms is None


def test_when_both_fail_the_first_seat_is_named(bots: Bots, pool: SessionPool, dots: Spec) -> None:
    record = play_game(*dots(bots.hostile("exits_at_start"), bots.hostile("banner")), pool)
    assert (record.termination, record.offender) == (Termination.EXITED, 0)


def test_memory_is_watched_while_the_opponent_thinks(
    bots: Bots, pool: SessionPool, dots: Spec
) -> None:
    hog = bots.hostile("hogs_between_turns", memory_mb=100)
    spec = dots(hog, bots.hostile("nearly_late"), clock=Clock(move_ms=1500))
    record = play_game(*spec, pool)
    assert (record.termination, record.offender) == (Termination.OUT_OF_MEMORY, 0), record.detail
    assert [move.seat for move in record.moves] == [0, 1]
    assert bots.left() == []


def test_noise_in_the_opponents_time_is_judged_at_the_own_turn(
    bots: Bots, pool: SessionPool, dots: Spec
) -> None:
    players = bots.hostile("answers_twice"), bots.hostile("nearly_late")
    record = play_game(*dots(*players), pool)
    assert (record.termination, record.offender) == (Termination.UNSOLICITED, 0), record.detail
    assert [move.seat for move in record.moves] == [0, 1]
