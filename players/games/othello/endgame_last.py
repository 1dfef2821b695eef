"""The last empty squares of an Othello game, searched without generating moves.

A value is the margin in discs of the owner of `own`, who is to move. What turns nothing is no move
unless the square is free.
"""

from itertools import product
from typing import Any

import numpy as np

from players.compiled.bits import (
    BYTE,
    HAS_DEPOSIT,
    ONE,
    ZERO,
    lowest,
    packed_by_instruction,
    popcount,
)
from players.compiled.cache import kernel, part
from players.compiled.types import Int, Word
from players.games.othello.board import margin
from players.games.othello.endgame_memory import TWO, OthelloRoot, count_node, root_at
from players.games.othello.evaluation import quarters_of
from players.games.othello.lines import DIRECTIONS, bracketing, flips, ray

NONE = -128
"""Below every margin: no move was found yet."""


def _turned(own: int, before: int) -> int:
    """The discs turned by one between the squares of a line, `before` of them in front of it, that
    are `own` or else the opponent's.
    """
    behind, front = own >> before, own & (1 << before) - 1
    turned = (behind & -behind).bit_length() - 1 if behind else 0
    return turned + (before - front.bit_length() if front else 0)


def _counts() -> tuple[Any, dict[tuple[int, int], int]]:
    """What either colour turns on a full line, the other's times 256, by the bits of the one; and
    where these numbers begin, by the squares on both sides.
    """
    counts: list[int] = []
    starts = {}
    for before, behind in ((b, a) for b in range(8) for a in range(8 - b)):
        starts[before, behind] = len(counts)
        every = (1 << before + behind) - 1
        counts += [
            _turned(own, before) | _turned(every ^ own, before) << 8 for own in range(every + 1)
        ]
    return np.array(counts, np.uint16), starts


def _boards() -> list[int]:
    """The squares in play of each board there is, in the order of `board_of`."""
    sizes = [(range(size), (0, size - 1), corners) for size in (4, 6, 8) for corners in (0, 1)]
    return [
        sum(1 << 8 * r + c for r in lines for c in lines if corners or r not in rim or c not in rim)
        for lines, rim, corners in sizes
    ]


def _lines(starts: dict[tuple[int, int], int]) -> tuple[Any, Any]:
    """For each board and square the rest of its four lines, and where their counts begin."""
    boards = _boards()
    lines, places = np.zeros((6, 64, 4), np.uint64), np.zeros((6, 64, 4), np.uint16)
    for square, (lane, step) in product(range(64), enumerate(DIRECTIONS)):
        before, behind = ray(square, -step[0], -step[1]), ray(square, *step)
        for board, playable in enumerate(boards):
            lines[board, square, lane] = playable & (before | behind)
            counted = (playable & before).bit_count(), (playable & behind).bit_count()
            places[board, square, lane] = starts[counted]
    return lines.ravel(), places.ravel()


WEST_OF_EIGHT = np.uint64(0x0F0F0F0F0F0F0F0F)
"""The left half of a board of 8×8."""
FIRST_SQUARES, FIRST_QUADRANT = np.uint64(0x0000001100000011), np.uint64(0x0F0F0F0F)
"""Of its quadrants, and the first of these."""

COUNTS, _STARTS = _counts()
LINES, PLACES = _lines(_STARTS)


@part
def board_of(playable: Word) -> Any:
    """Where the lines of the board with these squares begin in LINES and PLACES."""
    return (np.uint64(2 * quarters_of(playable)) + (playable & ONE)) << np.uint64(8)


@part
def turned_by_count(square: Word, own: Word, playable: Word, board: Word) -> Any:
    first = board + (square << TWO)
    total = ZERO
    for lane in range(4):
        line = first + np.uint64(lane)
        start = np.uint64(PLACES[line])
        total += np.uint64(COUNTS[start + packed_by_instruction(own, LINES[line])])
    return total


@part
def turned_by_flips(square: Word, own: Word, playable: Word, board: Word) -> Any:
    """For processors without an extract."""
    other = playable & ~(own | ONE << square)
    mine, theirs = popcount(flips(square, own, other)), popcount(flips(square, other, own))
    return mine | theirs << np.uint64(8)


turned_at_last = turned_by_count if HAS_DEPOSIT else turned_by_flips
"""How many discs a disc of the mover turns on the last empty square, plus 256 times how many one of
the other does."""


@part
def last_one(own: Word, other: Word, square: Word, fixed: OthelloRoot) -> Any:
    turned = turned_at_last(square, own, fixed.playable, fixed.board)
    mine, theirs = np.int64(turned & BYTE), np.int64(turned >> np.uint64(8))
    ahead = margin(own, other)
    if mine != 0 or fixed.free & (ONE << square) != ZERO:
        return ahead + 1 + 2 * mine
    return ahead if theirs == 0 else ahead - 1 - 2 * theirs


