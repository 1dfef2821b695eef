"""The last empty squares of an Othello game, searched without generating moves.

A value is the margin in discs of the owner of `own`, who is to move. What turns nothing is no move
unless the square is free.
"""

from typing import Any

import numpy as np

from players.compiled.bits import HAS_DEPOSIT, ONE, ZERO, lowest, packed_by_instruction, popcount
from players.compiled.cache import kernel, part
from players.compiled.types import Int, Word
from players.games.othello.board import margin
from players.games.othello.endgame_memory import TWO, OthelloRoot, count_node, root_at
from players.games.othello.lines import DIRECTIONS, bracketing, flips, ray

NONE = -128
"""Below every margin: no move was found yet."""


def _line_masks() -> tuple[Any, Any]:
    """For each square its four lines, and where on each it stands, times 256."""
    masks, places = np.zeros((64, 4), np.uint64), np.zeros((64, 4), np.uint64)
    for square in range(64):
        for lane, (rows, columns) in enumerate(DIRECTIONS):
            line = ray(square, rows, columns) | 1 << square | ray(square, -rows, -columns)
            masks[square, lane] = line
            places[square, lane] = 256 * (line & (1 << square) - 1).bit_count()
    return masks.ravel(), places.ravel()


def _line_counts() -> Any:
    """The discs that one turns on a full line, at [256 · its place + its colour's bits]."""
    counts = np.zeros((8, 256), np.uint8)
    for place in range(8):
        for own in range(256):
            for beyond in (range(place + 1, 8), range(place - 1, -1, -1)):
                ends = [abs(place - each) - 1 for each in beyond if own >> each & 1]
                counts[place, own] += ends[0] if ends else 0
    return counts.ravel()


WEST_OF_EIGHT = np.uint64(0x0F0F0F0F0F0F0F0F)
"""The left half of a board of 8×8."""
FIRST_SQUARES, FIRST_QUADRANT = np.uint64(0x0000001100000011), np.uint64(0x0F0F0F0F)
"""Of its quadrants, and the first of these."""

LINES, PLACES = _line_masks()
COUNTS = _line_counts()


@part
def turned_by_count(square: Word, own: Word) -> Any:
    first = square << np.uint64(2)
    total = ZERO
    for lane in range(4):
        line = first + np.uint64(lane)
        total += np.uint64(COUNTS[PLACES[line] + packed_by_instruction(own, LINES[line])])
    return np.int64(total)


@part
def turned_by_flips(square: Word, own: Word) -> Any:
    """For processors without an extract."""
    return np.int64(popcount(flips(square, own, ~(own | ONE << square))))


turned_at_last = turned_by_count if HAS_DEPOSIT else turned_by_flips
"""How many discs a disc on `square` turns when every other square is `own` or the opponent's, as
squares out of play may be: no line passes one to end in a disc."""


@part
def last_one(own: Word, other: Word, square: Word, free: Word) -> Any:
    turned = turned_at_last(square, own)
    ahead = margin(own, other)
    if turned != 0 or free & (ONE << square) != ZERO:
        return ahead + 1 + 2 * turned
    turned = turned_at_last(square, other)
    return ahead if turned == 0 else ahead - 1 - 2 * turned


@part
def last_two(own: Word, other: Word, first: Word, second: Word, high: Int, work: Word) -> Any:
    """The value (fail-soft at `high`); NONE when neither square is a move."""
    best, free = np.int64(NONE), root_at(work).free
    disc = ONE << first
    turned = flips(first, own, other)
    if (turned | free & disc) != ZERO:
        count_node(work)
        best = -last_one(other ^ turned, own | turned | disc, second, free)
        if best >= high:
            return best
    disc = ONE << second
    turned = flips(second, own, other)
    if (turned | free & disc) != ZERO:
        count_node(work)
        best = max(best, -last_one(other ^ turned, own | turned | disc, first, free))
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
            value = last_two(after, mine, second, third, -floor, work)
            if value == NONE:
                value = -last_two(mine, after, second, third, high, work)
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
            return margin(own, other) if left == ZERO else last_one(own, other, first, fixed.free)
        second = lowest(empties & (empties - ONE))
        best = last_two(own, other, first, second, high, work)
        if best == NONE:
            best = last_two(other, own, first, second, -low, work)
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
