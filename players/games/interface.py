"""The questions of a search to a position, whatever the game.

Each question is answered by the game's folder for its position type
(`players.compiled.cache.answers`) as a part of each kernel that asks; some have a default answer,
which is their body.

An answer makes no arrays: searches take no memory.

A position is a NamedTuple. Its player to move is `position.seat`; a forced pass never shows: after
a move the seat is the next one that really moves, which may be the same again (passes in Othello,
closed boxes in dots). A move is a small int, below MOVES.
"""

import operator
from typing import Any, NamedTuple, Protocol

import numpy as np

from players.compiled import lanes
from players.compiled.cache import answers, by_default
from players.compiled.types import Array, Int, Move, Rng, Word


class Position(Protocol):
    """A position of any game, a NamedTuple of its own."""

    @property
    def seat(self) -> int:
        """The player to move."""


MOVES = 127
"""Moves are numbered from 0 to MOVES − 1 in every game; trees count those of a node in an int8."""
NO_MOVE = -1

PLIES = 160
"""No game is longer, forced passes not counted."""

LIMIT = 49_999
"""No estimate is further from 0."""

BATCH = lanes.COUNT
"""How many playouts a batch has."""


def moves(position: Position, out: Any) -> Int:
    """Write every legal move to the front of the int16 array `out`; their number, 0 at the end."""
    raise NotImplementedError  # answered for each type


def play(position: Position, move: Move) -> Any:
    """The position after a legal move."""
    raise NotImplementedError  # answered for each type


def net(position: Position) -> Int:
    """The margin of seat 0: discs or boxes."""
    raise NotImplementedError  # answered for each type


def playout(position: Position, state: Rng) -> tuple[Int, Rng]:
    """Play uniformly random moves to the end: (`net` there, the state of the random numbers)."""
    raise NotImplementedError  # answered for each type


@by_default
def guided(position: Position, state: Rng) -> tuple[Int, Rng]:
    """`playout` with some knowledge of the game in place of uniformly random moves.

    Othello: squares of which no disc ever turns come first, those that give such a one away last.
    Dots: boxes are closed and no third side is drawn while an edge is safe; then the chains and
    loops that are left are counted out at once. Other games know nothing by default.
    """
    return playout(position, state)


@by_default
def batch(
    position: Position, state: Rng, is_guided: bool, record: Array | None
) -> tuple[Int, Int, Rng]:
    """BATCH playouts at once: (twice the wins and once the draws of seat 0, the sum of `net` there,
    the state of the random numbers). `is_guided` is to be a literal, known when it is compiled.

    Writes to `record`, uint64[5, BATCH] or None, of each playout: `net`, the moves of seat 0 below
    64 as bits, those from 64 on, and the same of seat 1; not the moves that guided ones count out.
    By default no moves are written, so that RAVE learns nothing.
    """
    points, total = np.int64(0), np.int64(0)
    if record is not None:
        record[:] = np.uint64(0)
    for number in range(BATCH):
        if is_guided:
            ahead, state = guided(position, state)
        else:
            ahead, state = playout(position, state)
        if record is not None:
            record[0, number] = np.uint64(ahead)
        points += 1 + np.int64(np.sign(ahead))
        total += ahead
    return points, total, state


def key(position: Position) -> Word:
    """A 64-bit hash of everything the rest of the game depends on."""
    raise NotImplementedError  # answered for each type


def remaining(position: Position) -> Int:
    """How many moves are still to come at most: empty squares, or undrawn edges."""
    raise NotImplementedError  # answered for each type


def evaluate(position: Position, terms: Array) -> Int:
    """The expected margin of the mover, in hundredths, at most LIMIT from 0, by the numbers
    `terms`.
    """
    raise NotImplementedError  # answered for each type


OUTLINE = 128
"""Numbers of 16 bits that an outline has at most, with room for calculations."""


@by_default
def outline(position: Position, terms: Array, out: Array) -> None:
    """Write to the int16 array `out` what `evaluate_after` may ask of the position. By default
    nothing.
    """


@by_default
def evaluate_after(
    position: Position, move: Move, child: Position, drawn: Array, terms: Array
) -> Int:
    """`evaluate` for the `child` a move, and those forced by it, lead to; `drawn` is the outline of
    the position before it.
    """
    return evaluate(child, terms)


def expectation(position: Position, value: Int) -> float:
    """The expected result, in [0, 1], of a mover with an estimate of `value` hundredths."""
    raise NotImplementedError  # answered for each type


def priority(position: Position, move: Move) -> Int:
    """How early alpha-beta should try the move, −100 to 100, from the look of it alone."""
    raise NotImplementedError  # answered for each type


NEEDED = (moves, play, net, playout, key, remaining, evaluate, expectation, priority)
"""The questions that have no answer by default."""


class Nowhere(NamedTuple):
    """Takes the place of an array and loses what is written to it."""

    nothing: Int


@answers(operator.setitem, Nowhere)
def _lose(out: Nowhere, index: Int, value: Any) -> None:
    """Write nothing."""


@by_default
def count_moves(position: Position) -> Int:
    """How many legal moves there are; 0 when the game is over."""
    return np.int64(moves(position, Nowhere(0)))


# Which moves a search need not try, by the game's own laws: value is never lost.


@by_default
def forced(position: Position) -> Move:
    """A move certain to be among the best, so that no other need be tried; NO_MOVE when none is."""
    return np.int64(NO_MOVE)


@by_default
def candidates(position: Position, out: Array) -> Int:
    """Write moves, a best one among them, to the front of the int16 array `out`; their number, 0 at
    the end. The position has no forced move; it need not be canonical.
    """
    return moves(position, out)


@by_default
def canonical(position: Position) -> Position:
    """One position for all that differ in name only: same mover, same values."""
    return position
