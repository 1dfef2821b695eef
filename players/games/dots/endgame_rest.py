"""The rest of a dots position, for the exact solver: cores, captures, chains and loops.

Undrawn edges are strings that tie a box to its neighbour or to the border. A box with one is there
to be taken; a run of boxes with two is a chain, or a loop if it closes; a box with three or four is
a joint. A core has nothing to take (Berlekamp, "The Dots and Boxes Game", 2000).

A search moves chains from border to border and loops out of the words of edges into a pool: one
word that counts those of each length. Of chains of one box, and of two, it keeps only whether their
number is odd: the opening of one is answered by that of the other, so a pair changes nothing.
"""

from typing import Any

import numpy as np

from players.compiled.bits import ONE, ZERO, lowest, popcount
from players.compiled.cache import part
from players.compiled.types import Int, Word
from players.games.dots.board import open_boxes, sides, without

CHAINS_AT, LONGEST_CHAIN = 2, 10
LOOPS_AT, LONGEST_LOOP = 34, 16
"""A pool's lowest bits are for chains of one and two boxes. From these bits on it has four bits a
length: chains of 3, 4, … boxes, loops of 4, 6, …; what is longer stays in the words of edges. No
board of 64 dots has room for 16 of one length."""

SHORT = np.uint64((1 << CHAINS_AT) - 1)
CHAINS = np.uint64((1 << LOOPS_AT) - (1 << CHAINS_AT))
LOOPS = np.uint64((1 << 62) - (1 << LOOPS_AT))

CHAIN_COST, LOOP_COST = 2, 4
"""The boxes of a chain or loop left to the other player in order to hand the turn over."""


@part
def strings(across: Word, down: Word, boxes: Word, stride: Word) -> Any:
    rows = popcount(across & (boxes | (boxes << stride)))
    return np.int64(rows + popcount(down & (boxes | (boxes << ONE))))


@part
def by_strings(across: Word, down: Word, boxes: Word, stride: Word) -> Any:
    """Those of `boxes` with one undrawn edge; with two; with three or four."""
    ones, few = sides(across, down, stride, boxes)
    return ones, few ^ ones, open_boxes(across, down, stride, boxes) & ~few


@part
def tied_to(seed: Word, within: Word, across: Word, down: Word, stride: Word) -> Any:
    """`seed` and the boxes of `within` tied to it, directly or through others of them."""
    found, before = seed, ZERO
    while found != before:
        before = found
        rows = ((found & across) >> stride) | ((found << stride) & across)
        columns = ((found & down) >> ONE) | ((found << ONE) & down)
        found |= (rows | columns) & within
    return found


@part
def core_of(across: Word, down: Word, boxes: Word, stride: Word) -> Any:
    """The undrawn edges when all that can be taken in one turn is taken."""
    ones, _, _ = by_strings(across, down, boxes, stride)
    while ones != ZERO:
        across, down = without(ones, across, down, stride)
        ones, _, _ = by_strings(across, down, boxes, stride)
    return across, down


@part
def double_dealing_cost(across: Word, down: Word, takeable: Word, stride: Word) -> Any:
    """The fewest boxes of `takeable`, all that can be taken, to leave to hand over; 0 for never.

    A tree of boxes tied by a last string to the border or a joint can be taken down to the two
    boxes at that string; one without to four boxes in a row, if it has them.
    """
    cost = 0
    while takeable != ZERO:
        tree = tied_to(takeable & (ZERO - takeable), takeable, across, down, stride)
        takeable ^= tree
        size = np.int64(popcount(tree))
        if strings(across, down, tree, stride) == size:
            if size >= CHAIN_COST:
                cost = CHAIN_COST
        elif cost == 0:
            ends, _, _ = by_strings(across, down, tree, stride)
            inside = tree & ~ends
            rows = across & inside & (inside << stride)
            if rows | (down & inside & (inside << ONE)) != ZERO:
                cost = LOOP_COST
    return cost


@part
def pooled(across: Word, down: Word, pool: Word, left: Int, boxes: Word, stride: Word) -> Any:
    """A core with its free chains and loops in the pool; `left` boxes less those of pairs."""
    _, twos, joints = by_strings(across, down, boxes, stride)
    free = twos & ~tied_to(joints, twos, across, down, stride)
    while free != ZERO:
        chain = tied_to(free & (ZERO - free), free, across, down, stride)
        free ^= chain
        size = np.int64(popcount(chain))
        if size <= 2:
            field = np.uint64(size)
            left -= 2 * size if pool & field != ZERO else 0
            pool ^= field
        else:
            at, longest = CHAINS_AT + 4 * (size - 3), LONGEST_CHAIN
            if strings(across, down, chain, stride) == size:
                at, longest = LOOPS_AT + 2 * (size - 4), LONGEST_LOOP
            if size > longest:
                continue
            pool += ONE << np.uint64(at)
        across, down = without(chain, across, down, stride)
    return across, down, pool, left


@part
def take_chain(across: Word, down: Word, chain: Word, boxes: Word, stride: Word) -> Any:
    """(the edges once the opened `chain` is taken, its boxes, the cost of double-dealing).

    One of two boxes is opened in the middle, so that no double-dealing is possible.
    """
    size = np.int64(popcount(chain))
    cost = LOOP_COST if strings(across, down, chain, stride) == size else CHAIN_COST
    before = popcount(open_boxes(across, down, stride, boxes))
    across, down = without(chain, across, down, stride)
    across, down = core_of(across, down, boxes, stride)
    after = popcount(open_boxes(across, down, stride, boxes))
    return across, down, np.int64(before - after), cost if size > 2 else 0


@part
def take_shortest(pool: Word, kind: Any) -> Any:
    """Open the shortest of a `kind` that is there: (the rest, its boxes, double-dealing's cost)."""
    at = np.int64(lowest(pool & kind))
    if kind == SHORT:
        return pool ^ (ONE << np.uint64(at)), at + 1, 0
    if kind == CHAINS:
        field = (at - CHAINS_AT) >> 2
        return pool - (ONE << np.uint64(CHAINS_AT + 4 * field)), 3 + field, CHAIN_COST
    field = (at - LOOPS_AT) >> 2
    return pool - (ONE << np.uint64(LOOPS_AT + 4 * field)), 4 + 2 * field, LOOP_COST
