"""Connect four in two words: column c has the bits from 7·c on, its lowest cell first.

The bit above each column stays empty, so that no line runs from one column into the next.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from players.compiled.bits import ONE, ZERO, below, draw, lowest, mix, nth_bit, popcount
from players.compiled.cache import answers, part
from players.compiled.types import Int, Move, Rng, Word
from players.games import interface as game
from players.games.registry import CompiledGame

STRIDE = 7
BOTTOM = np.uint64(sum(1 << STRIDE * column for column in range(7)))
CENTRE = np.uint64(0x7F << 3 * STRIDE)
STEPS = tuple(np.uint64(step) for step in (1, STRIDE, STRIDE - 1, STRIDE + 1))


class Connect4Position(NamedTuple):
    """A position in words: `own` are the mover's discs."""

    own: Word
    other: Word
    seat: int
    board: Word
    """Every cell."""


@part
def has_four(discs: Word) -> bool:
    """Whether there are four in a row."""
    found = ZERO
    for step in STEPS:
        pairs = discs & (discs >> step)
        found |= pairs & (pairs >> (step + step))
    return found != ZERO


@part
def droppable(position: Connect4Position) -> Word:
    """The cells a disc may fall into; none after the end."""
    if has_four(position.other):
        return ZERO
    return ((position.own | position.other) + BOTTOM) & position.board


@part
def after(position: Connect4Position, disc: Word) -> Connect4Position:
    """The position after a disc of the mover."""
    own, other, seat, board = position
    return Connect4Position(other, own | disc, 1 - seat, board)


@answers(game.moves, Connect4Position)
def _moves(position: Connect4Position, out: Any) -> Int:
    cells, count = droppable(position), 0
    while cells != ZERO:
        out[count] = np.int64(lowest(cells)) // STRIDE
        cells &= cells - ONE
        count += 1
    return count


@answers(game.play, Connect4Position)
def _play(position: Connect4Position, move: Move) -> Connect4Position:
    column = np.uint64(0x7F) << np.uint64(STRIDE * move)
    return after(position, droppable(position) & column)


@answers(game.net, Connect4Position)
def _net(position: Connect4Position) -> Int:
    ahead = np.int64(has_four(position.own)) - np.int64(has_four(position.other))
    return ahead if position.seat == 0 else -ahead


@answers(game.playout, Connect4Position)
def _playout(position: Connect4Position, state: Rng) -> tuple[Int, Rng]:
    cells = droppable(position)
    while cells != ZERO:
        state, bits = draw(state)
        position = after(position, nth_bit(cells, below(bits, popcount(cells))))
        cells = droppable(position)
    return game.net(position), state


@answers(game.key, Connect4Position)
def _key(position: Connect4Position) -> Word:
    seat = mix(ZERO, np.uint64(position.seat + 1))
    return mix(mix(seat, position.own), position.other)


@answers(game.remaining, Connect4Position)
def _remaining(position: Connect4Position) -> Int:
    return np.int64(popcount(position.board & ~(position.own | position.other)))


@answers(game.evaluate, Connect4Position)
def _evaluate(position: Connect4Position, terms: Any) -> Int:
    """A disc in the centre is worth a little."""
    own, other = popcount(position.own & CENTRE), popcount(position.other & CENTRE)
    return 10 * (np.int64(own) - np.int64(other))


@answers(game.expectation, Connect4Position)
def _expectation(position: Connect4Position, value: Int) -> float:
    return 1.0 / (1.0 + np.exp(-value / 50.0))


@answers(game.priority, Connect4Position)
def _priority(position: Connect4Position, move: Move) -> Int:
    return 60 - 20 * abs(move - 3)


class Connect4Board:
    """One game's moves and positions, between the wire and the kernels."""

    names = "abcdefg"

    def __init__(self, variant: Mapping[str, Any]) -> None:
        self.moves = {name: move for move, name in enumerate(self.names)}
        self._rows: int = variant["rows"]

    def position(self, state: Mapping[str, Any]) -> Connect4Position:
        """The kernels' position of a `state` from the wire."""
        seat = state["to_move"]
        own, other = ("XO", "OX")[seat]
        board = [(1 << self._rows) - 1 << STRIDE * column for column in range(len(self.names))]
        words = self._word(state, own), self._word(state, other)
        return Connect4Position(*words, seat, np.uint64(sum(board)))

    def _word(self, state: Mapping[str, Any], mark: str) -> Word:
        return np.uint64(
            sum(
                1 << STRIDE * column + self._rows - 1 - row
                for row, cells in enumerate(state["board"])
                for column, cell in enumerate(cells)
                if cell == mark
            )
        )


GAME = CompiledGame(board=Connect4Board)
