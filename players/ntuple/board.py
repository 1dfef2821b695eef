"""The interface of a board to a network: its symmetries, the entries under its tuples, its two
words.

Each game answers these for its own type of board: the tile games for their boards themselves, games
of two players for a `view` of their positions. Such a view has two words, as the mover sees them;
cell (row, column) is bit 8·row + column of a word, so that bytes and their bits turn round for the
board's symmetries. A smaller board is in the upper left corner.
"""

from typing import Any, Protocol

import numpy as np

from players.compiled.bits import reversed_bits, swapped, swapped_bytes
from players.compiled.cache import by_default, part
from players.compiled.types import Array, Word

EIGHT = np.uint64(8)


class Grid(Protocol):
    """A board as its game keeps it, a NamedTuple of its own."""


def view(position: Any) -> Any:
    """The board of a position that two players play, as the mover sees it."""
    raise NotImplementedError  # answered for each type


@by_default
def banked(position: Any) -> np.int64:
    """What seat 0 has for good beyond seat 1, by default nothing; a view's value is to come."""
    return np.int64(0)


def transposed(board: Grid) -> Grid:
    """The board with rows and columns exchanged."""
    raise NotImplementedError  # answered for each type


def mirrored(board: Grid) -> Grid:
    """The board with left and right exchanged."""
    raise NotImplementedError  # answered for each type


def flipped(board: Grid) -> Grid:
    """The board with top and bottom exchanged."""
    raise NotImplementedError  # answered for each type


def entry(board: Grid, masks: Array | tuple[Word, Word]) -> Word:
    """The cells of the board under `masks`, uint64[2], as the index of a table's entry."""
    raise NotImplementedError  # answered for each type


def progress(board: Grid) -> Word:
    """How far the game is, for stages: the index of the largest tile, a count of discs or edges."""
    raise NotImplementedError  # answered for each type


@by_default
def words(board: Any) -> tuple[Word, Word]:
    """The board as two words, to keep it in an array: by default its first two."""
    return board[0], board[1]


def of_words(board: Grid, first: Word, second: Word) -> Any:
    """The board of these two words, of the same game as `board`."""
    raise NotImplementedError  # answered for each type


@part
def upside_down(word: Word, rows: Word) -> Word:
    """Top and bottom of a view's word exchanged, on a board of `rows` less than 8."""
    return swapped_bytes(word) >> (EIGHT * rows)


@part
def left_to_right(word: Word, columns: Word) -> Word:
    """Left and right of a view's word exchanged, on a board of `columns` less than 8."""
    return reversed_bits(swapped_bytes(word)) >> columns


@part
def diagonal(word: Word) -> Word:
    """A view's word reflected in the diagonal from its first cell."""
    for distance, mask in (
        (np.uint64(7), np.uint64(0x00AA00AA00AA00AA)),
        (np.uint64(14), np.uint64(0x0000CCCC0000CCCC)),
        (np.uint64(28), np.uint64(0x00000000F0F0F0F0)),
    ):
        word = swapped(word, mask, distance)
    return word
