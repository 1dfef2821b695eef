"""Random games of dots and boxes: one on words, or a batch of eight in lanes, each played uniformly
or with some knowledge of the game.

Guided games are counted out once no edge is safe. What is left are chains and loops: the player to
move opens the shortest, which is not always best; the other takes it all and must open the next, or
leaves the last two boxes of a chain, four of a loop, and so hands that duty back.
"""

from typing import Any

import numpy as np

from players.compiled import lanes
from players.compiled.bits import ONE, ZERO, below, draw, nth_bit, popcount
from players.compiled.cache import answers, part
from players.compiled.types import Array, Int, Rng, Word
from players.games import interface as game
from players.games.dots.board import DotsBits, is_over, open_boxes, sides, without

TWO, MANY = np.uint64(2), np.uint64(64)
CODE_BITS, CODE = np.uint64(6), np.uint64(63)
"""A chain of n boxes is kept as 2n, a loop as 2n + 1."""

LAST_CODE, TEN_CODES = np.uint64(54), np.uint64((1 << 60) - 1)
"""A word has room for ten of them; no board has more than sixteen chains of three boxes."""


@part
def choice(mask: Word, chosen: Any, otherwise: Any) -> Any:
    return (chosen & mask) | (otherwise & ~mask)


@part
def component(seed: Word, twos: Word, across: Word, down: Word, stride: Word) -> Any:
    region = seed
    while True:
        grown = (
            ((region << stride) & across)
            | ((region & across) >> stride)
            | ((region << ONE) & down)
            | ((region & down) >> ONE)
        )
        grown = (grown & twos) | region
        if not lanes.any_set(grown ^ region):
            return region
        region = grown


@part
def shortest(twos: Word, across: Word, down: Word, stride: Word) -> Any:
    """The boxes of the smallest component of each lane; none where there is none."""
    left, best, size = twos, lanes.spread(ZERO), lanes.spread(MANY)
    while lanes.any_set(left):
        region = component(left & (ZERO - left), twos, across, down, stride)
        boxes = lanes.popcounts(region)
        is_better = lanes.less(boxes, size) & ~lanes.empty(region)
        best, size = choice(is_better, region, best), choice(is_better, boxes, size)
        left = left & ~region
    return best


@part
def closed(across: Word, down: Word, stride: Word, boxes: Word) -> Any:
    """(how many boxes can be closed in one turn, the undrawn edges after that)."""
    count = lanes.spread(ZERO)
    single, _ = sides(across, down, stride, boxes)
    while lanes.any_set(single):
        count = count + lanes.popcounts(single)
        across, down = without(single, across, down, stride)
        single, _ = sides(across, down, stride, boxes)
    return count, across, down


@part
def best_of(taken: Int, handed: Any, value: Int) -> Any:
    """The value of taking that many boxes or leaving `handed`, with `value` to come."""
    other = value + handed
    behind = lanes.less(other, lanes.spread(ZERO))
    return taken - handed + ((other ^ behind) - behind)


@part
def value_of_rest(across: Word, down: Word, stride: Word, boxes: Word) -> Any:
    """The margin of each lane's mover in the boxes left, where no undrawn edge is safe."""
    single, up_to_two = sides(across, down, stride, boxes)
    begun = component(single & (ZERO - single), up_to_two, across, down, stride)
    # open at both ends, as a loop is once it is opened, it takes four boxes to hand the move back
    handed = TWO << (lanes.less(lanes.spread(ONE), lanes.popcounts(begun & single)) & ONE)
    all_only = lanes.less(lanes.popcounts(begun), handed)
    taken, across, down = closed(across, down, stride, boxes)
    value = value_of_chains(across, down, stride, boxes)
    return choice(all_only, taken + value, best_of(taken, handed, value))


@part
def value_of_chains(across: Word, down: Word, stride: Word, boxes: Word) -> Any:
    """The value of the rest where no box has only one undrawn side."""
    short_net, sign = lanes.spread(ZERO), lanes.spread(ZERO)
    early, late = lanes.spread(ZERO), lanes.spread(ZERO)
    while True:
        _, twos = sides(across, down, stride, boxes)
        region = shortest(twos, across, down, stride)
        if not lanes.any_set(region):
            break
        size = lanes.popcounts(region)
        before = lanes.popcounts(across) + lanes.popcounts(down)
        across, down = without(region, across, down, stride)
        is_loop = lanes.empty(before - lanes.popcounts(across) - lanes.popcounts(down) - size)
        # a chain may lead from a box back to it: the box goes with the chain
        more, across, down = closed(across, down, stride, boxes)
        size = size + more
        opened = ~lanes.empty(region)
        is_short = opened & lanes.less(size, lanes.spread(np.uint64(3)))
        short_net = short_net - (((size ^ sign) - sign) & is_short)
        sign = sign ^ is_short
        code = (size << ONE) | (is_loop & ONE)
        is_long = opened & ~is_short
        early = choice(is_long, (early << CODE_BITS) | (late >> LAST_CODE), early)
        late = choice(is_long, ((late << CODE_BITS) | code) & TEN_CODES, late)
    value = lanes.spread(ZERO)
    while lanes.any_set(late):
        code = late & CODE
        worth = best_of(code >> ONE, TWO << (code & ONE), value)
        value = choice(~lanes.empty(code), ZERO - worth, value)
        late = (late >> CODE_BITS) | ((early & CODE) << LAST_CODE)
        early = early >> CODE_BITS
    return short_net + ((value ^ sign) - sign)


