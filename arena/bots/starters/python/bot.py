"""A bot for every game: it gives each legal move a score and plays one of the best.

Improve the scores, or look ahead. PROTOCOL.md says what the referee asks.
"""

from __future__ import annotations

import random
from typing import Any

from sdk import Start, Turn, play

SLIDES = {"down": 3, "left": 2, "right": 1, "up": 0}  # keeps the large tiles in one corner


def start(game: Start) -> None:
    """Called before each game: load and prepare here, not while the clock of a move runs."""
    random.seed(game.seed)


def choose(turn: Turn) -> str:
    """One of `turn.legal`. All that may be known is in `turn`; `turn.time_ms` is the time left."""
    scores = {move: score(turn.start.rules, turn.state, move) for move in turn.legal}
    best = max(scores.values())
    return random.choice([move for move in turn.legal if scores[move] == best])


def score(rules: str, state: dict[str, Any], move: str) -> int:
    """How good a move looks: the more the better."""
    if rules == "othello":
        return score_square(len(state["board"]), *place(move))
    if rules == "dots":
        return score_edge(state, move)
    return SLIDES.get(move, 0)  # who places the tiles of 2048 and 2584 has other moves


def place(name: str) -> tuple[int, int]:
    """Column and row of a square or dot, from 0: "c2" is (2, 1)."""
    return ord(name[0]) - ord("a"), int(name[1:]) - 1


def score_square(size: int, column: int, row: int) -> int:
    """Othello: corners are never turned again, and their neighbours give them away."""
    from_edges = sorted((min(column, size - 1 - column), min(row, size - 1 - row)))
    if from_edges == [0, 0]:
        return 3
    if from_edges[1] == 1:  # next to a corner
        return 0
    return 2 if from_edges[0] == 0 else 1


def score_edge(state: dict[str, Any], move: str) -> int:
    """Dots: close a box; do not draw the third side of one, which the opponent then closes."""
    middle = 2 if move[1].isdigit() and not move[2].isdigit() else 3  # "a1b1", "a10b10"
    (column, row), second = place(move[:middle]), place(move[middle:])
    if second[1] == row:  # a horizontal edge has a box above and one below
        boxes = [(row - 1, column), (row, column)]
    else:
        boxes = [(row, column - 1), (row, column)]
    drawn = [sides(state, *box) for box in boxes if inside(state, *box)]
    if 3 in drawn:
        return 2
    return 0 if 2 in drawn else 1


def inside(state: dict[str, Any], row: int, column: int) -> bool:
    """Whether there is such a box."""
    return 0 <= row < state["rows"] and 0 <= column < state["cols"]


def sides(state: dict[str, Any], row: int, column: int) -> int:
    """How many sides of a box are drawn."""
    across, down = state["horizontal"], state["vertical"]
    drawn = across[row][column], across[row + 1][column], down[row][column], down[row][column + 1]
    return sum(drawn)


play(choose, start=start, name="@NAME@")
