"""2584 in two words: five bits a cell, tiles up to 2,178,309 (index 31), which merge no further."""

from typing import Any, NamedTuple

import numpy as np

from players.compiled.bits import packed, popcount, swapped
from players.compiled.cache import answers
from players.compiled.types import Array, Word
from players.games.tiles import interface as tiles
from players.ntuple import board as network

CELL_BITS = 5
TILE, ROW = np.uint64(0x1F), np.uint64(0xF_FFFF)
FIRST_BITS = np.uint64(sum(1 << 5 * cell for cell in range(8)))


def _cells(*cells: int) -> Any:
    return np.uint64(sum(0x1F << 5 * cell for cell in cells))


ODD_CELLS, ODD_PAIRS = _cells(0, 2, 4, 6), _cells(0, 1, 4, 5)
OFF_DIAGONAL = _cells(1, 3)
N1, N2, N4, N5, N8, N10, N15, N20, N32 = (np.uint64(n) for n in (1, 2, 4, 5, 8, 10, 15, 20, 32))


class Board2584(NamedTuple):
    """`upper` holds cell i in bits 5i to 5i + 4, `lower` cell 8 + i."""

    upper: Word
    lower: Word


@answers(network.transposed, Board2584)
def _transposed(board: Board2584) -> Any:
    upper = swapped(board.upper, OFF_DIAGONAL, N15)
    lower = swapped(board.lower, OFF_DIAGONAL, N15)
    change = (upper >> N10 ^ lower) & ODD_PAIRS
    return Board2584(upper ^ change << N10, lower ^ change)


@answers(network.mirrored, Board2584)
def _mirrored(board: Board2584) -> Any:
    upper = swapped(swapped(board.upper, ODD_CELLS, N5), ODD_PAIRS, N10)
    lower = swapped(swapped(board.lower, ODD_CELLS, N5), ODD_PAIRS, N10)
    return Board2584(upper, lower)


@answers(network.flipped, Board2584)
def _flipped(board: Board2584) -> Any:
    return Board2584(
        board.lower >> N20 | (board.lower & ROW) << N20,
        board.upper >> N20 | (board.upper & ROW) << N20,
    )


@answers(tiles.pushed, Board2584)
def _pushed(board: Board2584, table: Array) -> Any:
    first, second = table[board.upper & ROW], table[board.upper >> N20]
    third, fourth = table[board.lower & ROW], table[board.lower >> N20]
    upper = first & ROW | (second & ROW) << N20
    lower = third & ROW | (fourth & ROW) << N20
    reward = (first >> N32) + (second >> N32) + (third >> N32) + (fourth >> N32)
    changed = upper != board.upper or lower != board.lower
    return Board2584(upper, lower), changed, reward


@answers(tiles.empty, Board2584)
def _empty(board: Board2584) -> Any:
    upper = board.upper | board.upper >> N1
    upper = upper | upper >> N2 | board.upper >> N4
    lower = board.lower | board.lower >> N1
    lower = lower | lower >> N2 | board.lower >> N4
    return packed(~upper, FIRST_BITS) | packed(~lower, FIRST_BITS) << N8


@answers(tiles.placed, Board2584)
def _placed(board: Board2584, cell: Word, tile: Word) -> Any:
    if cell < N8:
        return Board2584(board.upper | tile << N5 * cell, board.lower)
    return Board2584(board.upper, board.lower | tile << N5 * (cell - N8))


@answers(tiles.tile_at, Board2584)
def _tile_at(board: Board2584, cell: Word) -> Any:
    word = board.upper if cell < N8 else board.lower
    return word >> N5 * (cell & np.uint64(7)) & TILE


@answers(network.entry, Board2584)
def _entry(board: Board2584, masks: Array) -> Any:
    upper = packed(board.upper, masks[0])
    return upper | packed(board.lower, masks[1]) << popcount(masks[0])


@answers(network.of_words, Board2584)
def _of_words(board: Board2584, first: Word, second: Word) -> Any:
    return Board2584(first, second)
