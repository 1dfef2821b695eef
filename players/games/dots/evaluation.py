"""The value of a dots position before its end, from its chains and loops or by a network.

Words of Berlekamp, "The Dots and Boxes Game" (2000): a chain is a row of boxes with two edges
undrawn each, a loop one that closes on itself. The player that opens a chain gives it away; the one
that takes it may keep control: leave the last two boxes (four of a loop) to the other player, which
must then open the next. The long-chain rule says by a parity which player will have control.
"""

from typing import Any, NamedTuple

import numpy as np

from players.compiled.bits import ONE, ZERO, packed, popcount
from players.compiled.cache import answers, part
from players.compiled.types import Array, Int, Word
from players.games import interface as game
from players.games.dots.board import DotsBits, open_boxes, sides, without
from players.games.dots.endgame_rest import strings, tied_to
from players.games.json_fields import rows_of, whole
from players.ntuple import board as network
from players.ntuple.as_terms import NETWORK, worth
from players.ntuple.board import EIGHT, diagonal, left_to_right, upside_down, view

FEATURES = ("turn", "control", "free", "chains", "chained")
"""What is valued: having the move; what the mover loses if it must open the chains and loops there
are now; boxes with three or four edges undrawn; chains of three or more; boxes in them."""

CHAINS = 0
"""The first of an evaluation's numbers: it is of this kind, not a network's."""

STAGES = 23
"""Values depend on the number of safe edges, below this, and the long-chain rule's parity."""

CHAIN_PRICE, LOOP_PRICE = 4, 8
"""The cost of keeping control in the margin: boxes left to the other, twice."""

NO_CHOICE = 1_000

LONGEST = 15
"""Longer chains count as so long, longer loops as of four more. Of each length up to 15 count."""

FOUR = np.uint64(4)


@part
def capture(across: Word, down: Word, stride: Word, boxes: Word) -> Any:
    """Take every box there is: (across, down, how many, the least price of leaving some)."""
    taken, price = np.int64(0), np.int64(NO_CHOICE)
    while True:
        single, low = sides(across, down, stride, boxes)
        if single == ZERO:
            return across, down, taken, price
        string = tied_to(single & (ZERO - single), low, across, down, stride)
        length, ends = np.int64(popcount(string)), popcount(string & single)
        if ends == ONE and length >= 2:
            price = np.int64(CHAIN_PRICE)
        elif length >= 4:
            price = min(price, np.int64(LOOP_PRICE))
        taken += length
        across, down = without(string, across, down, stride)


@part
def count_of(word: Word, length: Int) -> Any:
    return np.int64((word >> np.uint64(4 * length)) & np.uint64(15))


@part
def opening_value(chains: Word, loops: Word) -> Any:
    """The margin of the player to move when all boxes are in chains and loops, opened in the order
    of their cost: `chains` counts those of each length, `loops` those of 4 more. Worked out from
    the end.
    """
    value = np.int64(0)
    for length in range(LONGEST, -1, -1):
        for _ in range(count_of(chains, length) if length > 2 else 0):
            value = -max(length + value, length - CHAIN_PRICE - value)
        for _ in range(count_of(loops, length)):
            value = -max(length + 4 + value, length + 4 - LOOP_PRICE - value)
    for length in range(2, 0, -1):
        for _ in range(count_of(chains, length)):
            value = -(length + value)
    return value


@part
def quiet_features(across: Word, down: Word, stride: Word, boxes: Word) -> Any:
    """(stage, parity, features) of the mover where no box can be taken.

    An edge is safe when no box next to it has two edges drawn. The player who makes the last turn
    has control, and a turn ends with each edge that closes nothing: as many as there are edges
    less boxes, and one more for every long chain but the last, which a double-dealing move saves.
    """
    _, low = sides(across, down, stride, boxes)
    safe = popcount(across & ~(low | (low << stride))) + popcount(down & ~(low | (low << ONE)))
    chains, loops, many, boxes_in = ZERO, ZERO, np.int64(0), np.int64(0)
    rest = low
    while rest != ZERO:
        string = tied_to(rest & (ZERO - rest), rest, across, down, stride)
        rest ^= string
        length = popcount(string)
        if strings(across, down, string, stride) == np.int64(length):
            loops += ONE << (FOUR * min(length - FOUR, np.uint64(LONGEST)))
        else:
            chains += ONE << (FOUR * min(length, np.uint64(LONGEST)))
            if length > np.uint64(2):
                many += 1
                boxes_in += np.int64(length)
    left = open_boxes(across, down, stride, boxes)
    edges = np.int64(popcount(across)) + np.int64(popcount(down))
    free = np.int64(popcount(left & ~low))
    parity = (edges - np.int64(popcount(left)) + many) & 1
    features = (np.int64(1), -opening_value(chains, loops), free, many, boxes_in)
    return min(np.int64(safe), STAGES - 1), parity, features


