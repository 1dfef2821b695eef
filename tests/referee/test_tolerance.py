"""What is kept of a player that does nothing wrong, however odd it looks: see `tests/hostile`."""

from arena.model.protocol import Termination
from arena.model.record import GameRecord
from arena.referee import SessionPool, play_game
from tests.conftest import Bots, Spec


def played(fault: str, bots: Bots, pool: SessionPool, dots: Spec) -> GameRecord:
    """A game of the player against one without faults; nothing is left of it."""
    record = play_game(*dots(bots.hostile(fault), bots.hostile()), pool)
    assert record.termination is Termination.NATURAL, record.detail
    assert record.offender is None
    assert len(record.moves) == 12
    assert bots.left() == []
    return record


def test_who_stays_after_quit_is_killed_a_second_later(
    bots: Bots, pool: SessionPool, dots: Spec
) -> None:
    record = played("ignores_quit", bots, pool, dots)
    assert 1000 <= record.duration_ms < 3000


def test_names_are_kept_as_they_are_given(bots: Bots, pool: SessionPool, dots: Spec) -> None:
    seat = played("ready_path", bots, pool, dots).seats[0]
    assert (seat.reported_name, seat.reported_author) == ("../../etc/passwd", "/root")
    assert played("ready_umlaut", bots, pool, dots).seats[0].reported_name == "Köter 🐕"


def test_info_is_kept_without_unknown_fields(bots: Bots, pool: SessionPool, dots: Spec) -> None:
    record = played("info_whole", bots, pool, dots)
    told = {"score": 2.0, "depth": 3, "nodes": 10**18, "pv": ["a", "b"], "text": "né"}
    assert next(move.info for move in record.moves if move.seat == 0) == told
    assert next(move.info for move in record.moves if move.seat == 1) is None


def test_both_ends_of_stderr_are_kept(bots: Bots, pool: SessionPool, dots: Spec) -> None:
    seat = played("stderr_flood", bots, pool, dots).seats[0]
    assert seat.stderr_head == "head" + "e" * (32 * 1024 - 4)
    assert seat.stderr_tail == "e" * (32 * 1024 - 4) + "tail"
    assert seat.stderr_bytes > 2**20


def test_time_memory_and_startup_are_measured(bots: Bots, pool: SessionPool, dots: Spec) -> None:
    record = played("nearly_late", bots, pool, dots)
    slow, seat = record.moves[0], record.seats[0]
    assert slow.used_ms is not None and slow.cpu_ms is not None
    assert 250 <= slow.used_ms <= 400
    assert 0 <= slow.cpu_ms < slow.used_ms
    assert seat.startup_ms is not None and seat.startup_ms > 0
    assert seat.peak_memory_mb is not None and 1 < seat.peak_memory_mb < 100
