"""What the Othello endgame remembers: positions with bounds on their values, in words.

The table is reached by its address: a search passes one word on instead of an array.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import types

from players.compiled.bits import BYTE, HALF, ONE, WORD, ZERO
from players.compiled.cache import intrinsic, part

BUCKET = 8
"""Words a bucket, one line of the processor's cache: two entries of three words."""

TWO, SECOND = np.uint64(2), np.uint64(3)
NO_MOVE = np.uint64(64)

WORST, BEST = -64, 64
"""The least and the greatest margin."""


class Ground(NamedTuple):
    """What stays the same throughout a search: words all."""

    playable: Any
    """The squares in play."""
    free: Any
    """The squares that may be played whether or not they bracket anything."""
    anchors: Any
    """The squares where no disc ever turns."""
    west: Any
    """The left half of the board."""
    north: Any
    """Its upper half."""
    occupied: Any
    """The discs at the root: an entry without one of them is of no more use."""
    table: Any
    """The address of the first bucket."""
    shift: Any
    """64 − the binary logarithm of the number of buckets."""
    work: Any
    """The address of the search's own words: how many nodes it visited, the move found last,
    then the lists of moves.
    """
    stop: Any
    """The address of the flag that ends it."""


@intrinsic
def load(_typing: Any, address: Any, index: Any) -> Any:
    """The word `index` after `address`."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        base = builder.inttoptr(arguments[0], WORD.as_pointer())
        return builder.load(builder.gep(base, [arguments[1]]))

    return types.uint64(types.uint64, types.uint64), generate


@intrinsic
def store(_typing: Any, address: Any, index: Any, value: Any) -> Any:
    """Set the word `index` after `address`."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        base = builder.inttoptr(arguments[0], WORD.as_pointer())
        builder.store(arguments[2], builder.gep(base, [arguments[1]]))

    return types.void(types.uint64, types.uint64, types.uint64), generate


@intrinsic
def load_shared(_typing: Any, address: Any) -> Any:
    """The word at `address`, which another thread may have set."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        base = builder.inttoptr(arguments[0], WORD.as_pointer())
        return builder.load_atomic(base, "monotonic", 8)

    return types.uint64(types.uint64), generate


@part
def count_node(ground: Any) -> None:
    """One more position visited."""
    store(ground.work, ZERO, load(ground.work, ZERO) + ONE)


@part
def place(own: Any, other: Any, ground: Any) -> Any:
    """Where a position is kept: (the address of its bucket, its tag in the upper half)."""
    key = own * np.uint64(0x9E3779B97F4A7C15) + other
    key = (key ^ (key >> np.uint64(29))) * np.uint64(0xC4CEB9FE1A85EC53)
    return ground.table + (key >> ground.shift << np.uint64(6)), key << HALF


@part
def scramble(record: Any) -> Any:
    """What an entry's discs are crossed with, so that two threads' halves never fit together."""
    return record * np.uint64(0xFF51AFD7ED558CCD)


@part
def holds(own: Any, other: Any, bucket: Any, start: Any) -> Any:
    """Whether the entry `start` words into the bucket is that of a position."""
    mask = scramble(load(bucket, start + TWO))
    return load(bucket, start) ^ mask == own and load(bucket, start + ONE) ^ mask == other


@part
def recall(own: Any, other: Any, bucket: Any) -> Any:
    """The record kept of a position; 0, which says nothing, when there is none."""
    if holds(own, other, bucket, ZERO):
        return load(bucket, TWO)
    if holds(own, other, bucket, SECOND):
        return load(bucket, SECOND + TWO)
    return ZERO


@part
def keep(own: Any, other: Any, bucket: Any, record: Any, ground: Any) -> None:
    """Keep the record of a position: where it was, else in the first entry if that one took less
    work or cannot be met again, else in the second.
    """
    start = ZERO
    if not holds(own, other, bucket, ZERO):
        first = load(bucket, TWO)
        mask = scramble(first)
        discs = (load(bucket, ZERO) ^ mask) | (load(bucket, ONE) ^ mask)
        if left_of(first) > left_of(record) and ground.occupied & ~discs == ZERO:
            start = SECOND
    mask = scramble(record)
    store(bucket, start, own ^ mask)
    store(bucket, start + ONE, other ^ mask)
    store(bucket, start + TWO, record)


@part
def new_record(least: Any, most: Any, move: Any, left: Any, tag: Any) -> Any:
    """That `least` ≤ value ≤ `most` with `left` empty squares and `move` the best known, or
    NO_MOVE.
    """
    record = np.uint64(least - WORST) | np.uint64(BEST - most) << np.uint64(8)
    return record | (np.uint64(NO_MOVE) - move) << np.uint64(16) | left << np.uint64(24) | tag


@part
def least_of(record: Any) -> Any:
    """What the value is at least."""
    return np.int64(record & BYTE) + WORST


@part
def most_of(record: Any) -> Any:
    """What the value is at most."""
    return BEST - np.int64(record >> np.uint64(8) & BYTE)


@part
def move_of(record: Any) -> Any:
    """The best move known, or NO_MOVE."""
    return NO_MOVE - (record >> np.uint64(16) & BYTE)


@part
def left_of(record: Any) -> Any:
    """How many squares were empty."""
    return record >> np.uint64(24) & BYTE