@answers(game.evaluate, DotsBits)
def _evaluate(position: DotsBits, terms: Array) -> Any:
    """The lead, the boxes to be taken, and the rest, which the mover begins or leaves."""
    across, down, lead, seat, stride, boxes, _ = position
    if terms[0] == NETWORK:
        value, taken = worth(view(position), terms), np.int64(0)
    else:
        across, down, taken, price = capture(across, down, stride, boxes)
        value = np.int64(0)
        if across | down != ZERO:
            stage, parity, features = quiet_features(across, down, stride, boxes)
            if features[2] == 0:  # all is in chains and loops: there is nothing to estimate
                value = -100 * features[1]
            else:
                index = 1 + (2 * stage + parity) * len(FEATURES)
                for feature in features:
                    value += feature * terms[index]
                    index += 1
            value = max(value, -100 * price - value)
    value += 100 * ((lead if seat == 0 else -lead) + taken)
    return min(max(value, -game.LIMIT), game.LIMIT)


@answers(game.expectation, DotsBits)
def _expectation(position: DotsBits, value: Int) -> Any:
    """A logistic curve, by maximum likelihood on exactly solved positions of 5×5."""
    edges = np.int64(popcount(position.across)) + np.int64(popcount(position.down))
    spread = min(20.0 + 0.35 * edges * edges, 500.0)
    return 1.0 / (1.0 + np.exp(-value / spread))


def from_features(content: Any) -> Any:
    """int32[:]: CHAINS, then for each of the STAGES the FEATURES for both parities."""
    place = "features"
    stages = rows_of(content, STAGES, place)
    terms = [CHAINS]
    for stage, parities in enumerate(stages):
        place = f"features: {stage} safe edges"
        for values in rows_of(parities, 2, place):
            terms += [whole(value, place) for value in rows_of(values, len(FEATURES), place)]
    return np.array(terms, np.int32)


class DotsView(NamedTuple):
    """Undrawn edges on a square board, for n-tuple networks, by their first dot."""

    across: Word
    down: Word
    gap: Word
    """By how many rows of boxes the board is smaller than 7×7."""


@answers(view, DotsBits)
def _view(position: DotsBits) -> DotsView:
    stride = position.stride
    row = (ONE << stride) - ONE
    across, down = np.uint64(0), np.uint64(0)
    for line in range(np.int64(stride)):
        here, there = np.uint64(line) * stride, np.uint64(8 * line)
        across |= (position.across >> here & row) << there
        down |= (position.down >> here & row) << there
    return DotsView(across, down, EIGHT - stride)


@answers(network.banked, DotsBits)
def _banked(position: DotsBits) -> np.int64:
    return np.int64(position.lead)


@answers(network.transposed, DotsView)
def _transposed(board: DotsView) -> DotsView:
    return DotsView(diagonal(board.down), diagonal(board.across), board.gap)


@answers(network.flipped, DotsView)
def _flipped(board: DotsView) -> DotsView:
    gap = board.gap
    return DotsView(upside_down(board.across, gap), upside_down(board.down, gap + ONE), gap)


@answers(network.mirrored, DotsView)
def _mirrored(board: DotsView) -> DotsView:
    gap = board.gap
    return DotsView(left_to_right(board.across, gap + ONE), left_to_right(board.down, gap), gap)


@answers(network.entry, DotsView)
def _entry(board: DotsView, masks: Array) -> Word:
    across, down = packed(board.across, masks[0]), packed(board.down, masks[1])
    return across | down << popcount(masks[0])


@answers(network.progress, DotsView)
def _progress(board: DotsView) -> Word:
    boxes = EIGHT - ONE - board.gap
    edges = boxes * (boxes + ONE) << ONE
    return edges - popcount(board.across) - popcount(board.down)


@answers(network.of_words, DotsView)
def _of_words(board: DotsView, first: Word, second: Word) -> DotsView:
    return DotsView(first, second, board.gap)