@part
def preferred(across: Word, down: Word, stride: Word, boxes: Word) -> Any:
    """The edges a guided playout chooses from: that close a box, else safe ones, else none."""
    single, unsafe = sides(across, down, stride, boxes)
    closing_across = across & (single | (single << stride))
    closing_down = down & (single | (single << ONE))
    safe_across = across & ~(unsafe | (unsafe << stride))
    safe_down = down & ~(unsafe | (unsafe << ONE))
    is_safe = safe_across | safe_down
    return (
        lanes.select(is_safe, lanes.select(single, closing_across, safe_across), is_safe),
        lanes.select(is_safe, lanes.select(single, closing_down, safe_down), is_safe),
    )


@part
def _game(position: DotsBits, state: Rng, is_guided: bool) -> Any:
    across, down, lead, seat, stride, boxes, enough = position
    all_boxes = np.int64(popcount(boxes))
    still = np.int64(popcount(open_boxes(across, down, stride, boxes)))
    mine = lead if seat == 0 else -lead
    while not is_over(across, down, mine, all_boxes - still, enough):
        first, second = across, down
        if is_guided:
            first, second = preferred(across, down, stride, boxes)
            if first | second == ZERO:
                rest = value_of_rest(lanes.spread(across), lanes.spread(down), stride, boxes)
                mine += np.int64(lanes.lane(rest, ZERO))
                break
        state, bits = draw(state)
        horizontal = popcount(first)
        index = below(bits, horizontal + popcount(second))
        is_across = index < horizontal
        edge = nth_bit(first if is_across else second, index - (ZERO if is_across else horizontal))
        across ^= edge if is_across else ZERO
        down ^= ZERO if is_across else edge
        left = np.int64(popcount(open_boxes(across, down, stride, boxes)))
        won = still - left
        still = left
        mine += won
        if won == 0:
            mine, seat = -mine, 1 - seat
    return mine if seat == 0 else -mine, state


@answers(game.batch, DotsBits)
def _batch(position: DotsBits, state: Rng, is_guided: bool, record: Array | None) -> Any:
    """Each lane has a seat of its own. One without edges to pick from waits for the others."""
    stride, boxes = position.stride, position.boxes
    across, down = lanes.spread(position.across), lanes.spread(position.down)
    states = lanes.streams(state)
    still = lanes.popcounts(open_boxes(across, down, stride, boxes))
    lead = lanes.spread(np.uint64(position.lead))
    second_moves = lanes.spread(ZERO - np.uint64(position.seat))
    # is_over: closed + |lead| ≥ 2·enough
    last_open = popcount(boxes) - np.uint64(2 * position.enough)
    rows, columns = across, down
    first_rows, first_columns = lanes.spread(ZERO), lanes.spread(ZERO)
    while True:
        behind = lanes.less(lead, lanes.spread(ZERO))
        distance = (lead ^ behind) - behind
        playing = lanes.less(last_open + distance, still)
        first, second = across & playing, down & playing
        if is_guided:
            first, second = preferred(first, second, stride, boxes)
        if not lanes.any_set(first | second):
            break
        states, bits = draw(states)
        horizontal = lanes.popcounts(first)
        index = below(bits, horizontal + lanes.popcounts(second))
        is_across = lanes.less(index, horizontal)
        edge = lanes.nth_bits(
            (first & is_across) | (second & ~is_across), index - (horizontal & ~is_across)
        )
        if record is not None:
            first_rows |= edge & is_across & ~second_moves
            first_columns |= edge & ~(is_across | second_moves)
        across ^= edge & is_across
        down ^= edge & ~is_across
        left = lanes.popcounts(open_boxes(across, down, stride, boxes))
        won = still - left
        still = left
        lead += (won ^ second_moves) - second_moves
        second_moves ^= lanes.empty(won) & ~lanes.empty(edge)
    if is_guided:
        rest = value_of_rest(across & playing, down & playing, stride, boxes)
        lead += (rest ^ second_moves) - second_moves
    if record is not None:
        lanes.write(lead, record[0])
        lanes.write(first_rows, record[1])
        lanes.write(first_columns, record[2])
        lanes.write(rows & ~(across | first_rows), record[3])
        lanes.write(columns & ~(down | first_columns), record[4])
    wins, net = lanes.results(lead)
    return wins, net, lanes.lane(states, ZERO)


@answers(game.playout, DotsBits)
def _playout(position: DotsBits, state: Rng) -> Any:
    return _game(position, state, False)


@answers(game.guided, DotsBits)
def _guided(position: DotsBits, state: Rng) -> Any:
    return _game(position, state, True)