@part
def last_two(
    own: Word, other: Word, first: Word, second: Word, high: Int, fixed: OthelloRoot
) -> Any:
    """The value (fail-soft at `high`); NONE when neither square is a move."""
    best = np.int64(NONE)
    disc = ONE << first
    turned = flips(first, own, other)
    if (turned | fixed.free & disc) != ZERO:
        best = -last_one(other ^ turned, own | turned | disc, second, fixed)
        if best >= high:
            return best
    disc = ONE << second
    turned = flips(second, own, other)
    if (turned | fixed.free & disc) != ZERO:
        best = max(best, -last_one(other ^ turned, own | turned | disc, first, fixed))
    return best


@part
def can_move(own: Word, other: Word, empties: Word, free: Word) -> Any:
    return empties & (free | bracketing(own, other)) != ZERO


@part
def odd_quadrants(empties: Word, fixed: OthelloRoot) -> Any:
    """The squares of those quadrants of the board that hold an odd number of `empties`."""
    if fixed.west == WEST_OF_EIGHT:  # the parities fold into the quadrants' first squares
        folded = empties ^ (empties >> np.uint64(16))
        folded ^= folded >> np.uint64(8)
        folded ^= folded >> TWO
        folded ^= folded >> ONE
        return (folded & FIRST_SQUARES) * FIRST_QUADRANT
    odd = ZERO
    for rows in (fixed.north, ~fixed.north):
        for columns in (fixed.west, ~fixed.west):
            quadrant = rows & columns
            odd |= quadrant & (ZERO - (popcount(empties & quadrant) & ONE))
    return odd


@kernel
def last_three(own: Word, other: Word, empties: Word, low: int, high: int, work: Word) -> Any:
    """The value with three empty squares; one alone in its quadrant is tried first."""
    count_node(work)
    fixed = root_at(work)
    first = lowest(empties & odd_quadrants(empties, fixed))
    rest = empties & ~(ONE << first)
    second, third = lowest(rest), lowest(rest & (rest - ONE))
    best, floor = np.int64(NONE), np.int64(low)
    for _ in range(3):
        disc = ONE << first
        turned = flips(first, own, other)
        if (turned | fixed.free & disc) != ZERO:
            count_node(work)
            after, mine = other ^ turned, own | turned | disc
            value = last_two(after, mine, second, third, -floor, fixed)
            if value == NONE:
                value = -last_two(mine, after, second, third, high, fixed)
                value = margin(after, mine) if value == -NONE else value
            best = max(best, -value)
            if best >= high:
                break
            floor = max(floor, best)
        first, second, third = second, third, first
    if best == NONE:
        if not can_move(other, own, empties, fixed.free):
            return margin(own, other)
        return -last_three(other, own, empties, -high, -low, work)
    return best


@kernel
def few(own: Word, other: Word, low: int, high: int, work: Word) -> Any:
    """The value with few empty squares, without a table; quadrants with an odd number first."""
    fixed = root_at(work)
    empties = fixed.playable & ~(own | other)
    left = popcount(empties)
    if left == np.uint64(3):
        return last_three(own, other, empties, low, high, work)
    count_node(work)
    if left <= np.uint64(2):
        first = lowest(empties)
        if left < np.uint64(2):
            return margin(own, other) if left == ZERO else last_one(own, other, first, fixed)
        second = lowest(empties & (empties - ONE))
        best = last_two(own, other, first, second, high, fixed)
        if best == NONE:
            best = last_two(other, own, first, second, -low, fixed)
            best = margin(own, other) if best == NONE else -best
        return best
    moves = empties & (fixed.free | bracketing(own, other))
    if moves == ZERO:
        if not can_move(other, own, empties, fixed.free):
            return margin(own, other)
        return -few(other, own, -high, -low, work)
    odd = odd_quadrants(empties, fixed)
    squares, rest = moves & odd, moves & ~odd
    best, floor = np.int64(NONE), np.int64(low)
    while (squares | rest) != ZERO:
        if squares == ZERO:
            squares, rest = rest, ZERO
        disc = squares & (ZERO - squares)
        squares ^= disc
        turned = flips(lowest(disc), own, other)
        after, mine = other ^ turned, own | turned | disc
        if left == np.uint64(4):
            value = -last_three(after, mine, empties ^ disc, -high, -floor, work)
        else:
            value = -few(after, mine, -high, -floor, work)
        if value > best:
            best = value
            if value >= high:
                return best
            floor = max(floor, value)
    return best
