"""Alpha-beta between the slider and a placer that puts tiles where they annoy most.

Values are thousandths of the evaluation, from the mover's view. The slider moves where a tile was
just placed, the placer after a slide; every line ends after a slide.
"""

from typing import NamedTuple

import numpy as np

from players.compiled.bits import ONE, ZERO, is_set, mix
from players.compiled.cache import bare_kernel, part
from players.games.interface import NO_MOVE
from players.games.tiles.heuristic import Heuristic, evaluate, most_annoying
from players.games.tiles.interface import CELLS, SLIDES, Laws, placed, slid
from players.ntuple.board import words
from players.options import DEEPEST_HEURISTIC as DEEPEST
from players.search.alphabeta import table as entries
from players.search.alphabeta.ordering import extend_line
from players.search.types import Array, Flag, Int, Move, Record, Tiles

PLIES = 2 * DEEPEST
"""No search looks more slides and placements ahead."""

THOUSANDTHS = 1000.0

WIN = 1_000_000_000
"""The value of the end of the game to the placer, less a ply each that it takes."""
SURE = WIN - PLIES
"""A value so far from 0 is no estimate."""
INFINITY = WIN + 1

MOST_MOVES = 2 * CELLS
"""No position has more to choose from: two tiles on each cell."""

Scratch = np.dtype(
    [
        ("moves", np.int16, (PLIES + 1, MOST_MOVES)),  # slides, placements as in `most_annoying`
        ("line", np.int16, (PLIES + 2, PLIES + 2)),  # from each ply, ended by NO_MOVE
        ("killers", np.int16, PLIES + 1),  # the slide that was best last at a ply
        ("nodes", np.int64),  # positions visited
        ("node_limit", np.int64),  # stop at that many
        ("stopped", np.int64),  # not 0 once stopped: then the result of the search means nothing
        ("generation", np.int64),  # which of the table's entries are new
        ("order", np.int64, MOST_MOVES),  # the root's choices, the best of the last depth first …
        ("worths", np.float64, MOST_MOVES),  # … and their worths
        ("choice", np.int64),  # the best choice …
        ("worth", np.float64),  # … and its worth
        ("end", np.int64),  # after how many plies it ends the game, if any
    ],
    align=True,
)
"""The memory of a search, and its limit."""


class TileContext(NamedTuple):
    heuristic: Heuristic
    table: Array
    """A transposition table of alpha-beta's form; empty to go without."""
    stop: Flag


@part
def play(board: Tiles, move: Move, laws: Laws) -> tuple[Tiles, bool]:
    """(the board after a slide or a placement, whether that changed it)."""
    if move < SLIDES:
        after, changed, _ = slid(board, move, laws)
        return after, changed
    cell = np.uint64((move - SLIDES) >> 1)
    return placed(board, cell, laws.rare if (move - SLIDES) & 1 else laws.common), True


@part
def order_slides(first: Move, second: Move, out: Array) -> Int:
    """Write all slides to `out`, these two before the others; their number."""
    count = 0
    for slide in (first, second):
        if slide != NO_MOVE and (count == 0 or slide != first):
            out[count] = slide
            count += 1
    for slide in range(SLIDES):
        if slide not in (first, second):
            out[count] = slide
            count += 1
    return count


@part
def from_here(value: Int, ply: Int) -> Int:
    """A slider's value as the table has it: a sure end counts its plies from the position."""
    return value - ply if value <= -SURE else value


@bare_kernel
def search(
    board: Tiles, plies: int, alpha: int, beta: int, ply: int, context: TileContext, scratch: Record
) -> Int:
    """The value of `board` for its mover, looking `plies` slides and placements ahead (fail-soft):
    the slider's where `plies` is odd; at 0 and on a full board before a placement it is evaluated.

    Once stopped, by `context.stop` or the limit on nodes, it sets `scratch.stopped` and returns at
    once with a meaningless value; nothing of that is stored.
    """
    scratch.nodes += 1
    scratch.line[ply, 0] = NO_MOVE
    heuristic, table, moves = context.heuristic, context.table, scratch.moves[ply]
    if plies == 0:
        return np.int64(-THOUSANDTHS * evaluate(board, heuristic))
    if is_set(context.stop) or scratch.nodes >= scratch.node_limit:
        scratch.stopped = 1
        return np.int64(0)
    is_slider = plies & 1 == 1
    key, bucket = ZERO, np.int64(0)
    if is_slider:
        stored = np.int64(NO_MOVE)
        if len(table):
            first, second = words(board)
            key = mix(mix(ONE, first), second)
            bucket = entries.bucket_of(table, key, plies, np.int64(0))
            data = entries.look_up(table, bucket, key)
            if data != ZERO:
                stored = entries.field(data, entries.MOVE)
                known = from_here(entries.value_of(data), -ply)
                enough = entries.settles(entries.field(data, entries.BOUND), known, alpha, beta)
                if enough and entries.field(data, entries.DEPTH) == plies and ply > 0:
                    return np.int64(known)
        count = order_slides(stored, np.int64(scratch.killers[ply]), moves)
    else:
        count = most_annoying(board, heuristic, moves)

    best, best_move, floor = np.int64(-INFINITY), np.int64(NO_MOVE), np.int64(alpha)
    for index in range(count):
        move = np.int64(moves[index])
        child, changed = play(board, move, heuristic.laws)
        if not changed:
            continue
        value = -search(child, plies - 1, -beta, -floor, ply + 1, context, scratch)
        if scratch.stopped:
            return np.int64(0)
        if value > best:
            best, best_move = value, move
            if value > floor:
                floor = value
                extend_line(ply, move, scratch)
            if value >= beta:
                break
    if best_move == NO_MOVE:
        if is_slider:
            return np.int64(ply - WIN)
        return np.int64(-THOUSANDTHS * evaluate(board, heuristic))
    if is_slider:
        scratch.killers[ply] = best_move
        if len(table):
            bound = entries.bound_of(best, alpha, beta)
            value = from_here(best, ply)
            entries.keep(table, bucket, key, value, best_move, plies, bound, scratch.generation)
    return best
