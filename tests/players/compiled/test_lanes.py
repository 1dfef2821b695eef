"""Words in lanes against the same arithmetic on Python's integers."""

from random import Random
from typing import Any

import numpy as np
import pytest
from numba import types

from players.compiled import bits, lanes
from players.compiled.cache import intrinsic, kernel

LIMIT = 1 << 64


@intrinsic
def with_lane(_typing: Any, vector: Any, word: Any, number: Any) -> Any:
    """`vector` with another word in one lane."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.insert_element(*arguments)

    return lanes.LANES(lanes.LANES, types.uint64, types.uint64), generate


@kernel
def operated(left: Any, right: Any, word: Any, shift: Any, out: Any) -> Any:
    """Every operator on the lanes `left` and `right`, uint64[8] each: a row of `out` for each."""
    a, b = lanes.spread(bits.ZERO), lanes.spread(bits.ZERO)
    for index in range(8):
        a = with_lane(a, left[index], np.uint64(index))
        b = with_lane(b, right[index], np.uint64(index))
    changed = a
    changed += b
    changed &= word
    n = lanes.popcounts(b & np.uint64(63))
    rows = (
        a & b,
        a | word,
        word ^ b,
        a + b,
        word - b,
        a * word,
        a << shift,
        a >> (b & np.uint64(63)),
        ~a,
        changed,
        lanes.less(a, b),
        lanes.empty(a & word & np.uint64(7)),
        lanes.popcounts(a),
        lanes.nth_bits_by_search(a, n),
        lanes.nth_bits(a, n),
        lanes.either(a & word & np.uint64(7), b),
        lanes.select(a & word & np.uint64(7), b, lanes.spread(word)),
        lanes.numbered(),
    )
    for row, result in enumerate(rows):
        for index in range(8):
            out[row, index] = lanes.lane(result, np.uint64(index))
    return lanes.total(a), lanes.any_set(a), lanes.either(word & np.uint64(7), word)


def signed(word: int) -> int:
    return word - LIMIT if word >> 63 else word


def nth_bit(mask: int, n: int) -> int:
    set_bits = [1 << index for index in range(64) if mask >> index & 1]
    return set_bits[n] if n < len(set_bits) else 0


def expected(a: int, b: int, word: int, shift: int, number: int) -> list[int]:
    n = (b & 63).bit_count()
    test = a & word & 7
    return [
        a & b,
        a | word,
        word ^ b,
        a + b,
        word - b,
        a * word,
        a << shift,
        a >> (b & 63),
        ~a,
        (a + b) % LIMIT & word,
        -1 if signed(a) < signed(b) else 0,
        0 if test else -1,
        a.bit_count(),
        nth_bit(a, n),
        nth_bit(a, n),
        test or b,
        b if test else word,
        number,
    ]


@pytest.mark.parametrize("seed", range(100))
def test_lanes_compute_like_words(seed: int) -> None:
    rng = Random(seed)

    def some() -> int:
        return rng.getrandbits(64) & rng.choice((LIMIT - 1, rng.getrandbits(64), 0, 0xFF))

    left, right = [some() for _ in range(8)], [some() for _ in range(8)]
    word, shift = some(), rng.randrange(64)
    out = np.zeros((18, 8), np.uint64)
    total, any_set, one = operated(
        np.array(left, np.uint64),
        np.array(right, np.uint64),
        np.uint64(word),
        np.uint64(shift),
        out,
    )
    for number, (a, b) in enumerate(zip(left, right, strict=True)):
        wanted = [value % LIMIT for value in expected(a, b, word, shift, number)]
        assert out[:, number].tolist() == wanted, f"seed {seed}, lane {number}"
    assert total % LIMIT == sum(left) % LIMIT, f"seed {seed}"
    assert any_set == any(left), f"seed {seed}"
    assert one == (word & 7 or word), f"seed {seed}"
