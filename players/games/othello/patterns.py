"""The patterns of an 8×8 Othello board: groups of squares read as numbers in base three, and those
of `move_patterns`.

A square is worth 0 when it is empty, 1 with a disc of the mover, 2 with one of the other. A shape
(Buro 1999, "From simple features to sophisticated evaluation functions") has one number for each of
its fillings, in all places that the board's symmetries turn into each other.

Extraction of bits from four images of the board, by half turns and transposing, reads every place
in one order of squares, but for those that only half a turn brings there: backwards.
"""

from collections.abc import Iterable
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types

from players.compiled.bits import WORD, call, constant_table, entry_pointer, extract
from players.compiled.cache import instruction, intrinsic
from players.compiled.types import Builder, Value
from players.games.othello.move_patterns import (
    MOVE_ENTRIES,
    MOVE_PLACES,
    canonical_moves,
    move_entries,
)

BOARD, FLIPPED, TRANSPOSED, TURNED = range(4)
"""The images; TURNED is the transpose upside down."""


class Place(NamedTuple):
    image: int
    mask: int
    backwards: bool = False


class Shape(NamedTuple):
    """A pattern with all its places."""

    cells: int
    places: tuple[Place, ...]
    mirror: tuple[int, ...] | None
    """The order of its cells after the reflection that keeps the place, if there is one."""


def _mask(*squares: tuple[int, int]) -> int:
    return sum(1 << 8 * row + column for row, column in squares)


def _rectangle(rows: range, columns: range) -> int:
    return _mask(*((row, column) for row in rows for column in columns))


def _row(row: int) -> Shape:
    masks = (0xFF << 8 * row, 0xFF << 8 * (7 - row))
    places = tuple(Place(image, mask) for image in (BOARD, TRANSPOSED) for mask in masks)
    return Shape(8, places, tuple(reversed(range(8))))


def _diagonal(cells: int) -> Shape:
    gap = 8 - cells
    rising = [[(row, row + gap) for row in range(cells)], [(r + gap, r) for r in range(cells)]]
    lines = rising + [[(7 - row, column) for row, column in line] for line in rising]
    masks = sorted({_mask(*line) for line in lines})
    return Shape(cells, tuple(Place(BOARD, mask) for mask in masks), tuple(reversed(range(cells))))


_EDGE = _rectangle(range(1), range(8)) | _mask((1, 1), (1, 6))
_SQUARE = _rectangle(range(3), range(3)), _rectangle(range(5, 8), range(5, 8))
_OBLONG = _rectangle(range(2), range(5)), _rectangle(range(6, 8), range(3, 8))

SHAPES = (
    Shape(10, tuple(Place(image, _EDGE) for image in range(4)), (7, 6, 5, 4, 3, 2, 1, 0, 9, 8)),
    Shape(
        9,
        (
            *(Place(image, _SQUARE[0]) for image in (BOARD, FLIPPED, TURNED)),
            Place(BOARD, _SQUARE[1], backwards=True),
        ),
        (0, 3, 6, 1, 4, 7, 2, 5, 8),
    ),
    Shape(
        10,
        tuple(
            Place(image, _OBLONG[backwards], bool(backwards))
            for image in range(4)
            for backwards in (0, 1)
        ),
        None,
    ),
    *(_row(row) for row in (1, 2, 3)),
    *(_diagonal(cells) for cells in (8, 7, 6, 5, 4)),
)
"""An edge with both X squares, a corner's 3×3 and 2×5, the inner rows, the diagonals."""

STARTS = tuple(sum(3**shape.cells for shape in SHAPES[:index]) for index in range(len(SHAPES)))
"""Where each shape's numbers start."""

FILLED = sum(3**shape.cells for shape in SHAPES)
"""How many numbers all shapes have together."""

ENTRIES = FILLED + MOVE_ENTRIES
"""How many numbers there are with those of moves, which come last."""

PLACES = sum(len(shape.places) for shape in SHAPES) + MOVE_PLACES
"""How many entries a position picks."""


