"""Dots and boxes as n-tuple networks see it: an edge is drawn or not."""

from typing import NamedTuple

import numpy as np

from players.compiled.bits import ONE, packed, popcount
from players.compiled.cache import answers
from players.compiled.types import Array, Word
from players.games.dots.board import DotsPosition
from players.ntuple import board as network
from players.ntuple.board import EIGHT, diagonal, left_to_right, upside_down


class DotsView(NamedTuple):
    """Edges not drawn yet, on a square board: (row, column) is an edge's left or upper dot."""

    across: Word
    down: Word
    gap: Word
    """By how many rows of boxes the board is smaller than 7×7."""


@answers(network.view, DotsPosition)
def _view(position: DotsPosition) -> DotsView:
    stride = position.stride
    row = (ONE << stride) - ONE
    across, down = np.uint64(0), np.uint64(0)
    for line in range(np.int64(stride)):
        here, there = np.uint64(line) * stride, np.uint64(8 * line)
        across |= (position.across >> here & row) << there
        down |= (position.down >> here & row) << there
    return DotsView(across, down, EIGHT - stride)


@answers(network.banked, DotsPosition)
def _banked(position: DotsPosition) -> np.int64:
    return np.int64(position.lead)


@answers(network.transposed, DotsView)
def _transposed(board: DotsView) -> DotsView:
    return DotsView(diagonal(board.down), diagonal(board.across), board.gap)


@answers(network.flipped, DotsView)
def _flipped(board: DotsView) -> DotsView:
    gap = board.gap
    return DotsView(upside_down(board.across, gap), upside_down(board.down, gap + ONE), gap)


@answers(network.mirrored, DotsView)
def _mirrored(board: DotsView) -> DotsView:
    gap = board.gap
    return DotsView(left_to_right(board.across, gap + ONE), left_to_right(board.down, gap), gap)


@answers(network.entry, DotsView)
def _entry(board: DotsView, masks: Array) -> Word:
    across, down = packed(board.across, masks[0]), packed(board.down, masks[1])
    return across | down << popcount(masks[0])


@answers(network.progress, DotsView)
def _progress(board: DotsView) -> Word:
    boxes = EIGHT - ONE - board.gap
    edges = boxes * (boxes + ONE) << ONE
    return edges - popcount(board.across) - popcount(board.down)


@answers(network.words, DotsView)
def _words(board: DotsView) -> tuple[Word, Word]:
    return board.across, board.down


@answers(network.of_words, DotsView)
def _of_words(board: DotsView, first: Word, second: Word) -> DotsView:
    return DotsView(first, second, board.gap)
