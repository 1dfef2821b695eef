"""Othello as n-tuple networks see it: three states a square."""

from typing import Any, NamedTuple

import numpy as np

from players.compiled.bits import ONE, packed, popcount
from players.compiled.cache import answers
from players.compiled.types import Array, Word
from players.games.othello.board import OthelloPosition
from players.ntuple import board as network
from players.ntuple.board import diagonal, left_to_right, upside_down

LONGEST_TUPLE = 12
"""Squares of a tuple at most."""


class OthelloView(NamedTuple):
    """Discs by their owner."""

    own: Word
    other: Word
    gap: Word
    """By how many rows the board is smaller than 8×8."""


def _ternary() -> Any:
    """uint32[2^LONGEST_TUPLE]: the bits of a number read as digits in base three."""
    numbers = np.arange(1 << LONGEST_TUPLE, dtype=np.uint32)
    digits = (
        (numbers >> np.uint32(bit) & np.uint32(1)) * np.uint32(3**bit)
        for bit in range(LONGEST_TUPLE)
    )
    return sum(digits, np.zeros_like(numbers))


TERNARY = _ternary()


@answers(network.view, OthelloPosition)
def _view(position: OthelloPosition) -> OthelloView:
    squares = popcount(position.playable)
    gap = 4 if squares <= 16 else (2 if squares <= 36 else 0)
    return OthelloView(position.own, position.other, np.uint64(gap))


@answers(network.banked, OthelloPosition)
def _banked(position: OthelloPosition) -> np.int64:
    return np.int64(0)


@answers(network.transposed, OthelloView)
def _transposed(board: OthelloView) -> OthelloView:
    return OthelloView(diagonal(board.own), diagonal(board.other), board.gap)


@answers(network.flipped, OthelloView)
def _flipped(board: OthelloView) -> OthelloView:
    gap = board.gap
    return OthelloView(upside_down(board.own, gap), upside_down(board.other, gap), gap)


@answers(network.mirrored, OthelloView)
def _mirrored(board: OthelloView) -> OthelloView:
    gap = board.gap
    return OthelloView(left_to_right(board.own, gap), left_to_right(board.other, gap), gap)


@answers(network.entry, OthelloView)
def _entry(board: OthelloView, masks: Array) -> Word:
    own, other = packed(board.own, masks[0]), packed(board.other, masks[0])
    return np.uint64(TERNARY[own]) + (np.uint64(TERNARY[other]) << ONE)


@answers(network.progress, OthelloView)
def _progress(board: OthelloView) -> Word:
    return popcount(board.own | board.other)


@answers(network.words, OthelloView)
def _words(board: OthelloView) -> tuple[Word, Word]:
    return board.own, board.other


@answers(network.of_words, OthelloView)
def _of_words(board: OthelloView, first: Word, second: Word) -> OthelloView:
    return OthelloView(first, second, board.gap)
