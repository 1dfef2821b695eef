"""The exact endgame of dots and boxes.

Where the game stops at a majority the other boxes go to no player, and what is known of chains and
loops does not hold: `search_majority` is alpha-beta over single edges.
"""

from typing import Any

import numpy as np

from players.compiled.bits import ONE, ZERO, is_set, popcount
from players.compiled.cache import answers, kernel, part
from players.compiled.types import Array, Flag, Int
from players.games import endgame
from players.games import interface as game
from players.games.dots import endgame_board as boards
from players.games.dots import endgame_table as records
from players.games.dots.board import (
    VERTICAL,
    WHOLE_GAME,
    DotsBits,
    DotsBoard,
    first_edge,
    flip,
    is_over,
    open_boxes,
)
from players.games.dots.endgame_rest import by_strings, core_of, double_dealing_cost, pooled
from players.games.dots.endgame_search import search
from players.games.dots.endgame_table import NO_MOVE
from players.games.endgame import Endgame, Solution

REACH, MAJORITY_REACH = 41, 20
"""Edges left in positions solved in a second, playing for all boxes and for a majority."""
WHOLE_REACH_FROM, NARROWED = 60, 0.55
"""The edges of a board, those of 5×5, from which on REACH holds, and how much less it is for each
edge fewer: with as many edges left, a smaller board has fewer of them in chains. In the median of
14 positions a second is enough for 30 edges of 4×4 and 34 of 4×5.
"""


LEAD = np.uint64(1 << 63)
"""No pool has this bit."""


@part
def majority_pool(lead: Int) -> Any:
    """In place of a pool: the mover's lead."""
    return LEAD | np.uint64(lead + records.MOST)


