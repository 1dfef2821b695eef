"""Othello on boards of 4×4, 6×6 and 8×8, any settings: one word a colour.

Square (row, column) is bit 8·row + column and move 8·row + column, whatever the size of the board;
smaller boards lie in the upper left corner.
"""

from collections.abc import Mapping
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from players.compiled.bits import ONE, ZERO, lowest, mix, popcount
from players.compiled.cache import answers, part
from players.compiled.types import Array, Move, Word
from players.games import interface as game
from players.games.interface import count_moves
from players.games.othello.lines import bracketing, flips, neighbours, unbracketable
from rules.position import square_name


class OthelloBits(NamedTuple):
    """A position in words: `own` are the mover's discs. `seat` is 0 for black."""

    own: Word
    other: Word
    seat: int
    """int64, 0 or 1; after the end the seat that moved last or the other, no matter which."""
    playable: Word
    """The squares in play."""
    free: Word
    """The squares that may be played whether or not they bracket anything."""


@part
def legal(own: Word, other: Word, playable: Word, free: Word) -> Any:
    return playable & ~(own | other) & (free | bracketing(own, other))


@part
def margin(own: Word, other: Word) -> Any:
    return np.int64(popcount(own)) - np.int64(popcount(other))


@answers(game.moves, OthelloBits)
def _moves(position: OthelloBits, out: Array) -> Any:
    squares = legal(position.own, position.other, position.playable, position.free)
    count = 0
    while squares != ZERO:
        out[count] = np.int64(lowest(squares))
        squares &= squares - ONE
        count += 1
    return count


@answers(count_moves, OthelloBits)
def _count_moves(position: OthelloBits) -> Any:
    own, other, _, playable, free = position
    return np.int64(popcount(legal(own, other, playable, free)))


@answers(game.play, OthelloBits)
def _play(position: OthelloBits, move: Move) -> Any:
    own, other, seat, playable, free = position
    square = np.uint64(move)
    turned = flips(square, own, other)
    own, other = other ^ turned, own | turned | (ONE << square)
    passes = legal(own, other, playable, free) == ZERO
    if passes:
        own, other = other, own
    return OthelloBits(own, other, seat if passes else 1 - seat, playable, free)


@answers(game.net, OthelloBits)
def _net(position: OthelloBits) -> Any:
    ahead = margin(position.own, position.other)
    return ahead if position.seat == 0 else -ahead


@answers(game.remaining, OthelloBits)
def _remaining(position: OthelloBits) -> Any:
    return np.int64(popcount(position.playable & ~(position.own | position.other)))


@answers(game.key, OthelloBits)
def _key(position: OthelloBits) -> Any:
    seat = mix(ZERO, np.uint64(position.seat + 1))
    return mix(mix(seat, position.own), position.other)


@answers(game.priority, OthelloBits)
def _priority(position: OthelloBits, move: Move) -> Any:
    """First the squares of which no disc ever turns, last those that give one of them away."""
    square = ONE << np.uint64(move)
    anchors = unbracketable(position.playable)
    if square & anchors != ZERO:
        return 100
    empty = position.playable & ~(position.own | position.other)
    return -100 if square & neighbours(anchors & empty) != ZERO else 0


class OthelloBoard:
    def __init__(self, variant: Mapping[str, Any]) -> None:
        size = variant["size"]
        rim = (0, size - 1)
        self.names = tuple(
            square_name(*place) if max(place) < size else ""
            for place in product(range(8), range(8))
        )
        """The square of each move; "" for what is off a smaller board."""
        self.moves = {name: move for move, name in enumerate(self.names) if name}
        """The move of each square."""
        corners = {8 * row + column for row in rim for column in rim}
        self._playable = [
            square for square in self.moves.values() if variant["corners"] or square not in corners
        ]
        self._free = [
            square
            for square in self._playable
            if variant["free_centre"] and not {*divmod(square, 8)} & {*rim}
        ]

    def position(self, state: Mapping[str, Any]) -> OthelloBits:
        discs: dict[str, list[int]] = {"X": [], "O": []}
        for row, cells in enumerate(state["board"]):
            for column, cell in enumerate(cells):
                if cell in discs:
                    discs[cell].append(8 * row + column)
        seat = state["to_move"] or 0
        own, other = ("XO", "OX")[seat]
        return OthelloBits(
            _word(discs[own]), _word(discs[other]), seat, _word(self._playable), _word(self._free)
        )


def _word(squares: list[int]) -> Any:
    return np.uint64(sum(1 << square for square in squares))
