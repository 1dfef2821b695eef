"""The exact search of dots endgames that stop once a seat has more than half of the boxes.

The boxes not played for any more go to no player, so what is known of chains and loops, which is
for all of the boxes, does not hold: this is alpha-beta over single edges.
"""

from typing import Any

import numpy as np

from players.compiled.bits import ONE, ZERO, is_set, lowest, popcount
from players.compiled.cache import kernel, part
from players.compiled.types import Array, Flag, Int, Word
from players.games import interface as game
from players.games.dots.board import VERTICAL, DotsPosition, is_over, open_boxes
from players.games.dots.endgame_rest import by_strings
from players.games.dots.endgame_table import (
    MOST,
    NO_MOVE,
    keep,
    least_of,
    most_of,
    move_of,
    new_record,
    place,
    recall,
)

LEAD = np.uint64(1 << 63)
"""No pool has this bit."""


@part
def majority_pool(lead: Int) -> Any:
    """What these positions keep in place of a pool: the mover's lead."""
    return LEAD | np.uint64(lead + MOST)


@part
def closing_first(across: Word, down: Word, position: DotsPosition) -> Any:
    """Those of the edges to be tried first: such as close a box; if there are none, all."""
    ones, _, _ = by_strings(position.across, position.down, position.boxes, position.stride)
    rows, columns = across & (ones | (ones << position.stride)), down & (ones | (ones << ONE))
    return (rows, columns) if rows | columns != ZERO else (across, down)


@kernel
def search_majority(
    position: DotsPosition,
    low: int,
    high: int,
    table: Array,
    largest: int,
    nodes: Array,
    stop: Flag,
) -> Any:
    """The mover's final margin: exact between `low` and `high`, else a bound (fail-soft)."""
    across, down, lead, seat, stride, boxes, enough = position
    mine = lead if seat == 0 else -lead
    still = np.int64(popcount(open_boxes(across, down, stride, boxes)))
    if is_over(across, down, lead, np.int64(popcount(boxes)) - still, enough):
        return mine
    nodes[0] += 1
    if is_set(stop):
        return 0
    pool = majority_pool(mine)
    slot = place(across, down, pool, table)
    record = recall(across, down, pool, slot, table)
    least, most = max(least_of(record), mine - still), min(most_of(record), mine + still)
    if least >= high or least == most:
        return least
    if most <= low:
        return most

    edges = np.int64(popcount(across) + popcount(down))
    floor, ceiling = max(low, least), min(high, most)
    best, best_move, known = np.int64(-MOST), np.int64(NO_MOVE), move_of(record)
    while across | down != ZERO and best < ceiling:
        rows, columns = closing_first(across, down, position)
        move = known
        if known != NO_MOVE:
            known = np.int64(NO_MOVE)
        elif rows != ZERO:
            move = np.int64(lowest(rows))
        else:
            move = VERTICAL + np.int64(lowest(columns))
        edge = ONE << np.uint64(move & 63)
        if move < VERTICAL:
            across ^= edge
        else:
            down ^= edge
        child = game.play(position, move)
        if child.seat == seat:
            value = search_majority(child, floor, ceiling, table, largest, nodes, stop)
        else:
            value = -search_majority(child, -ceiling, -floor, table, largest, nodes, stop)
        if value > best:
            best, best_move = value, move
        floor = max(floor, best)
    if is_set(stop):
        return 0
    if best > max(low, least):
        least = best
    if best < ceiling:
        most = best
    keep(
        position.across,
        position.down,
        pool,
        new_record(least, most, best_move, edges),
        slot,
        table,
        largest,
    )
    return best
