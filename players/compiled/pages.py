"""Memory that is there before the first search."""

import numpy as np

from players.compiled.types import Array

_AT_ONCE = 2**28
"""More than these bytes takes long to make, and is for long searches."""


def zeros(*shape: int) -> Array:
    """uint64 zeros. `np.zeros` would leave it to the first searches to have each page made: of 2 MB
    that takes up to 16 ms on a virtual machine, and all of a table 0.5 s within one move.
    """
    words = np.zeros(shape, np.uint64)
    if words.nbytes <= _AT_ONCE:
        words.fill(0)
    return words
