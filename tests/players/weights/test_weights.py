"""The tables of weights against their source, and the reading of anyone's file."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rules
from players.games.registry import load_board
from players.weights import load_weights

OTHELLO = load_board("othello", rules.load("othello", preset="cornerless").variant)
DOTS = load_board("dots", rules.load("dots", rows=1, cols=2).variant)

HAND = """
1    2.5  1.0  1.15
2.5  0.85 0.9  1.1
1.0  0.9  1.12 1.07
1.15 1.1  1.07 1.03
"""
LEAGUE_BLACK = """
1.057874 1.100000 1.058360 0.981983
1.100000 0.900000 0.924141 0.981270
1.058360 0.924141 0.979780 1.005995
0.981983 0.981270 1.005995 1.000843
"""
LEAGUE_WHITE = """
0.918386 1.100000 1.056350 0.983453
1.100000 0.900000 0.925536 0.990398
1.056350 0.925536 0.976745 1.006742
0.983453 0.990398 1.006742 0.998468
"""


@pytest.mark.parametrize(
    ("name", "black", "white"), [("hand", HAND, HAND), ("league", LEAGUE_BLACK, LEAGUE_WHITE)]
)
def test_the_tables_are_the_sources_on_the_whole_board(name: str, black: str, white: str) -> None:
    weights = load_weights(name, "othello", OTHELLO.moves)
    for seat, text in enumerate((black, white)):
        quarter = np.array([line.split() for line in text.strip().splitlines()], np.float32)
        left = np.vstack([quarter, quarter[::-1]])
        board = np.hstack([left, left[:, ::-1]])
        assert (weights[seat, :64].reshape(8, 8) == board).all()
        assert (weights[seat, 64:] == 1).all()
    assert weights[0, OTHELLO.moves["c1"]] == weights[0, OTHELLO.moves["f8"]]


def test_every_table_tells_where_it_comes_from() -> None:
    files = sorted(Path(load_weights.__code__.co_filename).parent.glob("othello-*.json"))
    assert [file.stem for file in files] == ["othello-hand", "othello-league", "othello-tuned"]
    for file in files:
        content = json.loads(file.read_text())
        assert len(content["about"]) > 40
        assert len(content["source"]) > 40


def test_the_tuned_table_was_shown_to_gain() -> None:
    file = Path(load_weights.__code__.co_filename).with_name("othello-tuned.json")
    tests = json.loads(file.read_text())["tuning"]["tests"]
    assert [test["decision"] for test in tests] == ["H1", "H1"]
    weights = load_weights("tuned", "othello", OTHELLO.moves)
    assert weights[:, :64].min() >= np.float32(0.9)
    assert weights[:, :64].max() <= np.float32(1.1)
    board = weights[:, :64].reshape(2, 8, 8)
    assert (board == board.transpose(0, 2, 1)).all()
    assert (board == board[:, ::-1]).all()


def test_in_dots_the_named_tables_are_plain() -> None:
    assert (load_weights("hand", "dots", DOTS.moves) == 1).all()


def test_a_whole_board_need_not_be_symmetric(tmp_path: Path) -> None:
    table = [[1.0 + row + column / 10 for column in range(8)] for row in range(8)]
    path = tmp_path / "w.json"
    path.write_text(json.dumps({"black": table, "white": [[2] * 4] * 4}))
    weights = load_weights(str(path), "othello", OTHELLO.moves)
    assert weights[0, OTHELLO.moves["c5"]] == pytest.approx(5.2)
    assert weights[0, OTHELLO.moves["h1"]] == pytest.approx(1.7)
    assert (weights[1, :64] == 2).all()


def test_edges_left_out_weigh_one(tmp_path: Path) -> None:
    path = tmp_path / "w.json"
    path.write_text('{"first": {"a1b1": 2}, "second": {"b1b2": 0.5}}')
    weights = load_weights(str(path), "dots", DOTS.moves)
    assert weights[0, DOTS.moves["a1b1"]] == 2
    assert weights[1, DOTS.moves["b1b2"]] == 0.5
    assert weights.sum() == weights.size + 1 - 0.5


@pytest.mark.parametrize(
    ("rule_set", "content", "words"),
    [
        ("othello", None, "expected tuned, hand, league or the path of a JSON file"),
        ("othello", "{", "not a JSON file"),
        ("othello", [], "must be a JSON object"),
        ("othello", {"black": [[1] * 4] * 4}, "'white' is missing; expected black and white"),
        ("othello", {"black": [[1] * 4] * 3, "white": []}, "black must be a table of 8 rows of 8"),
        (
            "othello",
            {"black": [[1] * 4] * 3 + [[1, 1, 1]], "white": []},
            "black must be a table of 8 rows",
        ),
        (
            "othello",
            {"black": [[1, "2", 1, 1]] * 4, "white": []},
            "black: b1: a weight must be a number",
        ),
        (
            "othello",
            {"black": [[0, 1, 1, 1]] * 4, "white": []},
            "black: a1: a weight must be a number above 0",
        ),
        (
            "othello",
            {"black": [[True] * 4] * 4, "white": []},
            "a weight must be a number above 0, not True",
        ),
        ("dots", {"first": {"a1c1": 1}, "second": {}}, "first: 'a1c1' is not a move on this board"),
        ("dots", {"first": [], "second": {}}, "first must be an object of edges and weights"),
        ("dots", {"first": {"a1b1": 1e999}, "second": {}}, "a1b1: a weight must be a number"),
    ],
)
def test_a_mistake_in_a_file_is_named(
    rule_set: str, content: Any, words: str, tmp_path: Path
) -> None:
    path = tmp_path / "w.json"
    if content is not None:
        path.write_text(content if isinstance(content, str) else json.dumps(content))
    board = OTHELLO if rule_set == "othello" else DOTS
    with pytest.raises(ValueError, match=r"w\.json") as problem:
        load_weights(str(path), rule_set, board.moves)
    assert words in str(problem.value)
