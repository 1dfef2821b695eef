"""What an Othello position is worth before its end."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import overload

from players.kernels import game
from players.kernels.bits import popcount
from players.kernels.cache import part
from players.kernels.lines import beside, unbracketable
from players.kernels.othello import is_othello, legal

DEFAULT_TERMS = (900, 250, 60, 15)
"""In hundredths of a disc: a disc that can never turn, one beside such a square while it is empty,
a legal move, an empty square beside the opponent's discs."""

SPREAD = 1200.0
"""An estimate of so many hundredths means odds of e to 1."""


@overload(game.evaluate)
def _evaluate(position: Any, terms: Any) -> Any:
    """Mobility, now and to come, and the squares that decide a rim: never-turning ones and those
    that give them away. With discs worth nothing until the end, as an early lead is a burden.
    """
    if not is_othello(position):
        return None

    def evaluate(position: Any, terms: Any) -> Any:
        own, other, _, playable, free = position
        empty = playable & ~(own | other)
        anchors = unbracketable(playable)
        risky = beside(anchors & empty) & ~anchors
        score = terms[0] * _more(own & anchors, other & anchors)
        score -= terms[1] * _more(own & risky, other & risky)
        score += terms[2] * _more(
            legal(own, other, playable, free), legal(other, own, playable, free)
        )
        score += terms[3] * _more(empty & beside(other), empty & beside(own))
        return np.int64(score)

    return evaluate


@part
def _more(first: Any, second: Any) -> Any:
    return np.int64(popcount(first)) - np.int64(popcount(second))


@overload(game.expectation)
def _expectation(position: Any, value: Any) -> Any:
    if not is_othello(position):
        return None

    def expectation(position: Any, value: Any) -> Any:
        return 1.0 / (1.0 + np.exp(-value / SPREAD))

    return expectation
