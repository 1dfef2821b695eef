"""Which moves a search need not try, by the game's own laws: value is never lost.

A game that knows such laws answers these functions for its position type; by default every legal
move is tried.
"""

import operator
from typing import Any, NamedTuple

import numpy as np

from players.compiled.cache import answers
from players.compiled.types import Array, Int, Move
from players.games import interface as game
from players.games.interface import Position

NO_MOVE = -1


class Nowhere(NamedTuple):
    """In place of an array: what is written to it is lost."""

    nothing: Int


@answers(operator.setitem, Nowhere)
def _lose(out: Nowhere, index: Int, value: Any) -> None:
    """Write nothing."""


def count_moves(position: Position) -> Int:
    """How many legal moves there are; 0 when the game is over."""
    raise NotImplementedError


@answers(count_moves)
def _count_moves(position: Position) -> Int:
    return np.int64(game.moves(position, Nowhere(0)))


def forced(position: Position) -> Move:
    """A move certain to be among the best, so that no other need be tried; NO_MOVE when none is."""
    raise NotImplementedError


@answers(forced)
def _forced(position: Position) -> Move:
    return np.int64(NO_MOVE)


def candidates(position: Position, out: Array) -> Int:
    """Write moves, a best one certainly among them, to the front of the int16 array `out`; their
    number, 0 at the end. The position has no forced move; it need not be canonical.
    """
    raise NotImplementedError


@answers(candidates)
def _candidates(position: Position, out: Array) -> Int:
    return game.moves(position, out)


def canonical(position: Position) -> Position:
    """One position for all that differ in name only: same mover, same values."""
    raise NotImplementedError


@answers(canonical)
def _canonical(position: Position) -> Position:
    return position
