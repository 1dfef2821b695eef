"""What a search may ask of a position, whatever the game.

Each function is answered by the game's file through `numba.extending.overload` on its position
type, so a search written once is compiled for each game without a call in between. Plain and guided
playouts are functions of their own, as the choice between them must be made when they are compiled,
not move by move.

A position is a NamedTuple. Its player to move is `position.seat`; a forced pass never shows: after
a move the seat is the next one that really moves, which may be the same again (passes in Othello,
closed boxes in dots). A move is a small int, below MOVES.
"""

from __future__ import annotations

from typing import Any

MOVES = 128
"""Moves are numbered from 0 to MOVES − 1 in every game."""

PLIES = 160
"""No game is longer, forced passes not counted."""

LIMIT = 49_999
"""No estimate is further from 0."""

BATCH = 8
"""How many playouts a batch has."""


def moves(position: Any, out: Any) -> int:
    """Write every legal move to the front of the int16 array `out`; their number, 0 at the end."""
    raise NotImplementedError


def play(position: Any, move: Any) -> Any:
    """The position after a legal move."""
    raise NotImplementedError


def net(position: Any) -> int:
    """What seat 0 has beyond seat 1: discs or boxes."""
    raise NotImplementedError


def playout(position: Any, state: Any) -> tuple[int, Any]:
    """Play uniformly random moves to the end: (`net` there, the state of the random numbers)."""
    raise NotImplementedError


def batch(position: Any, state: Any) -> tuple[int, int, Any]:
    """BATCH playouts at once: (twice the wins and once the draws of seat 0, the sum of `net` there,
    the state of the random numbers).
    """
    raise NotImplementedError


def guided(position: Any, state: Any) -> tuple[int, Any]:
    """`playout` with some knowledge of the game in place of uniformly random moves.

    Othello: squares of which no disc ever turns come first, those that give such a one away last.
    Dots: boxes are closed and no third side is drawn while an edge is safe; then the chains and
    loops that are left are counted out at once.
    """
    raise NotImplementedError


def guided_batch(position: Any, state: Any) -> tuple[int, int, Any]:
    """As `batch`, of guided playouts."""
    raise NotImplementedError


def recorded_batch(position: Any, state: Any, record: Any) -> tuple[int, int, Any]:
    """As `batch`; writes to `record`, uint64[5, BATCH], of each playout: `net`, the moves of seat 0
    below 64 as bits, those from 64 on, and the same of seat 1.
    """
    raise NotImplementedError


def recorded_guided_batch(position: Any, state: Any, record: Any) -> tuple[int, int, Any]:
    """As `recorded_batch`, of guided playouts. What they count out is not among the moves."""
    raise NotImplementedError


def key(position: Any) -> Any:
    """A 64-bit hash of everything the rest of the game depends on."""
    raise NotImplementedError


def remaining(position: Any) -> int:
    """How many moves are still to come at most: empty squares, or undrawn edges."""
    raise NotImplementedError


def evaluate(position: Any, terms: Any) -> int:
    """What the mover is expected to win by, in hundredths of a disc or box; at most LIMIT from 0.

    `terms` is the int32 array of the evaluation's numbers (`boards.load_terms`).
    """
    raise NotImplementedError


def expectation(position: Any, value: Any) -> float:
    """What an estimate of `value` hundredths is worth to the mover as a result in [0, 1]."""
    raise NotImplementedError


def priority(position: Any, move: Any) -> int:
    """How early alpha-beta should try the move, −100 to 100, from the look of it alone."""
    raise NotImplementedError
