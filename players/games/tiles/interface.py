"""The interface of 2048 and 2584 to a search: boards of 4×4 cells in words of bits.

A board is a NamedTuple type of each game, which answers these functions
(`players.compiled.cache.answers`). A cell holds the index of its tile in the game's ascending
tiles, 0 for none; cell 0 is a1, cell 1 is b1, row by row.
"""

from typing import Any, NamedTuple, Protocol

import numpy as np

from players.compiled.bits import UNIT, ZERO, below, draw, lowest, nth_bit, popcount
from players.compiled.cache import by_default, part
from players.compiled.types import Array, Int, Real, Rng, Word
from players.ntuple.board import transposed

CELLS = 16
SLIDES = 4
"""Up, down, left, right: slides 0 to 3."""


class Tiles(Protocol):
    """A board of 2048 or 2584, a NamedTuple of its own."""


class Laws(NamedTuple):
    """Tables of a game and its spawn table for moves on a board."""

    left: Array
    """uint64[rows]: each row of four cells after a slide to the left; from bit 32 on its reward."""
    right: Array
    """The same to the right."""
    common: Word
    """uint64: the index of the tile that is placed more often …"""
    rare: Word
    """… and of the other one."""
    share: Real
    """float64: how likely the common one is."""


def pushed(board: Tiles, table: Array) -> Any:
    """(the board after a slide by the laws' `left` or `right`, whether changed, the reward)."""
    raise NotImplementedError  # answered for each type


def empty(board: Tiles) -> Any:
    """The empty cells, as bits."""
    raise NotImplementedError  # answered for each type


def placed(board: Tiles, cell: Word, tile: Word) -> Any:
    """The board with the tile of index `tile` on the empty `cell`; both are uint64."""
    raise NotImplementedError  # answered for each type


def tile_at(board: Tiles, cell: Word) -> Any:
    """The index of the tile on `cell`, as uint64."""
    raise NotImplementedError  # answered for each type


def ceiling_of(tile: int) -> np.uint64:
    """The `ceiling` of boards of 2048 that have `gaps` from a tile on, 0 for none."""
    return np.uint64(tile.bit_length() - 1 if tile else 63)


@by_default
def gaps(board: Tiles, ceiling: Word) -> Word:
    """The missing tiles above which a board is to be `downgraded`, so that its largest tile has an
    index below `ceiling` where that can be: four bits each, the first one lowest; 0 for none. In
    2584 there are none: neighbours in the row of tiles merge, so that none can move up to another.
    """
    return ZERO


@by_default
def downgraded(board: Tiles, gaps: Word) -> Any:
    """The board with all tiles above each of these gaps made smaller by one, which plays alike: in
    2048 they are halved (tile-downgrading, Guei 2022).
    """
    return board


@part
def slid(board: Tiles, slide: Int, laws: Laws) -> Any:
    """(the board after slide 0 to 3, whether that changed it, the reward as uint64)."""
    sideways = slide < 2
    start = transposed(board) if sideways else board
    after, changed, reward = pushed(start, laws.left if slide & 1 == 0 else laws.right)
    return transposed(after) if sideways else after, changed, reward


@part
def largest(board: Tiles) -> Any:
    best = ZERO
    for cell in range(CELLS):
        best = max(best, tile_at(board, np.uint64(cell)))
    return best


@part
def spawned(board: Tiles, laws: Laws, state: Rng) -> Any:
    """(the board with a tile that chance places, the state of the random numbers)."""
    cells = empty(board)
    state, bits = draw(state)
    cell = lowest(nth_bit(cells, below(bits, popcount(cells))))
    state, bits = draw(state)
    tile = laws.common if np.float64(bits) * UNIT < laws.share else laws.rare
    return placed(board, cell, tile), state
