"""The board under an exact dots search: its corners and symmetries.

Either edge of a corner ties its box to the border, so drawing the one is as good as the other. A
rest, turned or mirrored, is worth the same.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from players.compiled.bits import ONE, ZERO, lowest, popcount, reversed_bits
from players.compiled.cache import part
from players.games.dots.board import VERTICAL
from players.games.dots.endgame_table import NO_MOVE

FAR, FAR_FROM, FAR_BOXES = 10, 20, 16
"""Rests with FAR edges and more are searched as far from the end (`dots_far`) where the search
begins with FAR_FROM at least, on boards of up to FAR_BOXES.

There it meets most of the positions in many ways. After random moves on a larger board it does not,
and took twice as long."""

NEVER = 128
"""More edges than a board has."""


class Ground(NamedTuple):
    """What stays the same throughout a search."""

    boxes: Any
    """Every box of the board."""
    stride: Any
    """The distance between a bit and the one of the row below."""
    height: Any
    """int64: rows of boxes."""
    width: Any
    """int64: columns of boxes."""
    north_west: Any
    """The upper edge of that corner, as the next three."""
    north_east: Any
    south_west: Any
    """The lower edge of that corner."""
    south_east: Any
    largest: Any
    """int64: the edges of the position at the root; more are never met again."""
    far: Any
    """int64: with so many edges a rest is far from the end."""


@part
def new_ground(position: Any) -> Any:
    """The ground of searches from a position."""
    boxes, stride = position.boxes, position.stride
    top, bottom = boxes & ~(boxes << stride), (boxes << stride) & ~boxes
    width, size = np.int64(popcount(top)), np.int64(popcount(boxes))
    edges = np.int64(popcount(position.across) + popcount(position.down))
    return Ground(
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
def is_far(across: Any, down: Any, ground: Any) -> Any:
    """Whether a rest is far from the end."""
    return np.int64(popcount(across) + popcount(down)) >= ground.far


@part
def beside_corners(down: Any, ground: Any) -> Any:
    """The horizontal border edges of those corners whose vertical border edge is undrawn."""
    stride = ground.stride
    north = (down & ground.north_west) | ((down >> ONE) & ground.north_east)
    south = (down << stride) & ground.south_west
    return north | south | ((down << (stride - ONE)) & ground.south_east)


@part
def with_corners_across(across: Any, down: Any, ground: Any) -> Any:
    """The same rest with the horizontal border edge undrawn in each corner that has only one."""
    stride = ground.stride
    edge = down & ~across & ground.north_west
    across, down = across | edge, down ^ edge
    edge = (down >> ONE) & ~across & ground.north_east
    across, down = across | edge, down ^ (edge << ONE)
    edge = (down << stride) & ~across & ground.south_west
    across, down = across | edge, down ^ (edge >> stride)
    edge = (down << (stride - ONE)) & ~across & ground.south_east
    return across | edge, down ^ (edge >> (stride - ONE))


@part
def _rows_reversed(word: Any, count: Any, stride: Any) -> Any:
    found, row = ZERO, (ONE << stride) - ONE
    for _ in range(count):
        found = (found << stride) | (word & row)
        word >>= stride
    return found


@part
def _transposed(word: Any, stride: Any) -> Any:
    found = ZERO
    while word != ZERO:
        row, column = lowest(word) // stride, lowest(word) % stride
        found |= ONE << (stride * column + row)
        word &= word - ONE
    return found


@part
def _mirrored(across: Any, down: Any, turn: Any, ground: Any) -> Any:
    """Edges upside down where bit 0 of `turn` is set, then turned by half where bit 1 is."""
    stride, height, width = ground.stride, ground.height, ground.width
    if turn & 1:
        across = _rows_reversed(across, height + 1, stride)
        down = _rows_reversed(down, height, stride)
    if turn & 2:
        rest = np.uint64(63 - np.int64(stride) * height)  # less the last bit of a row: these move
        across = reversed_bits(across) >> (rest - np.uint64(width - 1))
        down = reversed_bits(down) >> (rest + stride - np.uint64(width))
    return across, down


@part
def canonical(across: Any, down: Any, ground: Any) -> Any:
    """The least of all images of a rest with its corners across, and the turn that makes it."""
    least_across, least_down, least_turn = across, down, 0
    for turn in range(1, 8 if ground.height == ground.width else 4):
        if turn == 4:
            across, down = _transposed(down, ground.stride), _transposed(across, ground.stride)
            across, down = with_corners_across(across, down, ground)
        rows, columns = _mirrored(across, down, turn, ground)
        if rows < least_across or (rows == least_across and columns < least_down):
            least_across, least_down, least_turn = rows, columns, turn
    return least_across, least_down, least_turn


@part
def move_before(move: Any, turn: Any, across: Any, down: Any, ground: Any) -> Any:
    """The move of a rest that a `turn` makes `move`; NO_MOVE when it is none, as at a corner."""
    while across | down != ZERO:
        row, column = across & (ZERO - across), ZERO
        if row == ZERO:
            column = down & (ZERO - down)
        across, down = across ^ row, down ^ column
        rows, columns = row, column
        if turn & 4:
            rows, columns = _transposed(column, ground.stride), _transposed(row, ground.stride)
        rows, columns = _mirrored(rows, columns, turn, ground)
        image = lowest(rows) if rows != ZERO else VERTICAL + lowest(columns)
        if np.int64(image) == move:
            return np.int64(lowest(row) if row != ZERO else VERTICAL + lowest(column))
    return np.int64(NO_MOVE)
