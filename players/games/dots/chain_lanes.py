"""The end of eight games of dots at once, one in each lane, once no edge is safe: every one gives a
box away or closes it.

What is left are chains and loops of boxes with two undrawn sides. The player to move opens one.
The other player takes it all and must open the next, or leaves the last two boxes of a chain, four
of a loop, and so hands that duty back (Berlekamp, The Dots and Boxes Game). Here the shortest is
always opened first, which is not always best.
"""

from typing import Any

import numpy as np

from players.compiled.bits import ONE, ZERO
from players.compiled.cache import part
from players.compiled.lanes import any_set, empty, less, popcounts, spread
from players.compiled.types import Int, Word
from players.games.dots.board import sides, without

TWO, MANY = np.uint64(2), np.uint64(64)
CODE_BITS, CODE = np.uint64(6), np.uint64(63)
"""A chain of n boxes is kept as 2n, a loop as 2n + 1."""

LAST_CODE, TEN_CODES = np.uint64(54), np.uint64((1 << 60) - 1)
"""A word has room for ten of them; no board has more than sixteen chains of three boxes."""


@part
def choice(mask: Word, chosen: Any, otherwise: Any) -> Any:
    """`chosen` under the set bits of `mask`, `otherwise` elsewhere."""
    return (chosen & mask) | (otherwise & ~mask)


@part
def component(seed: Word, twos: Word, across: Word, down: Word, stride: Word) -> Any:
    """All boxes among `twos` that undrawn edges join to `seed`."""
    region = seed
    while True:
        grown = (
            ((region << stride) & across)
            | ((region & across) >> stride)
            | ((region << ONE) & down)
            | ((region & down) >> ONE)
        )
        grown = (grown & twos) | region
        if not any_set(grown ^ region):
            return region
        region = grown


@part
def shortest(twos: Word, across: Word, down: Word, stride: Word) -> Any:
    """The boxes of the smallest component of each lane; none where there is none."""
    left, best, size = twos, spread(ZERO), spread(MANY)
    while any_set(left):
        region = component(left & (ZERO - left), twos, across, down, stride)
        boxes = popcounts(region)
        is_better = less(boxes, size) & ~empty(region)
        best, size = choice(is_better, region, best), choice(is_better, boxes, size)
        left = left & ~region
    return best


@part
def closed(across: Word, down: Word, stride: Word, boxes: Word) -> Any:
    """(how many boxes can be closed in one turn, the undrawn edges after that)."""
    count = spread(ZERO)
    single, _ = sides(across, down, stride, boxes)
    while any_set(single):
        count = count + popcounts(single)
        across, down = without(single, across, down, stride)
        single, _ = sides(across, down, stride, boxes)
    return count, across, down


@part
def best_of(taken: Int, handed: Any, value: Int) -> Any:
    """What it is worth to take that many boxes, all of them or all but the last `handed`, when the
    one who then has to move wins `value` of the rest.
    """
    other = value + handed
    behind = less(other, spread(ZERO))
    return taken - handed + ((other ^ behind) - behind)


@part
def value_of_rest(across: Word, down: Word, stride: Word, boxes: Word) -> Any:
    """What the mover of each lane wins of the boxes left, less what the other player does; 0 where
    none are left. Every undrawn edge must be next to a box with at most two undrawn sides.
    """
    single, up_to_two = sides(across, down, stride, boxes)
    begun = component(single & (ZERO - single), up_to_two, across, down, stride)
    # open at both ends, as a loop is once it is opened, it takes four boxes to hand the move back
    handed = TWO << (less(spread(ONE), popcounts(begun & single)) & ONE)
    all_only = less(popcounts(begun), handed)
    taken, across, down = closed(across, down, stride, boxes)
    value = value_of_chains(across, down, stride, boxes)
    return choice(all_only, taken + value, best_of(taken, handed, value))


@part
def value_of_chains(across: Word, down: Word, stride: Word, boxes: Word) -> Any:
    """The value of the rest where no box has only one undrawn side."""
    short_net, sign = spread(ZERO), spread(ZERO)
    early, late = spread(ZERO), spread(ZERO)
    while True:
        _, twos = sides(across, down, stride, boxes)
        region = shortest(twos, across, down, stride)
        if not any_set(region):
            break
        size = popcounts(region)
        before = popcounts(across) + popcounts(down)
        across, down = without(region, across, down, stride)
        is_loop = empty(before - popcounts(across) - popcounts(down) - size)
        # a chain may lead from a box back to it: the box goes with the chain
        more, across, down = closed(across, down, stride, boxes)
        size = size + more
        opened = ~empty(region)
        is_short = opened & less(size, spread(np.uint64(3)))
        short_net = short_net - (((size ^ sign) - sign) & is_short)
        sign = sign ^ is_short
        code = (size << ONE) | (is_loop & ONE)
        is_long = opened & ~is_short
        early = choice(is_long, (early << CODE_BITS) | (late >> LAST_CODE), early)
        late = choice(is_long, ((late << CODE_BITS) | code) & TEN_CODES, late)
    value = spread(ZERO)
    while any_set(late):
        code = late & CODE
        worth = best_of(code >> ONE, TWO << (code & ONE), value)
        value = choice(~empty(code), ZERO - worth, value)
        late = (late >> CODE_BITS) | ((early & CODE) << LAST_CODE)
        early = early >> CODE_BITS
    return short_net + ((value ^ sign) - sign)
