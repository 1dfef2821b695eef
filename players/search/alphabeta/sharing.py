"""How threads share one search: each marks the positions it searches, and a move to one that
another is searching is left for later, when its value may stand in the table (ABDADA, Weill 1996,
in the simpler form of Kerrigan).
"""

import numpy as np

from players.compiled.bits import ZERO, below
from players.compiled.cache import part
from players.search.types import Array, Int, Word

MARKS = 1 << 12
"""Far more than positions are marked at a time: a mark that another overwrites costs a search."""

SHARED_DEPTH = 4
"""Searches that deep and deeper are shared: for others a mark would cost more than it saves."""

ALONE = np.zeros(0, np.uint64)
"""The marks of a search of one thread: none are kept."""


def new_marks(threads: int) -> Array:
    return np.zeros(MARKS, np.uint64) if threads > 1 else ALONE


@part
def place_of(key: Word) -> Int:
    return np.int64(below(key, np.uint64(MARKS)))


@part
def is_searched(marks: Array, key: Word) -> bool:
    """Whether a thread has marked the position with that key."""
    return bool(marks[place_of(key)] == key)


@part
def mark(marks: Array, key: Word) -> None:
    marks[place_of(key)] = key


@part
def clear(marks: Array, key: Word) -> None:
    """Take the position's mark away, unless it has another's place by now."""
    if marks[place_of(key)] == key:
        marks[place_of(key)] = ZERO
