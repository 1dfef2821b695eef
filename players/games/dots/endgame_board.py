"""The board under an exact dots search: its corners and symmetries, and which edges come first.

Either edge of a corner ties its box to the border, so drawing the one is as good as the other. A
rest, turned or mirrored, is worth the same.

Far from the end sets of edges are reached in many orders, so it pays to look at what the table has
of all children before one is searched, and to search them in much the same order everywhere.
"""

from typing import Any, NamedTuple

import numpy as np

from players.compiled.bits import ONE, ZERO, lowest, popcount, reversed_bits
from players.compiled.cache import part
from players.compiled.types import Array, Int, Move, Word
from players.games.dots.board import VERTICAL, DotsBits, first_edge
from players.games.dots.endgame_rest import pooled
from players.games.dots.endgame_table import MOST, NO_MOVE, least_of, most_of, place, recall

FAR, FAR_FROM, FAR_BOXES = 10, 20, 16
"""Rests with FAR edges and more are searched as far from the end where the search begins with
FAR_FROM at least, on boards of up to FAR_BOXES: on larger ones it took twice as long."""

NEVER = 128
"""More edges than a board has."""


class DotsRoot(NamedTuple):
    boxes: Word
    stride: Word
    height: Int
    """Rows of boxes."""
    width: Int
    """Columns of boxes."""
    north_west: Word
    """The upper edge of that corner, as the next; the lower edge of the last two."""
    north_east: Word
    south_west: Word
    south_east: Word
    largest: Int
    """int64: the edges of the position at the root; more are never met again."""
    far: Int
    """int64: with that many edges a rest is far from the end."""


@part
def fixed_by(position: DotsBits) -> Any:
    boxes, stride = position.boxes, position.stride
    top, bottom = boxes & ~(boxes << stride), (boxes << stride) & ~boxes
    width, size = np.int64(popcount(top)), np.int64(popcount(boxes))
    edges = np.int64(popcount(position.across) + popcount(position.down))
    return DotsRoot(
        boxes,
        stride,
        size // width,
        width,
        top & ~(top << ONE),
        top & ~(top >> ONE),
        bottom & ~(bottom << ONE),
        bottom & ~(bottom >> ONE),
        edges,
        np.int64(FAR if edges >= FAR_FROM and size <= FAR_BOXES else NEVER),
    )


@part
def is_far(across: Word, down: Word, fixed: DotsRoot) -> Any:
    return np.int64(popcount(across) + popcount(down)) >= fixed.far


@part
def beside_corners(down: Word, fixed: DotsRoot) -> Any:
    """The horizontal border edges of corners whose vertical border edge is undrawn."""
    stride = fixed.stride
    north = (down & fixed.north_west) | ((down >> ONE) & fixed.north_east)
    south = (down << stride) & fixed.south_west
    return north | south | ((down << (stride - ONE)) & fixed.south_east)


@part
def with_corners_across(across: Word, down: Word, fixed: DotsRoot) -> Any:
    """The same rest with the horizontal border edge undrawn in each corner that has only one."""
    stride = fixed.stride
    edge = down & ~across & fixed.north_west
    across, down = across | edge, down ^ edge
    edge = (down >> ONE) & ~across & fixed.north_east
    across, down = across | edge, down ^ (edge << ONE)
    edge = (down << stride) & ~across & fixed.south_west
    across, down = across | edge, down ^ (edge >> stride)
    edge = (down << (stride - ONE)) & ~across & fixed.south_east
    return across | edge, down ^ (edge >> (stride - ONE))


@part
def _rows_reversed(word: Word, count: Int, stride: Word) -> Any:
    found, row = ZERO, (ONE << stride) - ONE
    for _ in range(count):
        found = (found << stride) | (word & row)
        word >>= stride
    return found


@part
def _transposed(word: Word, stride: Word) -> Any:
    found = ZERO
    while word != ZERO:
        row, column = lowest(word) // stride, lowest(word) % stride
        found |= ONE << (stride * column + row)
        word &= word - ONE
    return found


