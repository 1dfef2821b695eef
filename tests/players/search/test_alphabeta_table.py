"""The transposition table: what it keeps, what it gives up, and that keys are compared whole."""

from random import Random
from typing import Any

import numpy as np
import pytest

from players.compiled.cache import kernel
from players.compiled.prefetch import prefetch
from players.search.alphabeta.table import (
    AT_LEAST,
    BOUND,
    BUCKET_BYTES,
    BUCKET_WORDS,
    DEPTH,
    EXACT,
    GENERATION,
    LINE_BYTES,
    MOVE,
    NEAR_BUCKETS,
    TO_THE_END,
    bucket_of,
    field,
    keep,
    look_up,
    near_of,
    new_table,
    value_of,
)


@kernel
def put(table: Any, key: Any, value: Any, move: Any, depth: Any, bound: Any, age: Any) -> Any:
    keep(table, bucket_of(table, key, depth, 0), key, value, move, depth, bound, age)


@kernel
def get(table: Any, key: Any, depth: Any) -> Any:
    bucket = bucket_of(table, key, depth, 0)
    prefetch(table, bucket)
    data = look_up(table, bucket, key)
    parts = field(data, MOVE), field(data, DEPTH), field(data, BOUND), field(data, GENERATION)
    return value_of(data), *parts


MISSING = (0, 0, 0, 0, 0)


@pytest.mark.parametrize("memory_mb", [1, 3, 64])
def test_takes_the_memory_it_is_given_and_starts_on_a_cache_line(memory_mb: int) -> None:
    table = new_table(memory_mb)
    assert memory_mb * 1_000_000 - BUCKET_BYTES < table.nbytes <= memory_mb * 1_000_000
    assert table.ctypes.data % LINE_BYTES == 0
    assert not table.any()


def test_no_memory_is_no_table() -> None:
    assert len(new_table(0)) == 0


def test_gives_back_what_was_kept() -> None:
    table, rng = new_table(1), Random(7)
    for _ in range(1000):
        key = np.uint64(rng.getrandbits(64))
        entry = (
            rng.randint(-2_000_000, 2_000_000),
            rng.randrange(128),
            rng.choice((1, 9, TO_THE_END)),
            rng.choice((AT_LEAST, EXACT)),
            rng.randrange(256),
        )
        depth = entry[2]
        assert get(table, key, depth) == MISSING
        put(table, key, *entry)
        assert get(table, key, depth) == entry


def test_another_key_of_the_same_bucket_is_not_mistaken_for_it() -> None:
    table, key = new_table(1), np.uint64(1 << 63)
    put(table, key, 5, 6, 7, EXACT, 0)
    for bit in range(24):
        assert get(table, np.uint64((1 << 63) + (1 << bit)), 7) == MISSING


def test_an_entry_of_two_threads_halves_is_none() -> None:
    table, key = new_table(1), np.uint64(1 << 63)
    put(table, key, 5, 6, 7, EXACT, 0)
    first = table.copy()
    put(table, key, 50, 60, 8, EXACT, 0)
    changed = np.flatnonzero(first != table)
    assert len(changed) == 2
    for each in changed:
        torn = table.copy()
        torn[each] = first[each]
        assert get(torn, key, 7) == MISSING


@pytest.mark.parametrize("memory_mb", [0, 1, 64])
def test_every_thread_has_buckets_inside_the_table(memory_mb: int) -> None:
    table = new_table(memory_mb)
    starts = [near_of(table, thread) for thread in range(64)]
    assert starts[0] == 0
    assert min(starts) >= 0
    assert not len(table) or (max(starts) + NEAR_BUCKETS) * BUCKET_WORDS <= len(table)
    assert memory_mb < 64 or len(set(starts)) == 64


def test_deeper_entries_stay_until_their_generation_is_over() -> None:
    """Keys that differ in low bits alone share a bucket of two entries."""
    table = new_table(1)
    deep, shallow, other, late = (np.uint64(each) for each in (1, 2, 3, 4))
    put(table, deep, 10, 1, 9, EXACT, 0)
    put(table, shallow, 20, 2, 3, EXACT, 0)
    assert (get(table, deep, 9)[0], get(table, shallow, 9)[0]) == (10, 20)
    put(table, other, 30, 3, 5, EXACT, 0)
    assert (get(table, deep, 9)[0], get(table, other, 9)[0]) == (10, 30)
    assert get(table, shallow, 9) == MISSING
    put(table, late, 40, 4, 2, EXACT, 1)
    assert (get(table, late, 9)[0], get(table, deep, 9)[0]) == (40, 10)
    put(table, late, 41, 4, 2, AT_LEAST, 1)
    assert get(table, late, 9) == (41, 4, 2, AT_LEAST, 1)


def test_searches_one_move_deep_have_buckets_of_their_own() -> None:
    table, rng = new_table(1), Random(3)
    put(table, np.uint64(1), 10, 1, 9, EXACT, 0)
    for _ in range(10 * NEAR_BUCKETS):
        put(table, np.uint64(rng.getrandbits(64)), 20, 2, 1, EXACT, 0)
    assert not table[NEAR_BUCKETS * BUCKET_WORDS :].reshape(-1, BUCKET_WORDS)[1:].any()
    assert get(table, np.uint64(1), 9) == (10, 1, 9, EXACT, 0)
