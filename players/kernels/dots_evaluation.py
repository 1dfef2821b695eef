"""What a dots position is worth before its end."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import overload

from players.kernels import game
from players.kernels.bits import ONE, ZERO, popcount
from players.kernels.dots import is_dots, open_boxes, sides
from players.kernels.fields import members, whole

FEATURES = ("opened", "tempo")
"""In hundredths of a box for each box still open: having the other player open the first chain, and
being about to."""

SPREAD = 150.0
"""An estimate of so many hundredths means odds of e to 1."""


@overload(game.evaluate)
def _evaluate(position: Any, terms: Any) -> Any:
    """The lead, the boxes there for the taking, and who will have to open the first chain.

    An edge is safe when no box beside it has two sides drawn or more. Once these are gone every
    move gives boxes away, so with an odd number of safe edges the mover draws the last one.
    """
    if not is_dots(position):
        return None

    def evaluate(position: Any, terms: Any) -> Any:
        across, down, lead, seat, stride, boxes, _ = position
        takeable, unsafe = sides(across, down, stride, boxes)
        safe = popcount(across & ~(unsafe | (unsafe << stride)))
        safe += popcount(down & ~(unsafe | (unsafe << ONE)))
        still = np.int64(popcount(open_boxes(across, down, stride, boxes)))
        gain = np.int64(popcount(takeable))
        score = 100 * ((lead if seat == 0 else -lead) + gain)
        if safe == ZERO:
            return score - terms[0] * (still - gain)
        odd = safe & ONE != ZERO
        return score + (terms[1] if odd else -terms[1]) * (still - gain)

    return evaluate


@overload(game.expectation)
def _expectation(position: Any, value: Any) -> Any:
    if not is_dots(position):
        return None

    def expectation(position: Any, value: Any) -> Any:
        return 1.0 / (1.0 + np.exp(-value / SPREAD))

    return expectation


def from_features(content: Any) -> Any:
    """int32[:]: the terms of an evaluation, from an object of the FEATURES' values."""
    values = members(content, FEATURES, "features")
    return np.array([whole(value, name) for name, value in values.items()], np.int32)
