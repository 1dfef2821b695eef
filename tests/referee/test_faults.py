"""What a fault costs in time, and what is kept of the game before it.

Which faults there are, and the verdict on each, is in `tests/hostile`.
"""

from contextlib import nullcontext

import pytest

from arena.model.contender import Prepared
from arena.model.protocol import Termination
from arena.model.record import PlayerFault
from arena.referee import SessionPool, play_game
from tests.conftest import Bots, Spec

T = Termination
MOVE_MS, GRACE_MS = 300, 100


@pytest.mark.parametrize("fault", ["hangs", "stops_itself", "slow_drip"])
def test_a_hung_player_costs_its_limit_and_no_more(
    fault: str, bots: Bots, pool: SessionPool, dots: Spec
) -> None:
    record = play_game(*dots(bots.hostile(), bots.hostile(fault)), pool)
    started = [seat.startup_ms or 0 for seat in record.seats]  # perhaps at the same time
    assert record.termination is T.TIMEOUT
    assert record.duration_ms - max(started) >= MOVE_MS + GRACE_MS
    assert record.duration_ms - sum(started) <= MOVE_MS + GRACE_MS + 500


@pytest.mark.parametrize("lines", [100, 101])
def test_a_hundred_blank_lines_that_nobody_asked_for_are_let_pass(
    lines: int, pool: SessionPool
) -> None:
    words = ("sh", "-c", f"yes '' | head -n {lines}; cat")
    process = pool.open(Prepared(name="b", command=words)).process
    while len(process._buffer) < lines:
        process.look_after()
    with pytest.raises(PlayerFault, match="too much") if lines > 100 else nullcontext():
        process.expect_silence()


def test_the_moves_before_a_fault_are_kept(bots: Bots, pool: SessionPool, dots: Spec) -> None:
    record = play_game(*dots(bots.hostile(), bots.hostile("closes_stdin")), pool)
    assert record.termination is T.STDIN_CLOSED
    assert [(move.seat, move.move) for move in record.moves[:2]] == [(0, "a1b1"), (1, "b1c1")]
    assert record.final_state["horizontal"][0] == [1, 1]
