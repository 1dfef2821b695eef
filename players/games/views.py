"""Positions of Othello and of dots and boxes as n-tuple networks see them.

A face is a board in two words, from the mover's view, and answers what `players.ntuple.network`
asks. Cell (row, column) is bit 8·row + column of a word: bytes and their bits turn about for the
board's symmetries. A smaller board lies in the upper left corner.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

from players.compiled.bits import ONE, packed, popcount, reversed_bits, swapped_bytes
from players.compiled.cache import answers, part
from players.games.dots.board import is_dots
from players.games.othello.board import is_othello
from players.games.othello.patterns import transposed
from players.games.tiles import interface as tiles

LONGEST_TUPLE = 12
"""So many squares a tuple of Othello has at most; tuples of edges may have twice as many."""

EIGHT = np.uint64(8)


class OthelloFace(NamedTuple):
    """Discs by who has them."""

    own: Any
    other: Any
    gap: Any
    """uint64: by how many rows the board is smaller than 8×8."""


class DotsFace(NamedTuple):
    """Edges not drawn yet, on a square board: (row, column) is an edge's left or upper dot."""

    across: Any
    down: Any
    gap: Any
    """uint64: by how many rows of boxes the board is smaller than 7×7."""


def face(position: Any) -> Any:
    """The face of a position."""
    raise NotImplementedError


def banked(position: Any) -> int:
    """What seat 0 has beyond seat 1 for good: in dots boxes, in Othello nothing before the end. The
    value of a face is what is still to come.
    """
    raise NotImplementedError


def _ternary() -> Any:
    """uint32[2^LONGEST_TUPLE]: the bits of a number read as digits in base three."""
    numbers = np.arange(1 << LONGEST_TUPLE, dtype=np.uint32)
    digits = (
        (numbers >> np.uint32(bit) & np.uint32(1)) * np.uint32(3**bit)
        for bit in range(LONGEST_TUPLE)
    )
    return sum(digits, np.zeros_like(numbers))


TERNARY = _ternary()


@part
def _turned_over(word: Any, rows: Any) -> Any:
    """Top and bottom exchanged, on a board of `rows` less than 8."""
    return swapped_bytes(word) >> (EIGHT * rows)


@part
def _turned_round(word: Any, columns: Any) -> Any:
    """Left and right exchanged, on a board of `columns` less than 8."""
    return reversed_bits(swapped_bytes(word)) >> columns


def is_othello_face(board: Any) -> bool:
    """Whether the numba type `board` is that of an OthelloFace."""
    return getattr(board, "instance_class", None) is OthelloFace


def is_dots_face(board: Any) -> bool:
    """Whether the numba type `board` is that of a DotsFace."""
    return getattr(board, "instance_class", None) is DotsFace


@overload(face)
def _face(position: Any) -> Any:
    if is_othello(position):

        def of_othello(position: Any) -> Any:
            squares = popcount(position.playable)
            gap = 4 if squares <= 16 else (2 if squares <= 36 else 0)
            return OthelloFace(position.own, position.other, np.uint64(gap))

        return of_othello
    if is_dots(position):

        def of_dots(position: Any) -> Any:
            stride = position.stride
            row = (ONE << stride) - ONE
            across, down = np.uint64(0), np.uint64(0)
            for line in range(np.int64(stride)):
                here, there = np.uint64(line) * stride, np.uint64(8 * line)
                across |= (position.across >> here & row) << there
                down |= (position.down >> here & row) << there
            return DotsFace(across, down, EIGHT - stride)

        return of_dots
    return None


@overload(banked)
def _banked(position: Any) -> Any:
    if is_othello(position):

        def answer(position: Any) -> Any:
            return np.int64(0)

        return answer
    if is_dots(position):

        def answer(position: Any) -> Any:
            return np.int64(position.lead)

        return answer
    return None


@answers(tiles.transposed)
def _transposed(board: Any) -> Any:
    if is_othello_face(board):

        def answer(board: Any) -> Any:
            return OthelloFace(transposed(board.own), transposed(board.other), board.gap)

        return answer
    if is_dots_face(board):

        def answer(board: Any) -> Any:
            return DotsFace(transposed(board.down), transposed(board.across), board.gap)

        return answer
    return None


@answers(tiles.flipped)
def _flipped(board: Any) -> Any:
    if is_othello_face(board):

        def discs(board: Any) -> Any:
            gap = board.gap
            return OthelloFace(_turned_over(board.own, gap), _turned_over(board.other, gap), gap)

        return discs
    if is_dots_face(board):

        def edges(board: Any) -> Any:
            gap = board.gap
            return DotsFace(
                _turned_over(board.across, gap), _turned_over(board.down, gap + ONE), gap
            )

        return edges
    return None


@answers(tiles.mirrored)
def _mirrored(board: Any) -> Any:
    if is_othello_face(board):

        def discs(board: Any) -> Any:
            gap = board.gap
            return OthelloFace(_turned_round(board.own, gap), _turned_round(board.other, gap), gap)

        return discs
    if is_dots_face(board):

        def edges(board: Any) -> Any:
            gap = board.gap
            return DotsFace(
                _turned_round(board.across, gap + ONE), _turned_round(board.down, gap), gap
            )

        return edges
    return None


@answers(tiles.entry)
def _entry(board: Any, masks: Any) -> Any:
    if is_othello_face(board):

        def discs(board: Any, masks: Any) -> Any:
            own, other = packed(board.own, masks[0]), packed(board.other, masks[0])
            return np.uint64(TERNARY[own]) + (np.uint64(TERNARY[other]) << ONE)

        return discs
    if is_dots_face(board):

        def edges(board: Any, masks: Any) -> Any:
            across, down = packed(board.across, masks[0]), packed(board.down, masks[1])
            return across | down << popcount(masks[0])

        return edges
    return None


@answers(tiles.progress)
def _progress(board: Any) -> Any:
    if is_othello_face(board):

        def answer(board: Any) -> Any:
            return popcount(board.own | board.other)

        return answer
    if is_dots_face(board):

        def drawn(board: Any) -> Any:
            boxes = EIGHT - ONE - board.gap
            edges = boxes * (boxes + ONE) << ONE
            return edges - popcount(board.across) - popcount(board.down)

        return drawn
    return None


@answers(tiles.words)
def _words(board: Any) -> Any:
    if is_othello_face(board):

        def answer(board: Any) -> Any:
            return (board.own, board.other)

        return answer
    if is_dots_face(board):

        def answer(board: Any) -> Any:
            return (board.across, board.down)

        return answer
    return None


@answers(tiles.of_words)
def _of_words(board: Any, first: Any, second: Any) -> Any:
    if is_othello_face(board):

        def answer(board: Any, first: Any, second: Any) -> Any:
            return OthelloFace(first, second, board.gap)

        return answer
    if is_dots_face(board):

        def answer(board: Any, first: Any, second: Any) -> Any:
            return DotsFace(first, second, board.gap)

        return answer
    return None