def canonical_entries() -> Any:
    """int32[ENTRIES]: for each entry the one that stands for it and its mirror images."""
    result = np.arange(ENTRIES, dtype=np.int32)
    result[FILLED:] = FILLED + canonical_moves()
    for start, shape in zip(STARTS, SHAPES, strict=True):
        if shape.mirror is not None:
            fillings = np.arange(3**shape.cells)
            digits = [fillings // 3**cell % 3 for cell in range(shape.cells)]
            mirrored = sum(digits[old] * 3**cell for cell, old in enumerate(shape.mirror))
            result[start : start + len(fillings)] = start + np.minimum(fillings, mirrored)
    return result


DIGIT = ir.IntType(32)


def _values(builder: Any, cells: int, backwards: bool) -> Any:
    """The LLVM table of what the bits of `cells` squares are worth in base three."""
    name = f"arena_othello_base_three_{cells}" if backwards else "arena_othello_base_three"

    def make() -> Any:
        order = range(cells)[::-1] if backwards else range(10)
        values = [
            sum(3**power for cell, power in enumerate(order) if bits >> cell & 1)
            for bits in range(1 << len(order))
        ]
        return ir.Constant(ir.ArrayType(DIGIT, len(values)), values)

    return constant_table(builder.module, name, make)


def _fillings(builder: Any, own: Any, other: Any) -> Any:
    """LLVM values of how a position fills each place, after where the numbers of its shape start,
    from the words' images: board, transpose.
    """

    def flipped(word: Any) -> Any:
        return call(builder, "llvm.bswap.i64", WORD, word)

    images = [
        [board, flipped(board), transpose, flipped(transpose)] for board, transpose in (own, other)
    ]
    for start, shape in zip(STARTS, SHAPES, strict=True):
        for place in shape.places:
            table = _values(builder, shape.cells, place.backwards)
            first, second = (
                builder.load(
                    builder.gep(table, [WORD(0), extract(builder, words[place.image], place.mask)])
                )
                for words in images
            )
            yield start, builder.add(first, builder.shl(second, DIGIT(1)))


def _entries(builder: Any, own: Any, other: Any) -> Any:
    """LLVM values of the entries that the discs of a position pick."""
    for start, filling in _fillings(builder, own, other):
        yield builder.zext(builder.add(filling, DIGIT(start)), WORD)


SHORT = ir.IntType(16)


def _sum(builder: Any, numbers: Any, entries: Iterable[Any]) -> Any:
    """LLVM code for the sum of the entries in the `numbers` of 16 bits from that address on."""
    first = builder.inttoptr(numbers, SHORT.as_pointer())
    total = DIGIT(0)
    for entry in entries:
        number = builder.load(builder.gep(first, [entry]))
        total = builder.add(total, builder.sext(number, DIGIT))
    return builder.sext(total, WORD)


@instruction(types.int64, *[types.uint64] * 5, once=True)
def pattern_sum(
    builder: Builder, own: Value, own_t: Value, other: Value, other_t: Value, numbers: Value
) -> Value:
    """The sum of what the discs of a position pick, the `_t` its transposes, in the `numbers` of
    16 bits from that address on.
    """
    return _sum(builder, numbers, _entries(builder, (own, own_t), (other, other_t)))


@instruction(types.int64, *[types.uint64] * 5, once=True)
def move_sum(
    builder: Builder, own: Value, other: Value, moves: Value, replies: Value, numbers: Value
) -> Value:
    """The sum of what the moves of a position pick, in the same."""
    of_moves = builder.add(numbers, WORD(2 * FILLED))
    return _sum(builder, of_moves, move_entries(builder, own, other, moves, replies))


LANES, VECTORS = 16, 3
"""Fillings go into three vectors of 16 numbers of 16 bits."""
FILLINGS = ir.VectorType(SHORT, LANES)


@instruction(types.int64, *[types.uint64] * 5, once=True)
def write_fillings(
    builder: Builder, own: Value, own_t: Value, other: Value, other_t: Value, out: Value
) -> Value:
    """Write how a position fills each place to the address `out`, the `_t` its transposes; 0."""
    first = builder.inttoptr(out, SHORT.as_pointer())
    for index, (_, filling) in enumerate(_fillings(builder, (own, own_t), (other, other_t))):
        builder.store(builder.trunc(filling, SHORT), builder.gep(first, [WORD(index)]))
    return WORD(0)


def _powers() -> Any:
    """int[64, VECTORS · LANES]: what a disc of the mover is worth in each place."""
    powers = np.zeros((64, VECTORS * LANES), np.int64)
    places = [place for shape in SHAPES for place in shape.places]
    for column, place in enumerate(places):
        image = np.arange(64).reshape(8, 8)
        image = image.T if place.image in (TRANSPOSED, TURNED) else image
        image = image[::-1] if place.image in (FLIPPED, TURNED) else image
        squares = [square for bit, square in enumerate(image.ravel()) if place.mask >> bit & 1]
        for cell, square in enumerate(squares[::-1] if place.backwards else squares):
            powers[square, column] = 3**cell
    return powers


def _powers_of(builder: Any) -> Any:
    """The LLVM table of the same, in vectors."""

    def make() -> Any:
        vectors = [ir.Constant(FILLINGS, row) for row in _powers().reshape(-1, LANES).tolist()]
        return ir.Constant(ir.ArrayType(FILLINGS, len(vectors)), vectors)

    return constant_table(builder.module, "arena_othello_powers", make)


@instruction(types.int64, *[types.uint64] * 4, once=True)
def pattern_sum_after(
    builder: Builder, drawn: Value, square: Value, turned: Value, numbers: Value
) -> Value:
    """The `pattern_sum` of a position after a move to `square` that has `turned` discs, from the
    fillings (`write_fillings`) at the address `drawn`, of the position before with the colours
    exchanged: a turned disc adds its power once, the new one twice.
    """
    b = builder
    table, vectors = _powers_of(b), range(VECTORS)

    def powers(square: Any) -> Any:
        row = b.mul(square, WORD(VECTORS))
        return [b.load(b.gep(table, [WORD(0), b.add(row, WORD(each))])) for each in vectors]

    place = b.inttoptr(drawn, FILLINGS.as_pointer())
    places = [b.gep(place, [WORD(each)]) for each in range(2 * VECTORS)]
    begin = [
        b.add(b.load(before, align=2), b.add(new, new))
        for before, new in zip(places, powers(square), strict=False)
    ]
    entry, loop, end = b.block, b.append_basic_block("turned"), b.append_basic_block("sum")
    has_turned = b.icmp_unsigned("!=", turned, WORD(0))
    b.cbranch(has_turned, loop, end)

    b.position_at_end(loop)
    rest, found = b.phi(WORD), [b.phi(FILLINGS) for _ in vectors]
    disc = call(b, "llvm.cttz.i64", WORD, rest, ir.IntType(1)(1))
    after = [b.add(so_far, more) for so_far, more in zip(found, powers(disc), strict=True)]
    left = b.and_(rest, b.sub(rest, WORD(1)))
    rest.add_incoming(turned, entry)
    rest.add_incoming(left, loop)
    for phi, first, next_one in zip(found, begin, after, strict=True):
        phi.add_incoming(first, entry)
        phi.add_incoming(next_one, loop)
    b.cbranch(b.icmp_unsigned("!=", left, WORD(0)), loop, end)

    b.position_at_end(end)
    filled = [b.phi(FILLINGS) for _ in vectors]
    for phi, first, last in zip(filled, begin, after, strict=True):
        phi.add_incoming(first, entry)
        phi.add_incoming(last, loop)
    for vector, there in zip(filled, places[VECTORS:], strict=True):
        b.store(vector, there, align=2)
    fillings = b.bitcast(places[VECTORS], SHORT.as_pointer())
    first = b.inttoptr(numbers, SHORT.as_pointer())
    total = DIGIT(0)
    starts = [start for start, shape in zip(STARTS, SHAPES, strict=True) for _ in shape.places]
    for index, start in enumerate(starts):
        # atomic, as the compiler would otherwise take each out of its vector, which takes longer
        filling = b.load_atomic(b.gep(fillings, [WORD(index)]), "monotonic", 2)
        number = b.load(b.gep(first, [b.add(b.zext(filling, WORD), WORD(start))]))
        total = b.add(total, b.sext(number, DIGIT))
    return b.sext(total, WORD)


@instruction(types.int64, types.uint64, types.int64)
def number_at(builder: Builder, numbers: Value, index: Value) -> Value:
    """The number of 32 bits `index` places after the address `numbers`."""
    first = builder.inttoptr(numbers, DIGIT.as_pointer())
    return builder.sext(builder.load(builder.gep(first, [index])), WORD)


@intrinsic
def write_entries(
    _typing: Any,
    own: Any,
    own_t: Any,
    other: Any,
    other_t: Any,
    moves: Any,
    replies: Any,
    out: Any,
    start: Any,
) -> Any:
    """Write the PLACES entries a position picks into the int32 array `out` from `start` on."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        own, own_t, other, other_t, moves, replies, *place = arguments
        first = entry_pointer(context, builder, signature.args[6:], place)
        of_moves = move_entries(builder, own, other, moves, replies)
        later = (builder.add(entry, WORD(FILLED)) for entry in of_moves)
        entries = chain(_entries(builder, (own, own_t), (other, other_t)), later)
        for index, entry in enumerate(entries):
            builder.store(builder.trunc(entry, DIGIT), builder.gep(first, [WORD(index)]))
        return context.get_dummy_value()

    word = types.uint64
    return types.none(word, word, word, word, word, word, out, types.int64), generate
