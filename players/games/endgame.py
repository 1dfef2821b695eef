"""Exact endgames: a solver for each game, behind one interface.

`solve` is answered by each game's file through `numba.extending.overload` on its position type, so
that a search written once can end its lines with true values; `load_endgame` gives the solver that
works from a root.
"""

from __future__ import annotations

from math import floor, log
from typing import Any, NamedTuple, Protocol

from players.games.dots.board import DotsBoard
from players.games.registry import Board

GROWTH = 2.2
"""A solver takes about so many times as long for a move more."""

LEAST_SECONDS = 1e-6
"""Less counts as so much."""


def solve(position: Any, low: int, high: int, memory: Any, stop: Any) -> int:
    """The mover's final margin under best play by both, in whole discs or boxes: all of the game,
    not only what is still to come.

    Exact when low < value < high, else a bound on the same side of the window (fail-soft).
    `memory` is the game's NamedTuple of arrays. Once the int64[1] flag `stop` is set the value
    means nothing, and nothing of it is kept in `memory`.
    """
    raise NotImplementedError


class Solution(NamedTuple):
    """The best move of a position and where it leads."""

    move: str
    margin: int
    """The mover's final margin under best play, in discs or boxes."""
    pv: list[str]
    """The principal variation as far as the solver kept it, the move first; forced passes left
    out."""
    nodes: int
    """Positions visited."""


class Endgame(Protocol):
    """One game's solver, with a table that serves a whole game."""

    @property
    def memory(self) -> Any:
        """What `solve` takes."""

    @property
    def reach(self) -> int:
        """Positions with so many moves remaining are, typically, solved in about a second."""

    def best(self, position: Any, stop: Any) -> Solution | None:
        """The best move; None when `stop` was set before it was known."""

    def margins(self, position: Any, stop: Any) -> dict[str, int] | None:
        """The exact margin of every legal move for the mover; None when `stop` was set first."""

    def load_kernels(self, position: Any) -> None:
        """Load from the cache, or compile, what solves positions of this type."""


def load_endgame(rules: str, board: Board, memory_mb: int) -> Endgame:
    """The solver for `board`, a board of `rules`, with tables of `memory_mb`."""
    if rules == "othello":
        from players.games.othello.endgame import OthelloEndgame

        return OthelloEndgame(board, memory_mb)
    from players.games.dots.endgame import DotsEndgame

    assert isinstance(board, DotsBoard)  # as `rules` says
    return DotsEndgame(board, memory_mb)


def reach_in(endgame: Endgame, seconds: float) -> int:
    """Positions with so many moves remaining are, typically, solved in `seconds`; at least 0."""
    return max(endgame.reach + floor(log(max(seconds, LEAST_SECONDS), GROWTH)), 0)
