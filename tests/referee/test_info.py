"""What is kept of `info`: a bot that tells much fills no disk, and the report says so once."""

from arena.model.protocol import INFO_A_GAME, INFO_A_MOVE
from arena.model.record import GameRecord
from arena.ratings.results import digest
from arena.ratings.standings import standings
from arena.referee import SessionPool, play_game
from arena.referee.judge import GivenInfo
from arena.referee.seat import InfoKeeper
from arena.reports.replay import ending
from tests.conftest import Bots, Spec


def test_what_is_of_usual_length_is_kept_as_it_is() -> None:
    keeper = InfoKeeper()
    told: GivenInfo = {
        "score": 1.5,
        "depth": 3,
        "nodes": 10**18,
        "pv": ["a1b1", "c1d1"],
        "text": "né",
    }
    assert keeper.take(told) == told
    assert keeper.take(GivenInfo(text="", pv=[])) == {"text": "", "pv": []}
    assert keeper.take(GivenInfo()) == {}
    assert keeper.take(None) is None
    assert (keeper.characters, keeper.cut) == (2 * len('"a1b1",') + 2, 0)


def test_a_move_has_bounds() -> None:
    keeper = InfoKeeper()
    assert keeper.take(GivenInfo(text="t" * 60_000)) == {"text": "t" * INFO_A_MOVE}
    assert keeper.take(GivenInfo(pv=[""] * 20_000)) == {"pv": [""] * (INFO_A_MOVE // 3)}
    before = keeper.characters
    assert keeper.take(GivenInfo(pv=["p" * 60_000, "a"], text="why", depth=2)) == {
        "pv": [], "text": "why", "depth": 2,
    }  # fmt: skip
    assert (keeper.characters, keeper.cut) == (before + len("why"), 3)


def test_a_game_has_bounds_but_for_numbers() -> None:
    keeper = InfoKeeper()
    for depth in range(1000):
        told = keeper.take(GivenInfo(text="t" * 1000, depth=depth))
        assert told is not None and told["depth"] == depth
    assert keeper.characters == INFO_A_GAME
    assert keeper.cut == 1000 - INFO_A_GAME // 1000


def test_a_replay_tells_what_was_cut(bots: Bots, pool: SessionPool, dots: Spec) -> None:
    spec = dots(bots.hostile("info_60_kb"), bots.hostile())
    records = [play_game(*spec.but(game=game), pool) for game in ("g1", "g2")]
    for record in records:
        assert len(record.model_dump_json()) < 6 * INFO_A_MOVE + 20_000
        assert [seat.info_cut for seat in record.seats] == [6, 0]
        again = GameRecord.model_validate_json(record.model_dump_json())
        assert again == record
        mute = record.without_info(["info_60_kb"])
        assert [seat.info_kept for seat in mute.seats] == [0, 0]
        assert not any(move.info for move in mute.moves)
    assert not standings(map(digest, records)).faults
    told = ending(records[0]).plain
    assert "info_60_kb: its `info` was cut 6 times, at no cost to it: 4,096 characters" in told
