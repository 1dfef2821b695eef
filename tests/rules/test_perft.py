"""How many games of each length there are: the files in `perft`, one a variant.

`leaves[d − 1]` counts the move sequences of d plies, passes and moves of chance included. A file
names where its figures come from; those counted by these rules guard against change. One that
takes long says that it is `slow`.
"""

import json
from math import perm
from pathlib import Path
from typing import Any

import pytest

import rules

VARIANTS = {
    file.stem: json.loads(file.read_text())
    for file in sorted((Path(__file__).parent / "perft").glob("*.json"))
}


def perft(position: rules.Position, plies: int) -> int:
    """The number of move sequences of that many plies."""
    moves = position.legal_moves()
    if plies == 1:
        return len(moves)
    return sum(perft(position.play(move), plies - 1) for move in moves)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(data, id=name, marks=pytest.mark.slow if data.get("slow") else [])
        for name, data in VARIANTS.items()
    ],
)
def test_the_number_of_games(data: dict[str, Any]) -> None:
    game = rules.load(data["rules"], **data["settings"])
    start = game.position(data["state"]) if "state" in data else game.start()
    assert [perft(start, plies + 1) for plies in range(len(data["leaves"]))] == data["leaves"]


def test_every_order_of_edges_is_a_game_of_dots() -> None:
    start = rules.load("dots", rows=1, cols=2).start()
    assert [perft(start, plies) for plies in range(1, 8)] == [perm(7, n) for n in range(1, 8)]


def test_there_is_a_file_for_each_game() -> None:
    assert {data["rules"] for data in VARIANTS.values()} == set(rules.GAMES)
