"""The table of the exact solver of dots: bounds on the values of positions."""

from typing import Any

import numpy as np

from players.compiled.bits import BYTE, HALF
from players.compiled.cache import part
from players.compiled.pages import zeros
from players.compiled.types import Array, Int, Move, Word

ENTRY = 4
"""Words an entry: a position's edges across and down and its pool, each crossed with the record,
then the record. So the halves two threads write to one entry never pass for a position."""

MOST = 64
"""More than any value."""

NO_MOVE = 128


def new_table(memory_mb: int) -> Any:
    """An empty table, uint64[slots, ENTRY]: as many slots, a power of two, as fit."""
    slots = max(memory_mb * 1_000_000 // (8 * ENTRY), 2)
    return zeros(1 << slots.bit_length() - 1, ENTRY)


@part
def place(across: Word, down: Word, pool: Word, table: Array) -> Any:
    """The first of the two neighbouring slots where a position may be kept."""
    key = across * np.uint64(0x9E3779B97F4A7C15) ^ down * np.uint64(0xC2B2AE3D27D4EB4F)
    key ^= pool * np.uint64(0x165667B19E3779F9)
    key = (key ^ (key >> HALF)) * np.uint64(0xD6E8FEB86659FD93)
    return np.int64((key ^ (key >> HALF)) & np.uint64(len(table) - 2))


@part
def _holds(across: Word, down: Word, pool: Word, slot: Int, table: Array) -> Any:
    record = table[slot, 3]
    return (
        table[slot, 0] ^ record == across
        and table[slot, 1] ^ record == down
        and table[slot, 2] ^ record == pool
    )


@part
def recall(across: Word, down: Word, pool: Word, slot: Int, table: Array) -> Any:
    """The record of a position; 0, which says nothing, when there is none."""
    if _holds(across, down, pool, slot, table):
        return table[slot, 3]
    if _holds(across, down, pool, slot + 1, table):
        return table[slot + 1, 3]
    return np.uint64(0)


@part
def keep(
    across: Word, down: Word, pool: Word, record: Word, slot: Int, table: Array, largest: Int
) -> None:
    """Keep a record first, or second if the first has more edges, up to `largest`, to be met."""
    if not _holds(across, down, pool, slot, table):
        edges = edges_of(table[slot, 3])
        slot += edges > edges_of(record) and edges <= largest
    table[slot, 0] = across ^ record
    table[slot, 1] = down ^ record
    table[slot, 2] = pool ^ record
    table[slot, 3] = record


@part
def new_record(least: Int, most: Int, move: Move, edges: Int) -> Any:
    """That `least` ≤ value ≤ `most`, with `edges` to draw and `move` the best known or NO_MOVE."""
    bounds = np.uint64(least + MOST) | np.uint64(MOST - most) << np.uint64(8)
    return bounds | np.uint64(NO_MOVE - move) << np.uint64(16) | np.uint64(edges) << np.uint64(24)


@part
def least_of(record: Word) -> Any:
    return np.int64(record & BYTE) - MOST


@part
def most_of(record: Word) -> Any:
    return MOST - np.int64(record >> np.uint64(8) & BYTE)


@part
def move_of(record: Word) -> Any:
    return NO_MOVE - np.int64(record >> np.uint64(16) & BYTE)


@part
def edges_of(record: Word) -> Any:
    return np.int64(record >> np.uint64(24))
