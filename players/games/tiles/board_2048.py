"""2048 in one word: four bits a cell, tiles up to 32,768 (index 15), which merge no further."""

from typing import Any, NamedTuple

import numpy as np

from players.compiled.bits import ONE, ZERO, packed, swapped
from players.compiled.cache import answers, part
from players.compiled.types import Array, Word
from players.games.tiles import interface as tiles
from players.ntuple import board as network

CELL_BITS = 4
TILE, ROW = np.uint64(0xF), np.uint64(0xFFFF)
FIRST_BITS = np.uint64(0x1111_1111_1111_1111)
ODD_CELLS, ODD_PAIRS = np.uint64(0x0F0F_0F0F_0F0F_0F0F), np.uint64(0x00FF_00FF_00FF_00FF)
LOW_CELLS = np.uint64(0x0101_0101_0101_0101)
"""A 1 in each of `ODD_CELLS`."""
ODD_ROWS, UPPER = np.uint64(0x0000_FFFF_0000_FFFF), np.uint64(0x0000_0000_FFFF_FFFF)
OFF_DIAGONAL, OFF_BLOCKS = np.uint64(0x0000_F0F0_0000_F0F0), np.uint64(0x0000_0000_FF00_FF00)
N1, N2, N4, N8, N12, N16, N24, N32, N48 = (np.uint64(n) for n in (1, 2, 4, 8, 12, 16, 24, 32, 48))
CELL_ENDS = np.uint64(64)
LEAST_MISSING = np.uint64(2)
"""Chance places the tiles up to this one: none of them is missing for long."""


class Board2048(NamedTuple):
    """`cells` holds cell i in bits 4i to 4i + 3."""

    cells: Word


@answers(network.transposed, Board2048)
def _transposed(board: Board2048) -> Any:
    inner = swapped(board.cells, OFF_DIAGONAL, N12)
    return Board2048(swapped(inner, OFF_BLOCKS, N24))


@answers(network.mirrored, Board2048)
def _mirrored(board: Board2048) -> Any:
    return Board2048(swapped(swapped(board.cells, ODD_CELLS, N4), ODD_PAIRS, N8))


@answers(network.flipped, Board2048)
def _flipped(board: Board2048) -> Any:
    return Board2048(swapped(swapped(board.cells, ODD_ROWS, N16), UPPER, N32))


@answers(tiles.pushed, Board2048)
def _pushed(board: Board2048, table: Array) -> Any:
    cells = board.cells
    first, second = table[cells & ROW], table[(cells >> N16) & ROW]
    third, fourth = table[(cells >> N32) & ROW], table[cells >> N48]
    after = first & ROW | (second & ROW) << N16 | (third & ROW) << N32 | (fourth & ROW) << N48
    reward = (first >> N32) + (second >> N32) + (third >> N32) + (fourth >> N32)
    return Board2048(after), after != cells, reward


@answers(tiles.empty, Board2048)
def _empty(board: Board2048) -> Any:
    filled = board.cells | board.cells >> N2
    filled |= filled >> N1
    return packed(~filled, FIRST_BITS)


@answers(tiles.placed, Board2048)
def _placed(board: Board2048, cell: Word, tile: Word) -> Any:
    return Board2048(board.cells | tile << (cell << N2))


@answers(tiles.tile_at, Board2048)
def _tile_at(board: Board2048, cell: Word) -> Any:
    return board.cells >> (cell << N2) & TILE


@answers(tiles.gaps, Board2048)
def _gaps(board: Board2048, ceiling: Word) -> Word:
    """Each is the largest missing tile of the board that is halved by those before."""
    cells, found, place = board.cells, ZERO, ZERO
    while ceiling <= TILE:
        present = ZERO
        for shift in range(ZERO, CELL_ENDS, N4):
            present |= ONE << (cells >> shift & TILE)
        if present >> ceiling == ZERO:
            break
        missing = TILE
        while present >> missing == ZERO:
            missing -= ONE
        while present >> missing & ONE != ZERO and missing > LEAST_MISSING:
            missing -= ONE
        if missing == LEAST_MISSING:
            break
        cells = _halved(cells, missing)
        found |= missing << place
        place += N4
    return found


@answers(tiles.downgraded, Board2048)
def _downgraded(board: Board2048, gaps: Word) -> Any:
    cells = board.cells
    while gaps != ZERO:
        cells = _halved(cells, gaps & TILE)
        gaps >>= N4
    return Board2048(cells)


@part
def _halved(cells: Word, missing: Word) -> Word:
    """All tiles above the missing one halved: equal ones stay equal."""
    carry = (TILE - missing) * LOW_CELLS  # with a tile above it, beyond four bits
    odd, even = cells & ODD_CELLS, cells >> N4 & ODD_CELLS
    odd -= (odd + carry) >> N4 & LOW_CELLS
    even -= (even + carry) >> N4 & LOW_CELLS
    return odd | even << N4


@answers(network.entry, Board2048)
def _entry(board: Board2048, masks: Array) -> Any:
    return packed(board.cells, masks[0])


@answers(network.words, Board2048)
def _words(board: Board2048) -> Any:
    return board.cells, ZERO


@answers(network.of_words, Board2048)
def _of_words(board: Board2048, first: Word, second: Word) -> Any:
    return Board2048(first)
