"""Multi-ProbCut (Buro 1997): a shallow search stands for a deep one whose result is all but sure.

The value of a shallow search is that of the deep one but for an error with a known spread. Where it
lies beyond a window by enough such spreads, the deep search is left out.
"""

from collections.abc import Mapping

import numpy as np

from players.compiled.cache import part
from players.games import interface as game
from players.search.types import Array, Int, Position, Record

LEAST = 1
"""Searches are cut from that depth on."""

DEEPEST = 31
"""Deeper searches are cut by the margins of that depth."""

SHAPE = DEEPEST + 1, game.PLIES + 1

WIN = 1_000_000
"""What a finished game is worth more than its margin: more than any estimate."""

CERTAIN = 20_000
"""Values that far from 0, in hundredths, are those of finished games."""

WORTHWHILE = ((5, 75), (9, 30))
"""(depth, share): up to that depth, the first that fits, a shallow search is made only where the
estimate is beyond the window by that part of the margin, in percent. By games."""

WIDENINGS = (0.75, 1.0, 1.5, 2.0, 3.0)
"""The margins of one search to the end after the other, as multiples of those of estimates."""

TERMS = ("constant", "depth", "shallow", "left", "odd")
"""What the logarithm of a spread, in hundredths, is the sum of: a constant, and one number each for
the logarithms of the depth and of the shallow depth, each and 1, for a move remaining, and for an
odd number of moves between both depths."""


@part
def shallower(depth: Int) -> Int:
    """How deep the search goes that may stand for one of `depth`: about half, as odd or even. 0 is
    the estimate of the position itself, which stands for one or two moves.
    """
    return np.int64(2 * (depth // 4) + (depth % 2 if depth > 1 else 0))


@part
def margin_at(position: Position, depth: Int, alpha: Int, beta: Int, scratch: Record) -> Int:
    """By how much a shallow search must miss the window to cut this one; 0 for never. Windows with
    a width, of the principal variation, are not cut, and not what is to be solved.
    """
    margin = np.int64(0)
    left: Int = np.int64(game.remaining(position))
    if beta - alpha > 1:
        return margin
    if left - depth > scratch.exact_from:
        if -CERTAIN < beta < CERTAIN:
            margin += scratch.margins[min(depth, DEEPEST), left]
    elif scratch.cut_round > 0:
        margin += np.int64(scratch.widening * scratch.margins[min(depth, DEEPEST), left])
    return margin


@part
def is_promising(ahead: Int, margin: Int, depth: Int) -> bool:
    """Whether a shallow search is worth its time, where a position's own estimate is `ahead` of the
    window, or behind it. One that is about as deep costs too much to be made where it seldom cuts.
    """
    for deepest, share in WORTHWHILE:
        if depth <= deepest:
            return bool(100 * ahead >= share * margin)
    return True


@part
def estimated(value: Int) -> Int:
    """The estimate that says no more than `value`, that of a finished game: WIN is left out."""
    if value >= CERTAIN:
        return max(value - WIN, 0)
    return min(value + WIN, 0) if value <= -CERTAIN else np.int64(0)


@part
def uncertain(value: Int) -> Int:
    """`value` as an estimate: a search to the end with cuts finds no certain value."""
    if -CERTAIN < value < CERTAIN:
        return np.int64(value)
    return np.int64(value - WIN if value > 0 else value + WIN)


@part
def edge(value: Int, is_high: bool, is_to_the_end: bool) -> Int:
    """The value of a cut at a window's edge: a finished game is worth 0 or, to one side, WIN."""
    if is_to_the_end and -WIN < value < WIN and value != 0:
        if (value > 0) != is_high:
            return np.int64(0)
        return np.int64(WIN if value > 0 else -WIN)
    return np.int64(value)


def columns(depth: Array, shallow: Array, left: Array) -> tuple[Array | float, ...]:
    """The factors of the TERMS."""
    return 1.0, np.log1p(depth), np.log1p(shallow), left, (depth - shallow) % 2


def spread(terms: Mapping[str, float], depth: Array, shallow: Array, left: Array) -> Array:
    """The spread between searches of both depths with that many moves `left`, in hundredths."""
    parts = zip(TERMS, columns(depth, shallow, left), strict=True)
    return np.exp(sum(terms[name] * column for name, column in parts))


def new_margins(terms: Mapping[str, float] | None, spreads: float) -> Array:
    """int32[SHAPE]: the margins of that many `spreads`; 0, no cuts, where none are known."""
    margins = np.zeros(SHAPE, np.int32)
    if terms is not None and spreads > 0:
        depth = np.arange(LEAST, SHAPE[0])[:, None]
        shallow = np.array([[shallower.py_func(each)] for each in range(LEAST, SHAPE[0])])
        left = np.arange(SHAPE[1])[None, :]
        margins[LEAST:] = np.ceil(spreads * spread(terms, depth, shallow, left))
    return margins
