"""Patterns of where both sides may move: whether a corner may be taken, which squares of an edge.

The discs do not say so, as lines over the whole board decide it. Moves of the side whose turn it is
not are called replies. The entries: a number for each count of moves and of replies, with an even
and an odd number of discs; the moves and replies on six squares of an edge, and of the row next to
it; a corner with its three neighbours, and who may take it. As in `patterns`, one number stands for
all places that the board's symmetries turn into each other.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from players.compiled.bits import WORD, extract, set_bits
from players.compiled.types import Array

SIDES = 2
"""Moves and replies."""
COUNTED = 64
"""Numbers for the count of moves of a side."""

INNER = 6
"""Squares of a line that are read: corners are read for themselves."""

LINES = tuple(
    tuple(
        sum(1 << (8 * at + step if rows else 8 * step + at) for step in range(1, 1 + INNER))
        for rows in (True, False)
        for at in (row, 7 - row)
    )
    for row in (0, 1)
)
"""The masks of the edges, then of the rows next to them."""

CORNERS = tuple(
    (1 << 8 * row + column, sum(1 << 8 * r + c for r in rows for c in columns))
    for row, rows in ((0, (0, 1)), (7, (6, 7)))
    for column, columns in ((0, (0, 1)), (7, (6, 7)))
)
"""The masks of a corner, and of the corner with its neighbours."""

AT_CORNER = ((0, 1, 2, 3), (1, 0, 3, 2), (2, 3, 0, 1), (3, 2, 1, 0))
"""Where each mask has the corner, its neighbour in the row, that in the column, and the last."""

COUNTS, OF_LINE, OF_CORNER = SIDES * 2 * COUNTED, 1 << SIDES * INNER, 1 << 10
MOVE_ENTRIES = COUNTS + len(LINES) * OF_LINE + len(CORNERS) * OF_CORNER
"""How many numbers there are."""

MOVE_PLACES = SIDES + sum(map(len, LINES)) + len(CORNERS)
"""How many entries a position picks."""


def move_entries(builder: Any, own: Any, other: Any, moves: Any, replies: Any) -> Iterator[Any]:
    """LLVM values of the entries a position picks."""

    def joined(*parts: tuple[Any, int, int], start: int) -> Any:
        """The start, and of each word the bits of a mask, from that bit on."""
        entry = WORD(start)
        for word, mask, bit in parts:
            found = builder.shl(extract(builder, word, mask), WORD(bit))
            entry = builder.add(entry, found)
        return entry

    odd = builder.and_(set_bits(builder, builder.or_(own, other)), WORD(1))
    base = builder.mul(odd, WORD(COUNTED))
    for side, word in enumerate((moves, replies)):
        count = builder.add(set_bits(builder, word), WORD(side * 2 * COUNTED))
        yield builder.add(count, base)
    start = COUNTS
    for masks in LINES:
        for mask in masks:
            yield joined((moves, mask, 0), (replies, mask, INNER), start=start)
        start += OF_LINE
    for corner, near in CORNERS:
        taken = (moves, corner, 8), (replies, corner, 9)
        yield joined((own, near, 0), (other, near, 4), *taken, start=start)
        start += OF_CORNER


def _with_bits(numbers: Array, places: tuple[int, ...]) -> Array:
    """The numbers with each bit at the place of `places` that it came from."""
    return sum(((numbers >> old & 1) << new for new, old in enumerate(places)), 0 * numbers)


def canonical_moves() -> Array:
    """int32[MOVE_ENTRIES]: for each entry the one that stands for it and its mirror images."""
    found = np.arange(MOVE_ENTRIES, dtype=np.int32)
    lines = np.arange(OF_LINE, dtype=np.int32)
    backwards = (*range(INNER)[::-1], *range(INNER, SIDES * INNER)[::-1])
    mirrored = np.minimum(lines, _with_bits(lines, backwards))
    for index in range(len(LINES)):
        start = COUNTS + index * OF_LINE
        found[start : start + OF_LINE] = start + mirrored
    start = COUNTS + len(LINES) * OF_LINE
    corners = np.arange(OF_CORNER, dtype=np.int32)
    for index, first in enumerate(AT_CORNER):
        begin = start + index * OF_CORNER
        corner, row, column, last = first
        images = (
            _with_bits(corners, (*order, *(4 + each for each in order), 8, 9))
            for order in (first, (corner, column, row, last))
        )
        found[begin : begin + OF_CORNER] = start + np.minimum(*images)
    return found
