"""The lines of an 8×8 board, as vector code.

Square (row, column) is bit 8·row + column. The four directions of growing bit numbers (east, south,
south-west, south-east) are the lanes of one 4 × 64-bit vector, that also serve the opposite four.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types

from players.compiled.bits import ONE, WORD, call, constant_table, repeated
from players.compiled.cache import instruction, part
from players.compiled.types import Builder, Value

LANES = 4
VECTOR = ir.VectorType(WORD, LANES)
STEPS = (1, 8, 7, 9)
"""How far apart neighbours on a line are, lane by lane."""

DIRECTIONS = ((0, 1), (1, 0), (1, -1), (1, 1))
"""The same as (rows, columns)."""

ALL = (1 << 64) - 1
INNER_COLUMNS = 0x7E7E7E7E7E7E7E7E
"""Columns b to g: a disc on the rim ends every line that is not vertical."""

NOT_FIRST_COLUMN = np.uint64(0xFEFEFEFEFEFEFEFE)
NOT_LAST_COLUMN = np.uint64(0x7F7F7F7F7F7F7F7F)
ROW = np.uint64(8)


def _lanes(values: Any) -> Any:
    return ir.Constant(VECTOR, [value & ALL for value in values])


ZEROS, ONES = _lanes([0] * LANES), _lanes([1] * LANES)


def _union(builder: Any, vector: Any) -> Any:
    return call(builder, f"llvm.vector.reduce.or.v{LANES}i64", WORD, vector)


def ray(square: int, rows: int, columns: int) -> int:
    """The squares that a direction leads to from `square`."""
    row, column = divmod(square, 8)
    mask = 0
    while 0 <= (row := row + rows) < 8 and 0 <= (column := column + columns) < 8:
        mask |= 1 << 8 * row + column
    return mask


_RAYS = [
    _lanes([ray(square, sign * rows, sign * columns) for rows, columns in DIRECTIONS])
    for square in range(64)
    for sign in (1, -1)
]
"""For each square the rays that leave it in the four directions, then the opposite four."""
RAYS = ir.Constant(ir.ArrayType(VECTOR, 128), _RAYS)


def _rays_of(builder: Any, square: Any) -> tuple[Any, Any]:
    table = constant_table(builder.module, "arena_othello_rays", lambda: RAYS)
    index = builder.shl(square, WORD(1))
    return tuple(
        builder.load(builder.gep(table, [WORD(0), builder.or_(index, WORD(half))]))
        for half in (0, 1)
    )


@instruction(types.uint64, types.uint64, types.uint64, types.uint64)
def flips(builder: Builder, square: Value, own: Value, other: Value) -> Value:
    """The discs of `other` that a disc of `own` on the empty `square` turns: a ray turns if its
    first square that is not `other`, the lowest bit upwards, the highest downwards, is `own`.
    """
    b = builder
    up, down = _rays_of(b, square)
    own, other = (repeated(b, word, LANES) for word in (own, other))
    rest = b.not_(other)

    stops = b.and_(up, rest)
    end = b.and_(b.and_(stops, b.sub(ZEROS, stops)), own)
    before = b.and_(up, b.sub(end, ONES))
    turned = b.select(b.icmp_unsigned("!=", end, ZEROS), before, ZEROS)

    # AVX2 cannot count leading zeros: what is below the highest bit is its shadow, by doubling.
    mine, gaps = b.and_(down, own), b.and_(b.and_(down, rest), b.not_(own))
    shadow = mine
    for steps in (1, 2, 4):
        shadow = b.or_(shadow, b.lshr(shadow, _lanes([steps * step for step in STEPS])))
    before = b.and_(down, b.not_(shadow))
    turned = b.or_(turned, b.select(b.icmp_signed(">", mine, gaps), before, ZEROS))
    return _union(b, turned)


def fill(builder: Any, shift: Any, once: Any, twice: Any, seeds: Any, through: Any) -> Any:
    """The squares of `through` that follow on `seeds` without a gap, at most six in a row, by
    doubling strides (Kogge-Stone): a `shift` by `once`, one step, and by `twice`.
    """
    b = builder
    run = b.and_(shift(seeds, once), through)
    run = b.or_(run, b.and_(shift(run, once), through))
    pairs = b.and_(through, shift(through, once))
    run = b.or_(run, b.and_(shift(run, twice), pairs))
    return b.or_(run, b.and_(shift(run, twice), pairs))


@instruction(types.uint64, types.uint64, types.uint64)
def bracketing(builder: Builder, own: Value, other: Value) -> Value:
    """The squares, empty or not, from which `own` would bracket discs of `other`."""
    b = builder
    own, other = (repeated(b, word, LANES) for word in (own, other))
    once, twice = _lanes(STEPS), _lanes([2 * step for step in STEPS])
    inner = _lanes([ALL if step == 8 else INNER_COLUMNS for step in STEPS])
    through = b.and_(other, inner)
    found = ZEROS
    for shift in (b.shl, b.lshr):
        found = b.or_(found, shift(fill(b, shift, once, twice, own, through), once))
    return _union(b, found)


@part
def neighbours(squares: Any) -> Any:
    """The squares next to `squares`, in any of the eight directions: for words and lanes."""
    sideways = ((squares << ONE) & NOT_FIRST_COLUMN) | ((squares >> ONE) & NOT_LAST_COLUMN)
    three = squares | sideways
    return sideways | (three << ROW) | (three >> ROW)


@instruction(types.uint64, types.uint64)
def unbracketable(builder: Builder, squares: Value) -> Value:
    """Those of `squares` that end all their lines, where no disc ever turns: the corners."""
    b = builder
    all_ways = repeated(b, squares, LANES)
    steps = _lanes(STEPS)
    arrive = _lanes([~0x0101010101010101, ALL, ~0x8080808080808080, ~0x0101010101010101])
    leave = _lanes([~0x8080808080808080, ALL, ~0x0101010101010101, ~0x8080808080808080])
    before = b.and_(b.shl(all_ways, steps), arrive)
    after = b.and_(b.lshr(all_ways, steps), leave)
    between = b.and_(b.and_(before, after), all_ways)
    return b.and_(squares, b.not_(_union(b, between)))
