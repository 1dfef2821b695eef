"""The memory of the Othello endgame: positions with bounds on their values, in words.

The table is reached by its address: a search passes one word on instead of an array.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import types

from players.compiled.bits import BYTE, HALF, ONE, WORD, ZERO
from players.compiled.cache import instruction, part
from players.compiled.prefetch import BYTES, fetch
from players.compiled.types import Builder, Int, Move, Value, Word

BUCKET = 8
"""Words a bucket, one line of the processor's cache: two entries of three words."""

TWO, SECOND = np.uint64(2), np.uint64(3)
NO_MOVE = np.uint64(64)

WORST, BEST = -64, 64
"""The least and the greatest margin."""

MARKS = 1 << 12
"""Words for marks: far more than positions are marked at a time."""


class OthelloRoot(NamedTuple):
    """What stays the same throughout a search, at the front of the search's own words, whose
    address is all that is handed down.
    """

    playable: Word
    free: Word
    """The squares that may be played whether or not they bracket anything."""
    anchors: Word
    """The squares where no disc ever turns."""
    west: Word
    """The left half of the board, then the upper half."""
    north: Word
    occupied: Word
    """The discs at the root: an entry without one of them is of no more use."""
    table: Word
    """The address of the first bucket."""
    buckets: Word
    """Their number."""
    stop: Word
    """The address of the flag that ends it."""
    terms: Word
    """The address of the evaluation's numbers, 0 where it is the rough one."""
    marks: Word
    """The address of the marks of positions that threads are searching, 0 for one thread."""


NODES, FOUND = np.uint64(0), np.uint64(1)
"""The first of a search's own words, before the root: the nodes visited, the move found last."""

LISTS = 2 + len(OthelloRoot._fields) + len(OthelloRoot._fields) % 2
"""From there on, after the root: lists of moves, two words each, ply after ply. Even, so that both
are in one line of the cache.
"""


MOST_WORDS = LISTS + 64 * 65
"""How many words a search needs with every square empty."""


@instruction(types.uint64, types.uint64, types.uint64)
def load(builder: Builder, address: Value, index: Value) -> Value:
    """The word `index` after `address`."""
    base = builder.inttoptr(address, WORD.as_pointer())
    return builder.load(builder.gep(base, [index]))


@instruction(types.void, types.uint64, types.uint64, types.uint64)
def store(builder: Builder, address: Value, index: Value, value: Value) -> None:
    base = builder.inttoptr(address, WORD.as_pointer())
    builder.store(value, builder.gep(base, [index]))


@instruction(types.uint64, types.uint64)
def load_shared(builder: Builder, address: Value) -> Value:
    """The word at `address`, which another thread may have set."""
    base = builder.inttoptr(address, WORD.as_pointer())
    return builder.load_atomic(base, "monotonic", 8)


@instruction(types.void, types.uint64)
def fetch_ahead(builder: Builder, address: Value) -> None:
    """Have the processor fetch what is at `address` while it does other things."""
    fetch(builder, builder.inttoptr(address, BYTES))


@part
def root_at(work: Word) -> OthelloRoot:
    """The root of the search with these words: what is not used of it is not read."""
    return OthelloRoot(
        load(work, np.uint64(2)),
        load(work, np.uint64(3)),
        load(work, np.uint64(4)),
        load(work, np.uint64(5)),
        load(work, np.uint64(6)),
        load(work, np.uint64(7)),
        load(work, np.uint64(8)),
        load(work, np.uint64(9)),
        load(work, np.uint64(10)),
        load(work, np.uint64(11)),
        load(work, np.uint64(12)),
    )


@part
def count_node(work: Word) -> None:
    store(work, NODES, load(work, NODES) + ONE)


@part
def place(own: Word, other: Word, fixed: OthelloRoot) -> Any:
    """Where a position is kept: (the address of its bucket, its tag in the upper half)."""
    key = own * np.uint64(0x9E3779B97F4A7C15) + other
    key = (key ^ (key >> np.uint64(29))) * np.uint64(0xC4CEB9FE1A85EC53)
    return fixed.table + ((key >> HALF) * fixed.buckets >> HALF << np.uint64(6)), key << HALF


@part
def mark_of(own: Word, other: Word, fixed: OthelloRoot) -> Any:
    """(where a position is marked while a thread searches it, its mark)."""
    bucket, tag = place(own, other, fixed)
    return fixed.marks + (bucket >> np.uint64(3) & np.uint64(8 * (MARKS - 1))), bucket ^ tag


@part
def scramble(record: Word) -> Any:
    """The word XORed with an entry's discs, so that two threads' halves never fit together."""
    return record * np.uint64(0xFF51AFD7ED558CCD)


@part
def holds(own: Word, other: Word, bucket: Word, start: Word) -> Any:
    """Whether the entry `start` words into the bucket is that of a position."""
    mask = scramble(load(bucket, start + TWO))
    return load(bucket, start) ^ mask == own and load(bucket, start + ONE) ^ mask == other


@part
def recall(own: Word, other: Word, bucket: Word) -> Any:
    """The record kept of a position; 0, which says nothing, when there is none."""
    if holds(own, other, bucket, ZERO):
        return load(bucket, TWO)
    if holds(own, other, bucket, SECOND):
        return load(bucket, SECOND + TWO)
    return ZERO


@part
def keep(own: Word, other: Word, bucket: Word, record: Word, fixed: OthelloRoot) -> None:
    """Keep a record in its own entry, or the first if that is of less use, or the second."""
    start = ZERO
    if not holds(own, other, bucket, ZERO):
        first = load(bucket, TWO)
        mask = scramble(first)
        discs = (load(bucket, ZERO) ^ mask) | (load(bucket, ONE) ^ mask)
        if left_of(first) > left_of(record) and fixed.occupied & ~discs == ZERO:
            start = SECOND
    mask = scramble(record)
    store(bucket, start, own ^ mask)
    store(bucket, start + ONE, other ^ mask)
    store(bucket, start + TWO, record)


@part
def new_record(least: Int, most: Int, move: Move, left: Int, tag: Word) -> Any:
    """`least` ≤ value ≤ `most` with `left` empty squares and `move` the best known, or NO_MOVE."""
    record = np.uint64(least - WORST) | np.uint64(BEST - most) << np.uint64(8)
    return record | (np.uint64(NO_MOVE) - move) << np.uint64(16) | left << np.uint64(24) | tag


@part
def least_of(record: Word) -> Any:
    return np.int64(record & BYTE) + WORST


@part
def most_of(record: Word) -> Any:
    return BEST - np.int64(record >> np.uint64(8) & BYTE)


@part
def move_of(record: Word) -> Any:
    return NO_MOVE - (record >> np.uint64(16) & BYTE)


@part
def left_of(record: Word) -> Any:
    return record >> np.uint64(24) & BYTE
