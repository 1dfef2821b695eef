"""Dots and boxes on boards of up to 64 dots: a word for each direction of edges.

Dot (row, column) is bit (columns + 1)·row + column. A horizontal edge has the bit of its left dot,
a vertical one that of its upper dot, a box that of its upper left dot; so shifts by one row or
one column find every closed box at once. Moves are 0–63 for horizontal edges, 64–127 for
vertical ones.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from players.compiled.bits import ONE, ZERO, lowest, mix, popcount
from players.compiled.cache import answers, part
from players.compiled.types import Array, Int, Move, Word
from players.games import interface as game
from rules.position import square_name

VERTICAL = 64
"""Added to the bit of a vertical edge gives its move."""

WHOLE_GAME = 64
"""No seat ever has more boxes than this: a game that ends at more is played to its last edge."""


class DotsBits(NamedTuple):
    across: Word
    """The undrawn horizontal edges."""
    down: Word
    """The undrawn vertical edges."""
    lead: Int
    """int64: the boxes of seat 0 less those of seat 1."""
    seat: int
    """int64, 0 or 1; after the end, the one that closed the last box."""
    stride: Word
    """The distance between a bit and the one of the row below."""
    boxes: Word
    """Every box of the board."""
    enough: Int
    """int64: the game ends when a seat has that many boxes."""


@part
def open_boxes(across: Word, down: Word, stride: Word, boxes: Word) -> Any:
    return boxes & (across | (across >> stride) | down | (down >> ONE))


@part
def is_over(across: Word, down: Word, lead: Int, closed: Any, enough: Int) -> Any:
    """With `closed` boxes in all, the leader has (closed + |lead|) / 2."""
    return (across | down) == ZERO or closed + abs(lead) >= 2 * enough


@part
def closed_boxes(across: Word, down: Word, stride: Word, boxes: Word) -> Any:
    return np.int64(popcount(boxes & ~open_boxes(across, down, stride, boxes)))


@part
def without(region: Word, across: Word, down: Word, stride: Word) -> Any:
    """The undrawn edges less those around the boxes of `region`: for words and lanes."""
    return across & ~(region | (region << stride)), down & ~(region | (region << ONE))


@part
def write_moves(across: Word, down: Word, out: Array) -> Any:
    """Write the edges to the front of `out`; their number."""
    count = 0
    while across != ZERO:
        out[count] = np.int64(lowest(across))
        across &= across - ONE
        count += 1
    while down != ZERO:
        out[count] = VERTICAL + np.int64(lowest(down))
        down &= down - ONE
        count += 1
    return count


@part
def first_edge(across: Word, down: Word) -> Any:
    """The first of these edges, of which there are some, as a move."""
    return np.int64(lowest(across)) if across != ZERO else VERTICAL + np.int64(lowest(down))


@part
def flip(move: Move, across: Word, down: Word) -> Any:
    """The edges without that of a move, or with it, where they lack it."""
    edge = ONE << np.uint64(move & 63)
    return (across ^ edge, down) if move < VERTICAL else (across, down ^ edge)


@answers(game.moves, DotsBits)
def _moves(position: DotsBits, out: Array) -> Any:
    across, down, lead, _, stride, boxes, enough = position
    if is_over(across, down, lead, closed_boxes(across, down, stride, boxes), enough):
        return 0
    return write_moves(across, down, out)


@answers(game.play, DotsBits)
def _play(position: DotsBits, move: Move) -> Any:
    across, down, lead, seat, stride, boxes, enough = position
    before = popcount(open_boxes(across, down, stride, boxes))
    edge = ONE << np.uint64(move & 63)
    if move < VERTICAL:
        across &= ~edge
    else:
        down &= ~edge
    won = np.int64(before) - np.int64(popcount(open_boxes(across, down, stride, boxes)))
    lead += won if seat == 0 else -won
    return DotsBits(across, down, lead, seat if won else 1 - seat, stride, boxes, enough)


@answers(game.net, DotsBits)
def _net(position: DotsBits) -> Any:
    return position.lead


@answers(game.remaining, DotsBits)
def _remaining(position: DotsBits) -> Any:
    return np.int64(popcount(position.across)) + np.int64(popcount(position.down))


@answers(game.key, DotsBits)
def _key(position: DotsBits) -> Any:
    rest = np.uint64(2 * (position.lead + 256) + position.seat)
    return mix(mix(mix(ZERO, rest), position.across), position.down)


@part
def sides(across: Word, down: Word, stride: Word, boxes: Word) -> Any:
    """(boxes with exactly one edge undrawn, boxes with one or two undrawn)."""
    north, south, west, east = across, across >> stride, down, down >> ONE
    one_of_rows, both_rows = north ^ south, north & south
    one_of_columns, both_columns = west ^ east, west & east
    no_row, no_column = ~(north | south), ~(west | east)
    single = (one_of_rows & no_column) | (one_of_columns & no_row)
    double = (both_rows & no_column) | (both_columns & no_row) | (one_of_rows & one_of_columns)
    return boxes & single, boxes & (single | double)


@answers(game.priority, DotsBits)
def _priority(position: DotsBits, move: Move) -> Any:
    """First the edges that close a box, last those that let the other player close one."""
    edge = ONE << np.uint64(move & 63)
    step = position.stride if move < VERTICAL else ONE
    near = position.boxes & (edge | (edge >> step))
    takeable, unsafe = sides(position.across, position.down, position.stride, position.boxes)
    if near & takeable != ZERO:
        return 100
    return -100 if near & unsafe != ZERO else 0


class DotsBoard:
    def __init__(self, variant: Mapping[str, Any]) -> None:
        rows: int = variant["rows"]
        columns: int = variant["cols"]
        self._stride = columns + 1
        self._boxes = [self._bit(row, column) for row in range(rows) for column in range(columns)]
        majority = len(self._boxes) // 2 + 1
        self.enough = majority if variant["stop_at_majority"] else WHOLE_GAME + 1
        """The game ends when a seat has that many boxes."""
        self.names = [""] * game.MOVES
        """The edge of each move; "" for what is none."""
        for row in range(rows + 1):
            for column in range(columns + 1):
                bit, dot = self._bit(row, column), square_name(row, column)
                if column < columns:
                    self.names[bit] = dot + square_name(row, column + 1)
                if row < rows:
                    self.names[VERTICAL + bit] = dot + square_name(row + 1, column)
        self.moves = {name: move for move, name in enumerate(self.names) if name}
        """The move of each edge."""

    def position(self, state: Mapping[str, Any]) -> DotsBits:
        across, down = (
            np.uint64(
                sum(
                    1 << self._bit(row, column)
                    for row, edges in enumerate(state[orientation])
                    for column, drawn in enumerate(edges)
                    if not drawn
                )
            )
            for orientation in ("horizontal", "vertical")
        )
        first, second = state["score"]
        return DotsBits(
            across,
            down,
            first - second,
            state["to_move"] or 0,
            np.uint64(self._stride),
            np.uint64(sum(1 << box for box in self._boxes)),
            self.enough,
        )

    def _bit(self, row: int, column: int) -> int:
        return self._stride * row + column
