"""Parts of a record that are read, and parts that are left out."""

from pathlib import Path

from arena.model.record import GameRecord, PlayedMove, SeatRecord

SCHEMA_1 = Path(__file__).parent / "schema1"
INFO = {"score": 1.0}


def test_the_info_of_the_named_alone_is_left_out_and_counted() -> None:
    record = GameRecord.model_validate_json((SCHEMA_1 / "record.json").read_text())
    seats = tuple(SeatRecord(player=name, info_kept=9, info_cut=1) for name in ("ant", "bee"))
    infos = ((0, INFO), (1, INFO), (0, None), (1, None), (-1, None), (0, INFO))
    moves = tuple(PlayedMove(seat=seat, move="m", info=info) for seat, info in infos)
    record = record.model_copy(update={"seats": seats, "moves": moves})
    less = record.without_info(["ant"])
    assert [move.info for move in less.moves] == [None, INFO, None, None, None, None]
    assert [(seat.info_kept, seat.info_cut) for seat in less.seats] == [(0, 2), (9, 1)]


def test_the_tail_of_stderr_follows_its_head() -> None:
    assert SeatRecord(player="ant", stderr_head="one ", stderr_tail="two").stderr == "one two"
