"""Which moves an Othello endgame search tries first.

Few replies first: what leaves the opponent the fewest moves is both likely good and soon searched.
Where much is left to search, a shallow look ahead with a rough evaluation sharpens the order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from players.compiled.bits import ZERO, lowest, popcount
from players.compiled.cache import kernel, part
from players.games.othello.board import margin
from players.games.othello.endgame_last import can_move
from players.games.othello.evaluation import stable
from players.games.othello.lines import beside, bracketing, flips

MOVE, STABLE, FRONTIER = 64, 64, 8
"""What the rough evaluation gives for a legal move (twice that where no disc can ever be turned),
a stable disc, and an empty square beside the other's discs."""

ODD, ANCHOR, EXPOSED = 16, 64, 2
"""What brings a move forward: a quadrant with an odd number of empty squares, a square that can
never be turned; and what holds it back: an empty square left beside the mover's discs."""

DECIDED = 1000
"""What a disc of a finished game is worth beside all this."""

LOOK_AHEAD, PLIES_MORE = 12, 3
"""Empty squares from which moves are looked at further: at the position after them, and a ply more
for every so many squares beyond."""

DEEPEST = 3
"""Plies of the deepest look."""

UNBOUNDED = np.int64(1 << 30)
"""Typed: called once with a literal and once without, a recursive kernel would be compiled twice,
and numba cannot link the two from its cache."""


@part
def weighted(moves: Any, ground: Any) -> Any:
    """The number of `moves`, anchors counted twice."""
    return np.int64(popcount(moves)) + np.int64(popcount(moves & ground.anchors))


@part
def rough_value(own: Any, other: Any, empties: Any, moves: Any, ground: Any) -> Any:
    """The evaluation, for the mover with these `moves`."""
    replies = empties & (ground.free | bracketing(other, own))
    open_to_own, open_to_other = empties & beside(other), empties & beside(own)
    value = MOVE * (weighted(moves, ground) - weighted(replies, ground))
    value += FRONTIER * margin(open_to_own, open_to_other)
    return value + STABLE * margin(stable(own, ground.playable), stable(other, ground.playable))


@kernel
def look_ahead(own: Any, other: Any, depth: int, low: int, high: int, ground: Any) -> Any:
    """The rough value for the mover, `depth` plies deep."""
    empties = ground.playable & ~(own | other)
    moves = empties & (ground.free | bracketing(own, other))
    if moves == ZERO:
        if not can_move(other, own, empties, ground.free):
            return DECIDED * margin(own, other)
        return -look_ahead(other, own, depth, -high, -low, ground)
    if depth == 0:
        return rough_value(own, other, empties, moves, ground)
    best: Any = -UNBOUNDED
    while moves != ZERO:
        square, disc = lowest(moves), moves & (ZERO - moves)
        moves ^= disc
        turned = flips(square, own, other)
        after, mine = other ^ turned, own | turned | disc
        best = max(best, -look_ahead(after, mine, depth - 1, -high, -max(low, best), ground))
        if best >= high:
            break
    return best


@part
def rank(after: Any, mine: Any, disc: Any, left: Any, odd: Any, ground: Any) -> Any:
    """How early the move `disc` to a position where the opponent has `after` and the mover `mine`
    should be tried; `left` squares were empty, those of `odd` in quadrants with an odd number.
    """
    empties = ground.playable & ~(after | mine)
    replies = empties & (ground.free | bracketing(after, mine))
    value = -MOVE * weighted(replies, ground)
    value -= EXPOSED * np.int64(popcount(empties & beside(mine)))
    if disc & odd != ZERO:
        value += ODD
    if disc & ground.anchors != ZERO:
        value += ANCHOR
    if left >= LOOK_AHEAD:
        depth = min((left - LOOK_AHEAD) // PLIES_MORE, DEEPEST)
        value -= look_ahead(after, mine, depth, -UNBOUNDED, UNBOUNDED, ground)
    return value
