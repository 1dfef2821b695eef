"""Which moves a search need not try, by the game's own laws: value is never lost.

Each function is answered by the game's file through `numba.extending.overload` on its position
type: here for Othello, which knows no such laws, in `dots_pruning` for dots.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import overload

from players.kernels import game
from players.kernels.bits import popcount
from players.kernels.othello import is_othello, legal

NO_MOVE = -1


def count_moves(position: Any) -> int:
    """How many legal moves there are; 0 when the game is over."""
    raise NotImplementedError


def forced(position: Any) -> int:
    """A move certain to be among the best, so that no other need be tried; NO_MOVE when none is."""
    raise NotImplementedError


def candidates(position: Any, out: Any) -> int:
    """Write moves, a best one certainly among them, to the front of the int16 array `out`; their
    number, 0 at the end. The position has no forced move; it need not be canonical.
    """
    raise NotImplementedError


def canonical(position: Any) -> Any:
    """One position for all that differ in name only: same mover, same values."""
    raise NotImplementedError


@overload(count_moves)
def _count_moves(position: Any) -> Any:
    if not is_othello(position):
        return None

    def count_moves(position: Any) -> Any:
        own, other, _, playable, free = position
        return np.int64(popcount(legal(own, other, playable, free)))

    return count_moves


@overload(forced)
def _forced(position: Any) -> Any:
    if not is_othello(position):
        return None

    def forced(position: Any) -> Any:
        return np.int64(NO_MOVE)

    return forced


@overload(candidates)
def _candidates(position: Any, out: Any) -> Any:
    if not is_othello(position):
        return None

    def candidates(position: Any, out: Any) -> Any:
        return game.moves(position, out)

    return candidates


@overload(canonical)
def _canonical(position: Any) -> Any:
    if not is_othello(position):
        return None

    def canonical(position: Any) -> Any:
        return position

    return canonical
