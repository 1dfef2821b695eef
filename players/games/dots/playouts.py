"""Random games of dots and boxes: one on words, or a batch of eight in lanes, each played uniformly
or with some knowledge of the game.
"""

from typing import Any

import numpy as np

from players.compiled.bits import ONE, ZERO, below, draw, nth_bit, popcount
from players.compiled.cache import answers, part
from players.compiled.lanes import (
    any_set,
    empty,
    given,
    lane,
    less,
    nth_bits,
    popcounts,
    results,
    spread,
    streams,
    write,
)
from players.compiled.types import Array, Rng, Word
from players.games import interface as game
from players.games.dots.board import DotsPosition, is_over, open_boxes, sides
from players.games.dots.chain_lanes import value_of_rest


@part
def preferred(across: Word, down: Word, stride: Word, boxes: Word) -> Any:
    """The edges that a guided playout chooses from, (horizontal, vertical), in words or lanes:
    those that close a box, else those that leave none to the other player. None at all once there
    are no more of the second kind, as then the rest can be counted out.
    """
    single, unsafe = sides(across, down, stride, boxes)
    closing_across = across & (single | (single << stride))
    closing_down = down & (single | (single << ONE))
    safe_across = across & ~(unsafe | (unsafe << stride))
    safe_down = down & ~(unsafe | (unsafe << ONE))
    is_safe = safe_across | safe_down
    return (
        given(is_safe, given(single, closing_across, safe_across), is_safe),
        given(is_safe, given(single, closing_down, safe_down), is_safe),
    )


@part
def _game(position: DotsPosition, state: Rng, is_guided: bool) -> Any:
    across, down, lead, seat, stride, boxes, enough = position
    all_boxes = np.int64(popcount(boxes))
    still = np.int64(popcount(open_boxes(across, down, stride, boxes)))
    mine = lead if seat == 0 else -lead
    while not is_over(across, down, mine, all_boxes - still, enough):
        first, second = across, down
        if is_guided:
            first, second = preferred(across, down, stride, boxes)
            if first | second == ZERO:
                rest = value_of_rest(spread(across), spread(down), stride, boxes)
                mine += np.int64(lane(rest, ZERO))
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


@part
def _games(position: DotsPosition, state: Rng, is_guided: bool, record: Array | None) -> Any:
    """Each lane has a seat of its own. One without edges to pick from waits for the others.

    `record`, None for none, is as `game.recorded_batch` has it.
    """
    stride, boxes = position.stride, position.boxes
    across, down, states = spread(position.across), spread(position.down), streams(state)
    still = popcounts(open_boxes(across, down, stride, boxes))
    lead = spread(np.uint64(position.lead))
    second_moves = spread(ZERO - np.uint64(position.seat))
    # is_over: closed + |lead| ≥ 2·enough
    last_open = popcount(boxes) - np.uint64(2 * position.enough)
    rows, columns = across, down
    first_rows, first_columns = spread(ZERO), spread(ZERO)
    while True:
        behind = less(lead, spread(ZERO))
        distance = (lead ^ behind) - behind
        playing = less(last_open + distance, still)
        first, second = across & playing, down & playing
        if is_guided:
            first, second = preferred(first, second, stride, boxes)
        if not any_set(first | second):
            break
        states, bits = draw(states)
        horizontal = popcounts(first)
        index = below(bits, horizontal + popcounts(second))
        is_across = less(index, horizontal)
        edge = nth_bits(
            (first & is_across) | (second & ~is_across), index - (horizontal & ~is_across)
        )
        if record is not None:
            first_rows |= edge & is_across & ~second_moves
            first_columns |= edge & ~(is_across | second_moves)
        across ^= edge & is_across
        down ^= edge & ~is_across
        left = popcounts(open_boxes(across, down, stride, boxes))
        won = still - left
        still = left
        lead += (won ^ second_moves) - second_moves
        second_moves ^= empty(won) & ~empty(edge)
    if is_guided:
        rest = value_of_rest(across & playing, down & playing, stride, boxes)
        lead += (rest ^ second_moves) - second_moves
    if record is not None:
        write(lead, record[0])
        write(first_rows, record[1])
        write(first_columns, record[2])
        write(rows & ~(across | first_rows), record[3])
        write(columns & ~(down | first_columns), record[4])
    wins, net = results(lead)
    return wins, net, lane(states, ZERO)


@answers(game.playout, DotsPosition)
def _playout(position: DotsPosition, state: Rng) -> Any:
    return _game(position, state, False)


@answers(game.guided, DotsPosition)
def _guided(position: DotsPosition, state: Rng) -> Any:
    return _game(position, state, True)


@answers(game.batch, DotsPosition)
def _batch(position: DotsPosition, state: Rng) -> Any:
    return _games(position, state, False, None)


@answers(game.guided_batch, DotsPosition)
def _guided_batch(position: DotsPosition, state: Rng) -> Any:
    return _games(position, state, True, None)


@answers(game.recorded_batch, DotsPosition)
def _recorded_batch(position: DotsPosition, state: Rng, record: Array | None) -> Any:
    return _games(position, state, False, record)


@answers(game.recorded_guided_batch, DotsPosition)
def _recorded_guided_batch(position: DotsPosition, state: Rng, record: Array | None) -> Any:
    return _games(position, state, True, record)