@kernel
def search_majority(
    position: DotsBits,
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
    slot = records.place(across, down, pool, table)
    record = records.recall(across, down, pool, slot, table)
    least = max(records.least_of(record), mine - still)
    most = min(records.most_of(record), mine + still)
    if least >= high or least == most:
        return least
    if most <= low:
        return most

    edges = np.int64(popcount(across) + popcount(down))
    floor, ceiling = max(low, least), min(high, most)
    best, best_move, known = np.int64(-records.MOST), np.int64(NO_MOVE), records.move_of(record)
    ones, _, _ = by_strings(across, down, boxes, stride)
    closing_rows, closing_columns = ones | (ones << stride), ones | (ones << ONE)
    while across | down != ZERO and best < ceiling:
        rows, columns = across & closing_rows, down & closing_columns
        if rows | columns == ZERO:
            rows, columns = across, down
        move = known
        if known != NO_MOVE:
            known = np.int64(NO_MOVE)
        else:
            move = first_edge(rows, columns)
        across, down = flip(move, across, down)
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
    record = records.new_record(least, most, best_move, edges)
    records.keep(position.across, position.down, pool, record, slot, table, largest)
    return best


@part
def stops_at_majority(position: DotsBits) -> Any:
    return position.enough <= WHOLE_GAME


@kernel
def margin_between(
    position: DotsBits, low: int, high: int, table: Array, nodes: Array, stop: Flag
) -> Any:
    """`solve`, with an int64[1] that counts the nodes."""
    across, down, lead, seat, stride, boxes, _ = position
    lead = lead if seat == 0 else -lead
    fixed = boards.fixed_by(position)
    if stops_at_majority(position):
        limits = np.int64(low), np.int64(high)  # see `search` on literals
        return search_majority(position, *limits, table, fixed.largest, nodes, stop)
    still = open_boxes(across, down, stride, boxes)
    core_across, core_down = core_of(across, down, boxes, stride)
    rest = open_boxes(core_across, core_down, stride, boxes)
    cost = double_dealing_cost(across, down, still & ~rest, stride)
    core_across, core_down = boards.with_corners_across(core_across, core_down, fixed)
    left = np.int64(popcount(rest))
    taken = np.int64(popcount(still)) - left

    scratch = boards.new_scratch(fixed)
    least, most = lead - taken - left, lead + taken + left
    bound = lead
    while least < most and least < high and low < most and not is_set(stop):
        bound = max(min(bound, high), low + 1)
        bound += (most - bound) & 1
        bound = max(min(bound, most), least + 2)
        core = core_across, core_down, ZERO, left, taken, cost, bound - lead
        value = lead + search(*core, fixed, table, scratch, nodes, stop)
        if value >= bound:
            least, bound = value, value + 2
        else:
            most, bound = value, value
    return most if most <= low else least


@answers(endgame.solve, DotsBits)
def _solve(position: DotsBits, low: Int, high: Int, table: Array, stop: Flag) -> Any:
    nodes = np.zeros(1, np.int64)
    return margin_between(position, np.int64(low), np.int64(high), table, nodes, stop)


@part
def known_move(position: DotsBits, table: Array) -> Any:
    """The table's move for a position without captures, or NO_MOVE; maybe none of its own."""
    across, down, lead, seat, stride, boxes, _ = position
    pool = majority_pool(lead if seat == 0 else -lead)
    fixed, turn = boards.fixed_by(position), 0
    if not stops_at_majority(position):
        across, down = boards.with_corners_across(across, down, fixed)
        across, down, pool, _ = pooled(across, down, ZERO, 0, boxes, stride)
        if boards.is_far(across, down, fixed):
            across, down, turn = boards.canonical(across, down, fixed)
    slot = records.place(across, down, pool, table)
    move = records.move_of(records.recall(across, down, pool, slot, table))
    return boards.move_before(move, turn, position.across, position.down, fixed) if turn else move


@part
def candidates(position: DotsBits, moves: Array) -> Any:
    """Write the moves of which one is best to `moves`: boxes to take or hand over; their number."""
    across, down, stride, boxes = position.across, position.down, position.stride, position.boxes
    count = game.moves(position, moves)
    core_across, core_down = core_of(across, down, boxes, stride)
    takeable = open_boxes(across, down, stride, boxes)
    takeable &= ~open_boxes(core_across, core_down, stride, boxes)
    if takeable == ZERO or stops_at_majority(position):
        return count
    rows, columns = takeable | (takeable << stride), takeable | (takeable << ONE)
    chosen = np.int64(0)
    for index in range(count):
        move = np.int64(moves[index])
        near = rows if move < VERTICAL else columns
        if near & (ONE << np.uint64(move & 63)) != ZERO:
            moves[chosen] = move
            chosen += 1
    return chosen


@part
def best_move(
    position: DotsBits, margin: Int, moves: Array, table: Array, nodes: Array, stop: Flag
) -> Any:
    """A move that keeps the `margin` of a position, or NO_MOVE: after the end or once stopped."""
    count = candidates(position, moves)
    known = known_move(position, table)
    for index in range(count):
        if moves[index] == known:
            moves[0], moves[index] = moves[index], moves[0]
    for index in range(count):
        child = game.play(position, np.int64(moves[index]))
        if child.seat == position.seat:
            value = margin_between(child, margin - 1, margin, table, nodes, stop)
        else:
            value = -margin_between(child, -margin, 1 - margin, table, nodes, stop)
        if is_set(stop):
            break
        if value >= margin:
            return np.int64(moves[index])
    return np.int64(NO_MOVE)


@kernel
def follow(
    position: DotsBits, margin: int, line: Array, table: Array, nodes: Array, stop: Flag
) -> Any:
    """Write the principal variation of a position of known margin to `line`; its length."""
    moves = np.empty(game.MOVES, np.int16)
    length = 0
    while True:
        move = best_move(position, margin, moves, table, nodes, stop)
        if move == NO_MOVE:
            return length
        line[length] = move
        length += 1
        seat = position.seat
        position = game.play(position, move)
        margin = margin if position.seat == seat else -margin


class DotsEndgame(Endgame):
    def __init__(self, board: DotsBoard, memory_mb: int) -> None:
        super().__init__(board)
        fewer = max(WHOLE_REACH_FROM - len(board.moves), 0)
        whole = REACH - round(NARROWED * fewer)
        self.reach = whole if board.enough > WHOLE_GAME else min(whole, MAJORITY_REACH)
        self.memory = records.new_table(memory_mb)

    def best(self, position: DotsBits, stop: Flag) -> Solution | None:
        nodes, line = np.zeros(1, np.int64), np.zeros(game.MOVES, np.int16)
        margin = int(
            margin_between(position, -records.MOST, records.MOST, self.memory, nodes, stop)
        )
        length = int(follow(position, margin, line, self.memory, nodes, stop))
        if stop[0] and not length:
            return None
        pv = [self._names[move] for move in line[:length]]
        return Solution(pv[0] if pv else "", margin, pv, int(nodes[0]))
