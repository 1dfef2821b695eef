"""The transposition table of alpha-beta: results of earlier searches of a position.

Two entries a bucket, each a key and a word of data. The first keeps what was searched deepest and
gives way to the same position, a deeper search and anything once its generation is over.

Half of all searches are one move deep. The first buckets are theirs alone, few enough to stay in a
processor's cache: waiting for memory would cost them more than the moves they look at.

Threads may share a table. Another thread than the first has some of the last buckets for searches
one move deep, as two that write to the same ones would wait for each other. A key is kept crossed
with its data, so that the halves of two threads' entries never fit together (Hyatt and Mann,
"A lock-less transposition table implementation for parallel search", 2002).
"""

import numpy as np

from players.compiled.bits import BYTE, HALF, ZERO, below
from players.compiled.cache import part
from players.compiled.pages import zeros
from players.games import interface as game
from players.search.types import Array, Int, Move, Position, Record, Word

AT_LEAST, AT_MOST, EXACT = 1, 2, 3
"""The relation of a stored value to the true one. 0 marks an empty entry."""

TO_THE_END = game.PLIES
"""The depth of a value that rests on no estimate."""

GENERATIONS = 256
"""After that many searches the count of generations starts again."""

BUCKET_WORDS = 4
BUCKET_BYTES = 8 * BUCKET_WORDS
LINE_BYTES = 64
"""A cache line: buckets start on its borders and halves."""

NEAR_BUCKETS = 4096
"""For searches one move deep."""

MOVE, DEPTH, BOUND, GENERATION = np.uint64(24), np.uint64(16), np.uint64(8), np.uint64(0)
"""The places of the parts of a data word; the value's is the upper half."""


def new_table(memory_mb: int) -> Array:
    """An empty table: as many buckets as fit, none for 0."""
    buckets = memory_mb * 1_000_000 // BUCKET_BYTES
    spare = LINE_BYTES // 8
    words = zeros(BUCKET_WORDS * buckets + spare)
    begin = -words.ctypes.data % LINE_BYTES // 8
    return words[begin : begin + BUCKET_WORDS * buckets]


@part
def reach(position: Position, depth: Int, is_to_the_end: bool, scratch: Record) -> Int:
    """The depth that a search is kept with. One to the end counts by what remains and, while there
    are cuts, by its round: a later one does not believe those before it.
    """
    if not is_to_the_end:
        return np.int64(depth)
    if scratch.cut_round == 0:
        return np.int64(TO_THE_END)
    return np.int64(game.remaining(position)) - scratch.exact_from + scratch.cut_round


def near_of(table: Array, thread: int) -> int:
    """The first bucket for searches one move deep of that thread, counted from 0."""
    parts = len(table) // BUCKET_WORDS // NEAR_BUCKETS
    return -thread % max(parts, 1) * NEAR_BUCKETS


@part
def bucket_of(table: Array, key: Word, depth: Int, near: Int) -> Int:
    """Where a position is kept; `near` is the thread's first bucket (`near_of`)."""
    if depth == 1:
        return (near + np.int64(below(key, np.uint64(NEAR_BUCKETS)))) * BUCKET_WORDS
    buckets = len(table) // BUCKET_WORDS - NEAR_BUCKETS
    return (NEAR_BUCKETS + np.int64(below(key, np.uint64(buckets)))) * BUCKET_WORDS


@part
def look_up(table: Array, bucket: Int, key: Word) -> Word:
    """The data word kept for `key`; 0 when there is none."""
    first, second = table[bucket + 1], table[bucket + 3]
    if table[bucket] ^ first == key:
        return first
    return second if table[bucket + 2] ^ second == key else ZERO


@part
def move_for(table: Array, key: Word, depth: Int, near: Int) -> Move:
    """The best move that searches of that depth found, those deeper than 1 together; or NO_MOVE."""
    data = look_up(table, bucket_of(table, key, depth, near), key)
    return field(data, MOVE) if data != ZERO else np.int64(game.NO_MOVE)


@part
def field(data: Word, place: Word) -> Int:
    """A part of a data word other than the value."""
    return np.int64((data >> place) & BYTE)


@part
def value_of(data: Word) -> Int:
    return np.int64(data) >> np.int64(HALF)


@part
def bound_of(value: Int, alpha: Int, beta: Int) -> Int:
    """The relation of a value found with a window to the true one."""
    return AT_LEAST if value >= beta else (EXACT if value > alpha else AT_MOST)


@part
def settles(bound: Int, value: Int, alpha: Int, beta: Int) -> bool:
    return bool(
        bound == EXACT
        or (bound == AT_LEAST and value >= beta)
        or (bound == AT_MOST and value <= alpha)
    )


@part
def keep(
    table: Array, bucket: Int, key: Word, value: Int, move: Move, depth: Int, bound: Int, age: Int
) -> None:
    data = (
        np.uint64(value) << HALF
        | np.uint64(move) << MOVE
        | np.uint64(depth) << DEPTH
        | np.uint64(bound) << BOUND
        | np.uint64(age) << GENERATION
    )
    first, older = table[bucket], table[bucket + 1]
    if first ^ older == key:
        table[bucket], table[bucket + 1] = key ^ data, data
    elif field(older, GENERATION) != age or field(older, DEPTH) <= depth:
        table[bucket + 2], table[bucket + 3] = first, older
        table[bucket], table[bucket + 1] = key ^ data, data
    else:
        table[bucket + 2], table[bucket + 3] = key ^ data, data
