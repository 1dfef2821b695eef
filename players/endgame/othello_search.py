"""The exact search of Othello endgames: principal variation search over the whole rest.

Values are the mover's final margin in discs, fail-soft. Positions with few empty squares are left
to `othello_last`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from players.endgame.othello_last import NONE, can_move, few, margin, odd_quadrants
from players.endgame.othello_memory import (
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
from players.kernels.bits import ONE, ZERO, lowest, popcount
from players.kernels.cache import kernel
from players.kernels.lines import beside, bracketing, flips, unbracketable

FEW = 6
"""Positions with so many empty squares are searched without a table."""

TWO = np.uint64(2)
LIST = np.uint64(2)


@kernel
def search(own: Any, other: Any, left: int, low: int, high: int, ground: Any) -> Any:
    """The value with `left` empty squares."""
    count_node(ground)
    if left > 8 and load_shared(ground.stop) != ZERO:
        return 0
    bucket, tag = place(own, other, ground)
    record = recall(own, other, bucket)
    least, most = least_of(record), most_of(record)
    if least >= high or least == most:
        store(ground.work, ONE, move_of(record))
        return least
    if most <= low:
        return most
    floor, ceiling = max(low, least), min(high, most)

    empties = ground.playable & ~(own | other)
    moves = empties & (ground.free | bracketing(own, other))
    if moves == ZERO:
        if not can_move(other, own, empties, ground.free):
            return margin(own, other)
        value = np.int64(0)
        if left <= FEW:
            value = few(other, own, -high, -low, ground)
        else:
            value = search(other, own, left, -high, -low, ground)
        return -value

    odd = odd_quadrants(empties, ground)
    anchors = unbracketable(ground.playable)
    known = move_of(record)
    first = TWO + np.uint64(left * (left - 1))
    count = ZERO
    while moves != ZERO:
        square = lowest(moves)
        disc = moves & (ZERO - moves)
        moves ^= disc
        turned = flips(square, own, other)
        after, mine = other ^ turned, own | turned | disc
        rank = np.uint64(1 << 40)
        if square == known:
            rank = np.uint64(1 << 50)
        else:
            replies = (empties ^ disc) & (ground.free | bracketing(after, mine))
            rank -= (popcount(replies) + popcount(replies & anchors)) << np.uint64(15)
            rank -= popcount(beside(mine) & empties) << np.uint64(10)
            if disc & odd != ZERO:
                rank += np.uint64(1 << 13)
            if disc & anchors != ZERO:
                rank += np.uint64(1 << 15)
        at = first + (count << ONE)
        store(ground.work, at, rank << np.uint64(6) | square)
        store(ground.work, at + ONE, turned)
        count += ONE

    best, best_move = np.int64(NONE), NO_MOVE
    low = floor
    for index in range(count):
        at = first + (np.uint64(index) << ONE)
        top = load(ground.work, at)
        best_at = at
        for rest in range(index + 1, count):
            each = first + (np.uint64(rest) << ONE)
            rank = load(ground.work, each)
            if rank > top:
                top, best_at = rank, each
        turned = load(ground.work, best_at + ONE)
        store(ground.work, best_at, load(ground.work, at))
        store(ground.work, best_at + ONE, load(ground.work, at + ONE))
        square = top & np.uint64(63)
        after, mine = other ^ turned, own | turned | ONE << square

        value = np.int64(0)
        narrow = index > 0 and ceiling - floor > 1
        if narrow:
            if left - 1 <= FEW:
                value = -few(after, mine, -floor - 1, -floor, ground)
            else:
                value = -search(after, mine, left - 1, -floor - 1, -floor, ground)
        if not narrow or floor < value < ceiling:
            if left - 1 <= FEW:
                value = -few(after, mine, -ceiling, -floor, ground)
            else:
                value = -search(after, mine, left - 1, -ceiling, -floor, ground)
        if value > best:
            best, best_move = value, square
            if value >= ceiling:
                break
            floor = max(floor, value)
    if left > 8 and load_shared(ground.stop) != ZERO:
        return 0
    if best < ceiling:
        most = min(most, best)
        if best <= low and known != NO_MOVE:
            best_move = known
    if best > low:
        least = max(least, best)
    keep(own, other, bucket, new_record(least, most, best_move, np.uint64(left), tag), ground)
    store(ground.work, ONE, best_move)
    return best
