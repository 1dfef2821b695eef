"""Moves that need not be tried in dots and boxes.

- Closing a box costs nothing but the choice to leave the last two boxes of a chain or the last four
  of a loop, so any other box there for the taking is taken at once, and while boxes of that kind
  are there, no move elsewhere is better (Barker and Korf 2012).
- A chain is opened by any of its edges alike, but one of two boxes best by the edge between them,
  which leaves the other player no choice: one move a chain is enough.
- The two outer edges of a corner box both part it from the outside: which one is drawn is all the
  same.

Where the game stops at a majority the order of captures may matter, and only the last law is used.
"""

from typing import Any

import numpy as np

from players.compiled.bits import ONE, ZERO, lowest, popcount
from players.compiled.cache import answers, part
from players.compiled.types import Array, Word
from players.games.dots import board
from players.games.dots.board import DotsBits, flip
from players.games.interface import NO_MOVE, candidates, canonical, count_moves, forced


@answers(count_moves, DotsBits)
def _count_moves(position: DotsBits) -> Any:
    across, down, lead, _, stride, boxes, enough = position
    if board.is_over(across, down, lead, board.closed_boxes(across, down, stride, boxes), enough):
        return np.int64(0)
    return np.int64(popcount(across)) + np.int64(popcount(down))


@part
def edge_of(box: Word, across: Word, down: Word, stride: Word) -> Any:
    """An undrawn edge of a box that has one, as a move, and the box behind it."""
    below, right = box << stride, box << ONE
    if across & box != ZERO:
        return np.int64(lowest(box)), box >> stride
    if across & below != ZERO:
        return np.int64(lowest(below)), below
    if down & box != ZERO:
        return board.VERTICAL + np.int64(lowest(box)), box >> ONE
    return board.VERTICAL + np.int64(lowest(right)), right


@answers(forced, DotsBits)
def _forced(position: DotsBits) -> Any:
    across, down, _, _, stride, boxes, enough = position
    single, narrow = board.sides(across, down, stride, boxes)
    if enough <= board.WHOLE_GAME:
        return np.int64(NO_MOVE)
    double = narrow & ~single
    while single != ZERO:
        box = single & (ZERO - single)
        single ^= box
        move, second = edge_of(box, across, down, stride)
        if second & double == ZERO:
            return move
        rest_across, rest_down = flip(move, across, down)
        move_on, third = edge_of(second, rest_across, rest_down, stride)
        if third & narrow == ZERO:
            continue  # two boxes and no more
        if third & double == ZERO:
            return move  # three boxes, closed at both ends
        rest_across, rest_down = flip(move_on, rest_across, rest_down)
        _, fourth = edge_of(third, rest_across, rest_down, stride)
        if fourth & narrow & ~double == ZERO:
            return move  # not the four boxes of an opened loop
    return np.int64(NO_MOVE)


@part
def deciding_edges(single: Word, across: Word, down: Word, stride: Word) -> Any:
    """The edges of the boxes there for the taking and of those behind them."""
    some_across, some_down = ZERO, ZERO
    while single != ZERO:
        box = single & (ZERO - single)
        single ^= box
        move, second = edge_of(box, across, down, stride)
        rest_across, rest_down = flip(move, across, down)
        move_on, _ = edge_of(second, rest_across, rest_down, stride)
        for each in (move, move_on):
            edge = ONE << np.uint64(each & 63)
            some_across |= edge if each < board.VERTICAL else ZERO
            some_down |= ZERO if each < board.VERTICAL else edge
    return some_across, some_down


@part
def one_edge_a_chain(double: Word, across: Word, down: Word, stride: Word) -> Any:
    """The edges without those of chains and loops, but for one of each."""
    keep_across, keep_down = ZERO, ZERO
    while double != ZERO:
        start = double & (ZERO - double)
        double ^= start
        opening = np.int64(NO_MOVE)
        for _ in range(2):  # one way along the chain, then the other
            box = start & board.open_boxes(across, down, stride, start)  # none left in a loop
            while box != ZERO:
                move, behind = edge_of(box, across, down, stride)
                across, down = flip(move, across, down)
                box = behind & double
                double ^= box
                if box != ZERO or opening == NO_MOVE:
                    opening = move
        keep_across, keep_down = flip(opening, keep_across, keep_down)
    return across | keep_across, down | keep_down


@part
def corners(boxes: Word, stride: Word) -> Any:
    """For each corner: the steps from its box to its outer edges, and that box, 0 for none."""
    above, below = boxes & (boxes << stride), boxes & (boxes >> stride)
    before, behind = boxes & (boxes << ONE), boxes & (boxes >> ONE)
    top, bottom, left, right = below & ~above, above & ~below, behind & ~before, before & ~behind
    return (
        (ZERO, ZERO, top & left),
        (ZERO, ONE, top & right),
        (stride, ZERO, bottom & left),
        (stride, ONE, bottom & right),
    )


@answers(canonical, DotsBits)
def _canonical(position: DotsBits) -> Any:
    across, down, lead, seat, stride, boxes, enough = position
    for row_step, column_step, box in corners(boxes, stride):
        only_down = ~(across >> row_step) & (down >> column_step) & box
        across |= only_down << row_step
        down &= ~(only_down << column_step)
    return DotsBits(across, down, lead, seat, stride, boxes, enough)


@answers(candidates, DotsBits)
def _candidates(position: DotsBits, out: Array) -> Any:
    if count_moves(position) == 0:
        return 0
    across, down, _, _, stride, boxes, enough = position
    for row_step, column_step, box in corners(boxes, stride):
        both = (across >> row_step) & (down >> column_step) & box
        down &= ~(both << column_step)
    if enough > board.WHOLE_GAME:
        single, narrow = board.sides(position.across, position.down, stride, boxes)
        if single != ZERO:
            across, down = deciding_edges(single, position.across, position.down, stride)
        elif narrow != ZERO:
            across, down = one_edge_a_chain(narrow, position.across, position.down, stride)
    return board.write_moves(across, down, out)
