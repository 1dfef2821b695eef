"""The exact search of Othello endgames: principal variation search of all that is left.

Values are the mover's final margin in discs, fail-soft. Positions with few empty squares are left
to `othello_last`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from players.compiled.bits import ONE, ZERO, lowest, popcount
from players.compiled.cache import kernel, part
from players.games.othello.board import margin
from players.games.othello.endgame_last import NONE, can_move, few, odd_quadrants
from players.games.othello.endgame_memory import (
    NO_MOVE,
    count_node,
    keep,
    least_of,
    load,
    load_shared,
    most_of,
    move_of,
    new_record,
    place,
    recall,
    store,
)
from players.games.othello.endgame_ordering import rank
from players.games.othello.evaluation import stable
from players.games.othello.lines import bracketing, flips

FEW = 6
"""Positions with so many empty squares are searched without a table."""

UNSTOPPABLE = 8
"""Positions with so many are searched to the end whatever the flag says: it takes no time."""

AHEAD = 9
"""From so many on, the table is asked for all moves before the first is searched (enhanced
transposition cut-off)."""

KNOWN = 1 << 40
"""Beyond every rank: the table's move comes first."""

SQUARE, LOW_BITS = np.uint64(63), np.uint64(6)
BASE = 1 << 50
"""Makes ranks positive, to be kept in words with the square below."""


@part
def is_stopped(left: Any, ground: Any) -> Any:
    """Whether to give up a search of `left` empty squares."""
    return left > UNSTOPPABLE and load_shared(ground.stop) != ZERO


@part
def most_by_stability(other: Any, ground: Any) -> Any:
    """A margin the mover cannot exceed: the opponent keeps his stable discs."""
    lost = np.int64(popcount(stable(other, ground.playable)))
    return np.int64(popcount(ground.playable)) - 2 * lost


@part
def list_at(left: Any) -> Any:
    """Where in the work the moves of a ply are listed: two words each, ply after ply."""
    return np.uint64(2 + left * (left - 1))


@part
def take_best(first: Any, last: Any, ground: Any) -> Any:
    """Bring the best-ranked of the moves listed from `first` on to the front; (its square, what
    it turns).
    """
    best, top = first, load(ground.work, first)
    each = first + np.uint64(2)
    while each < last:
        ranked = load(ground.work, each)
        if ranked > top:
            best, top = each, ranked
        each += np.uint64(2)
    turned = load(ground.work, best + ONE)
    store(ground.work, best, load(ground.work, first))
    store(ground.work, best + ONE, load(ground.work, first + ONE))
    return top & SQUARE, turned


@kernel
def search(own: Any, other: Any, left: int, low: int, high: int, ground: Any) -> Any:
    """The value with `left` empty squares; the second word of the work is then the move it rests
    on. It means nothing once the flag is set, and is not kept.
    """
    count_node(ground)
    if is_stopped(left, ground):
        return 0
    if low >= 2 * left:
        bound = most_by_stability(other, ground)
        if bound <= low:
            return bound

    bucket, tag = place(own, other, ground)
    record = recall(own, other, bucket)
    least, most, known = least_of(record), most_of(record), move_of(record)
    if least >= high or least == most:
        store(ground.work, ONE, known)
        return least
    if most <= low:
        return most
    low, high = max(low, least), min(high, most)

    empties = ground.playable & ~(own | other)
    moves = empties & (ground.free | bracketing(own, other))
    if moves == ZERO:
        if not can_move(other, own, empties, ground.free):
            return margin(own, other)
        return -search(other, own, left, -high, -low, ground)

    odd = odd_quadrants(empties, ground)
    first = last = list_at(left)
    while moves != ZERO:
        square, disc = lowest(moves), moves & (ZERO - moves)
        moves ^= disc
        turned = flips(square, own, other)
        after, mine = other ^ turned, own | turned | disc
        if left >= AHEAD:
            there, _ = place(after, mine, ground)
            proven = -most_of(recall(after, mine, there))
            if proven > least:
                least, known = proven, square
            if least >= high:
                record = new_record(least, most, square, np.uint64(left), tag)
                keep(own, other, bucket, record, ground)
                store(ground.work, ONE, square)
                return least
        order = KNOWN if square == known else rank(after, mine, disc, left, odd, ground)
        store(ground.work, last, np.uint64(BASE + order) << LOW_BITS | square)
        store(ground.work, last + ONE, turned)
        last += np.uint64(2)

    low = max(low, least)
    best, best_move, floor = np.int64(NONE), NO_MOVE, low
    for each in range(first, last, np.uint64(2)):
        square, turned = take_best(np.uint64(each), last, ground)
        after, mine = other ^ turned, own | turned | ONE << square
        narrow = best != NONE and high - floor > 1
        ceiling = floor + 1 if narrow else high
        value = np.int64(0)
        while True:
            if left - 1 <= FEW:
                value = -few(after, mine, -ceiling, -floor, ground)
            else:
                value = -search(after, mine, left - 1, -ceiling, -floor, ground)
            if ceiling == high or not floor < value < high:
                break
            ceiling = high
        if value > best:
            best, best_move = value, square
            if value >= high:
                break
            floor = max(floor, value)
    if is_stopped(left, ground):
        return 0
    if best <= low and known != NO_MOVE:
        best_move = known  # which proved `least`
    if best > low:
        least = max(least, best)
    if best < high:
        most = min(most, best)
    keep(own, other, bucket, new_record(least, most, best_move, np.uint64(left), tag), ground)
    store(ground.work, ONE, best_move)
    return best
