"""Othello knows no laws by which a move need not be tried."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import overload

from players.compiled.bits import popcount
from players.games import interface
from players.games.othello.board import is_othello, legal
from players.games.pruning import NO_MOVE, candidates, canonical, count_moves, forced


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
        return interface.moves(position, out)

    return candidates


@overload(canonical)
def _canonical(position: Any) -> Any:
    if not is_othello(position):
        return None

    def canonical(position: Any) -> Any:
        return position

    return canonical
