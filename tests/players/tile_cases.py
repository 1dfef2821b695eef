"""2048 and 2584 as parameters of tests, of which those of 2048 are quick."""

from typing import Any

import pytest
from _pytest.mark.structures import ParameterSet

from players.games.tiles.boards import TileBoard
from rules.tiles import CELLS, SPAWNS


def case(name: str, *more: object) -> ParameterSet:
    """Slow unless it is of 2048: each game has kernels of its own, which take long to compile."""
    return pytest.param(name, *more, marks=[] if name == "2048" else pytest.mark.slow)


NAMES = [case(name) for name in SPAWNS]
GAMES = [case(name, spawn) for name, spawns in SPAWNS.items() for spawn in spawns]


def cells_of(board: TileBoard, position: Any) -> tuple[int, ...]:
    """The tiles of a position, the inverse of `board.board`."""
    return tuple(
        board.values[int(word) >> board.cell_bits * cell & len(board.values) - 1]
        for word in position
        for cell in range(len(CELLS) // len(position))
    )