@part
def _mirrored(across: Word, down: Word, turn: Int, fixed: DotsRoot) -> Any:
    """Edges upside down where bit 0 of `turn` is set, then turned by half where bit 1 is."""
    stride, height, width = fixed.stride, fixed.height, fixed.width
    if turn & 1:
        across = _rows_reversed(across, height + 1, stride)
        down = _rows_reversed(down, height, stride)
    if turn & 2:
        rest = np.uint64(63 - np.int64(stride) * height)  # less the last bit of a row: these move
        across = reversed_bits(across) >> (rest - np.uint64(width - 1))
        down = reversed_bits(down) >> (rest + stride - np.uint64(width))
    return across, down


@part
def canonical(across: Word, down: Word, fixed: DotsRoot) -> Any:
    """The least of all images of a rest with its corners across, and the turn that makes it."""
    least_across, least_down, least_turn = across, down, 0
    for turn in range(1, 8 if fixed.height == fixed.width else 4):
        if turn == 4:
            across, down = _transposed(down, fixed.stride), _transposed(across, fixed.stride)
            across, down = with_corners_across(across, down, fixed)
        rows, columns = _mirrored(across, down, turn, fixed)
        if rows < least_across or (rows == least_across and columns < least_down):
            least_across, least_down, least_turn = rows, columns, turn
    return least_across, least_down, least_turn


@part
def move_before(move: Move, turn: Int, across: Word, down: Word, fixed: DotsRoot) -> Any:
    """The move of a rest that a `turn` makes `move`; NO_MOVE when it is none, as at a corner."""
    while across | down != ZERO:
        row, column = across & (ZERO - across), ZERO
        if row == ZERO:
            column = down & (ZERO - down)
        across, down = across ^ row, down ^ column
        rows, columns = row, column
        if turn & 4:
            rows, columns = _transposed(column, fixed.stride), _transposed(row, fixed.stride)
        rows, columns = _mirrored(rows, columns, turn, fixed)
        if first_edge(rows, columns) == move:
            return first_edge(row, column)
    return np.int64(NO_MOVE)


KNOWN_FIRST = 3
"""Beyond any other urgency."""


@part
def new_scratch(fixed: DotsRoot) -> Any:
    """Where `arrange` writes: a row for each number of edges, as each is met once on a line."""
    size = fixed.largest + 1 if fixed.largest >= fixed.far else 1
    return np.empty((size, size), np.int16)


@part
def _urgency(edge: Word, step: Word, threes: Word, boxes: Word) -> Any:
    """2 between two boxes of which one has three strings, 1 between two, 0 at the border."""
    near = boxes & (edge | (edge >> step))
    if near & (near - ONE) == ZERO:
        return 0
    return 2 if near & threes != ZERO else 1


@part
def arrange(
    across: Word,
    down: Word,
    pool: Word,
    left: Int,
    rows: Word,
    columns: Word,
    threes: Word,
    bound: Int,
    known: Move,
    fixed: DotsRoot,
    table: Array,
    out: Array,
) -> Any:
    """Write what is left to search of the edges `rows` and `columns` to `out`, the first to be
    tried first: (their number, the most that others are worth, the last edge looked at). If that is
    `bound` or more, the last edge is worth it, and nothing is left to search.
    """
    count, best, move = 0, np.int64(-MOST), known
    while rows | columns != ZERO:
        after_across, after_down = across, down
        if rows != ZERO:
            move, edge, step = np.int64(lowest(rows)), rows & (ZERO - rows), fixed.stride
            rows, after_across = rows ^ edge, across ^ edge
        else:
            move, edge, step = VERTICAL + np.int64(lowest(columns)), columns & (ZERO - columns), ONE
            columns, after_down = columns ^ edge, down ^ edge
        after_across, after_down, after_pool, still = pooled(
            after_across, after_down, pool, left, fixed.boxes, fixed.stride
        )
        if is_far(after_across, after_down, fixed):
            after_across, after_down, _ = canonical(after_across, after_down, fixed)
        slot = place(after_across, after_down, after_pool, table)
        record = recall(after_across, after_down, after_pool, slot, table)
        least, most = max(least_of(record), -still), min(most_of(record), still)
        if -most >= bound:
            return 0, -most, move
        if -least < bound:
            best = max(best, -least)
            continue
        urgency = KNOWN_FIRST if move == known else _urgency(edge, step, threes, fixed.boxes)
        entry, place_at = np.int16(urgency << 8 | move), count
        while place_at > 0 and out[place_at - 1] < entry:
            out[place_at] = out[place_at - 1]
            place_at -= 1
        out[place_at] = entry
        count += 1
    return count, best, move
