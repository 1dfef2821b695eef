"""The transposition table of expectimax: what afterstates were found to be worth.

One entry a place, the last one to come. Values of the same depth alone are of use, and they do not
age: an afterstate is worth the same in every search of a game.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from players.compiled.bits import ZERO, below, mix
from players.compiled.cache import part
from players.games.tiles.interface import words

ENTRY_BYTES = 16


class Table(NamedTuple):
    """As many keys as values."""

    keys: Any
    """uint64[entries]: the `table_key` of each entry, 0 for none."""
    values: Any
    """float64[entries]."""


def new_table(memory_mb: int) -> Table:
    """An empty table of that size; without entries for 0."""
    entries = memory_mb * 1_000_000 // ENTRY_BYTES
    return Table(np.zeros(entries, np.uint64), np.zeros(entries, np.float64))


@part
def table_key(after: Any, left: Any) -> Any:
    """A hash of an afterstate and of how many slides are still to be looked ahead."""
    first, second = words(after)
    return mix(mix(mix(ZERO, first), second), np.uint64(left))


@part
def place_of(table: Any, key: Any) -> Any:
    """Where in the table `key` belongs."""
    return np.int64(below(key, np.uint64(len(table.keys))))
