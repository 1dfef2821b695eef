"""The championship's record of dots and boxes."""

import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rules
from arena.records import TEXTS
from arena.records.championship import read_record
from arena.records.form import ParsedGame, record_of
from arena.records.run_file import read_file
from rules.dots import Dots

FIVE = Dots(5, 5, stop_at_majority=False)
MOVES = ["a1b1", "a1a2", "f5f6", "a6b6"]


def written(game: Dots, moves: Sequence[str]) -> str:
    """The record of a game of two players."""
    parsed = ParsedGame(moves, players=("甲", "乙"), date="2024-08-01")
    return TEXTS["record"](record_of(parsed, game, 1), "2024 CCGC")


GOOD: dict[str, Any] = json.loads(written(FIVE, MOVES))


def test_rows_are_counted_from_the_bottom_and_vertical_edges_named_by_their_lower_dot() -> None:
    assert GOOD == {
        "R": "甲",
        "B": "乙",
        "winner": "U",
        "RScore": 0,
        "BScore": 0,
        "Date": "2024-08-01",
        "Event": "2024 CCGC",
        "game": [
            {"piece": "r(a6,h)"},
            {"piece": "b(a5,v)"},
            {"piece": "r(f1,v)"},
            {"piece": "b(a1,h)"},
        ],
    }


def test_the_colour_is_that_of_the_mover_after_a_closed_box_too() -> None:
    game = Dots(1, 2, stop_at_majority=False)
    moves = ("a1b1", "a2b2", "a1a2", "b1b2", "b1c1", "c1c2", "b2c2")
    record = json.loads(written(game, moves))
    pieces = [entry["piece"][0] for entry in record["game"]]
    assert pieces == ["r", "b", "r", "b", "b", "r", "b"]
    assert (record["RScore"], record["BScore"]) == (0, 2)


@settings(max_examples=40)  # of whole games
@given(st.integers(1, 15), st.integers(1, 15), st.integers(0, 2**32))
def test_a_written_record_is_read_back(rows: int, cols: int, seed: int) -> None:
    game = Dots(rows, cols, stop_at_majority=False)
    rng = Random(seed)
    position: rules.Position = game.start()
    moves = []
    while not position.is_over:
        moves.append(rng.choice(position.legal_moves()))
        position = position.play(moves[-1])
    record = written(game, moves)
    scores = json.loads(record)
    assert (scores["RScore"], scores["BScore"]) == position.scores()
    assert read_record(game, record).moves == moves
    assert read_record(game, written(game, moves[:-1])).moves == moves[:-1]


def test_a_game_may_be_won_otherwise_and_carry_comments() -> None:
    good = read_record(FIVE, json.dumps(GOOD))
    assert (good.players, good.date) == (("甲", "乙"), GOOD["Date"])
    assert (good.points, good.flag) == (None, ""), "the boxes decide"
    data = GOOD | {"winner": "B", "BScore": 25}
    data["game"] = [entry | {"Comment": "a usual opening"} for entry in data["game"]]
    read = read_record(FIVE, json.dumps(data))
    assert (read.moves, read.scores, read.flag) == (MOVES, (0, 25), "")
    lost = read_record(FIVE, json.dumps(data | {"winner": "R"}))
    assert (lost.points, lost.flag) == ((1.0, 0.0), f"won by {GOOD['R']}")
    assert lost.stated == {"event": GOOD["Event"], "winner": "R"}


@pytest.mark.parametrize("one_a_line", [False, True])
def test_a_file_has_several_records(tmp_path: Path, one_a_line: bool) -> None:
    file, games = tmp_path / "cup.json", [GOOD, GOOD | {"Event": "another"}]
    file.write_text(" \n\n".join(map(json.dumps, games)) if one_a_line else json.dumps(games))
    read = read_file(file, lambda record: record.stated["event"])
    assert (read.games, read.damaged) == ([GOOD["Event"], "another"], [])


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"game": {}}, "game must be a list, but is {}"),
        ({"RScore": "0"}, "RScore must be an integer, but is '0'"),
        ({"BScore": True}, "BScore must be an integer, but is True"),
        ({"R": None}, "R must be a string, but is None"),
        ({"winner": "红"}, "winner must be R, B or U, not '红'"),
        ({"game": ["r(a6,h)"]}, "piece 1 of the record must be .* not 'r"),
        ({"game": [{"piece": "r(a6)"}]}, "piece 1 of the record must be"),
        ({"game": [{"piece": 5}]}, "piece 1 of the record must be"),
        ({"game": [{"piece": "r(f6,h)"}]}, r"piece 1 .*: r\(f6,h\) is outside a board of 5×5"),
        ({"game": [{"piece": "r(a6,v)"}]}, "is outside a board of 5×5 boxes"),
        ({"game": [{"piece": "r(a0,v)"}]}, "is outside a board of 5×5 boxes"),
        ({"game": [{"piece": "r(a7,h)"}]}, "is outside a board of 5×5 boxes"),
        ({"game": [{"piece": "b(a6,h)"}]}, r"piece 1 .*: b\(a6,h\) is not the move of r"),
        ({"game": [{"piece": "r(a6,h)"}, {"piece": "b(a6,h)"}]}, "piece 2 .* already drawn"),
    ],
)
def test_wrong_records_are_explained(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        read_record(FIVE, json.dumps(GOOD | change))


def test_records_that_are_no_object_or_miss_a_key_are_explained() -> None:
    with pytest.raises(ValueError, match="the record is not JSON"):
        read_record(FIVE, "{")
    with pytest.raises(ValueError, match="the record is not JSON"):
        read_record(FIVE, "[" * 100_000)
    with pytest.raises(ValueError, match="the record must be a JSON object, not list"):
        read_record(FIVE, "[]")
    with pytest.raises(ValueError, match="Event must be a string, but is missing"):
        read_record(FIVE, json.dumps({key: GOOD[key] for key in GOOD if key != "Event"}))


def test_the_scores_of_a_finished_game_must_agree_and_nothing_follows() -> None:
    game = Dots(1, 1, stop_at_majority=False)
    record = json.loads(written(game, ("a1b1", "a2b2", "a1a2", "b1b2")))
    longer = json.dumps(record | {"game": [*record["game"], record["game"][0]]})
    with pytest.raises(ValueError, match=r"piece 5 of the record, r\(a2,h\): .* over"):
        read_record(game, longer)
    wrong = json.dumps(record | {"RScore": 1, "BScore": 0})
    with pytest.raises(
        ValueError, match="RScore and BScore are 1 and 0, but the moves give 0 and 1"
    ):
        read_record(game, wrong)
