"""Weights of moves for weighted UCT: tables with their provenance, and reading any such file."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from players.games.interface import MOVES
from players.option_files import naming, seat_names, tables_in
from players.options import WEIGHT_TABLES
from rules.position import square_name

ROWS = 8
_LEAST, _MOST = float(np.finfo(np.float32).tiny), float(np.finfo(np.float32).max)


def load_weights(name: str, rules: str, moves: Mapping[str, int]) -> Any:
    """float32[2, MOVES]: the weights of each seat's moves from the table or the file `name`; 1 for
    moves it leaves out.

    Raises ValueError naming the file, the entry, and what is expected.
    """
    weights = np.ones((2, MOVES), np.float32)
    if name in WEIGHT_TABLES:
        if rules != "othello":
            return weights
        path = Path(__file__).with_name(f"othello-{name}.json")
    else:
        path = Path(name)
    with naming(path, "weights", f"{', '.join(WEIGHT_TABLES)} or the path of a JSON file"):
        tables = tables_in(path, rules)
    for seat, (side, of_move) in enumerate(zip(seat_names(rules), tables, strict=True)):
        if rules == "othello":
            of_move = _squares(of_move, f"{path}: {side}")
        elif not isinstance(of_move, dict):
            raise ValueError(f"{path}: {side} must be an object of edges and weights")
        for move, weight in of_move.items():
            if move not in moves:
                raise ValueError(f"{path}: {side}: {move!r} is not a move on this board")
            if type(weight) not in (int, float) or not _LEAST <= weight <= _MOST:
                raise ValueError(
                    f"{path}: {side}: {move}: a weight must be a number above 0, not {weight!r}, "
                    "and within float32"
                )
            weights[seat, moves[move]] = weight
    return weights


def _squares(table: Any, place: str) -> dict[str, Any]:
    """The squares of a table with their weights: a whole board, or its upper left quarter, which
    stands for the other three by reflection. Null marks a square out of play.
    """
    side = len(table) if isinstance(table, list) else 0
    if side not in (ROWS // 2, ROWS) or any(
        not isinstance(row, list) or len(row) != side for row in table
    ):
        raise ValueError(f"{place} must be a table of 8 rows of 8 weights, or 4 rows of 4")
    folded = [index if index < side else ROWS - 1 - index for index in range(ROWS)]
    return {
        square_name(row, column): weight
        for row in range(ROWS)
        for column in range(ROWS)
        if (weight := table[folded[row]][folded[column]]) is not None
    }
