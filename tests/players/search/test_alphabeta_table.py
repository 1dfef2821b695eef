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
    DEPTH,
    EXACT,
    GENERATION,
    LINE_BYTES,
    MOVE,
    TO_THE_END,
    bucket_of,
    field,
    keep,
    look_up,
    new_table,
    value_of,
)


@kernel
def put(table: Any, key: Any, value: Any, move: Any, depth: Any, bound: Any, age: Any) -> Any:
    keep(table, bucket_of(table, key), key, value, move, depth, bound, age)


@kernel
def get(table: Any, key: Any) -> Any:
    bucket = bucket_of(table, key)
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
        assert get(table, key) == MISSING
        put(table, key, *entry)
        assert get(table, key) == entry


def test_another_key_of_the_same_bucket_is_not_mistaken_for_it() -> None:
    table, key = new_table(1), np.uint64(1 << 63)
    put(table, key, 5, 6, 7, EXACT, 0)
    for bit in range(24):
        assert get(table, np.uint64((1 << 63) + (1 << bit))) == MISSING


def test_deeper_entries_stay_until_their_generation_is_over() -> None:
    """Keys that differ in low bits alone share a bucket of two entries."""
    table = new_table(1)
    deep, shallow, other, late = (np.uint64(each) for each in (1, 2, 3, 4))
    put(table, deep, 10, 1, 9, EXACT, 0)
    put(table, shallow, 20, 2, 3, EXACT, 0)
    assert (get(table, deep)[0], get(table, shallow)[0]) == (10, 20)
    put(table, other, 30, 3, 5, EXACT, 0)
    assert (get(table, deep)[0], get(table, other)[0]) == (10, 30)
    assert get(table, shallow) == MISSING
    put(table, late, 40, 4, 1, EXACT, 1)
    assert (get(table, late)[0], get(table, deep)[0]) == (40, 10)
    put(table, late, 41, 4, 1, AT_LEAST, 1)
    assert get(table, late) == (41, 4, 1, AT_LEAST, 1)
