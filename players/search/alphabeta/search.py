"""The alpha-beta family as one recursion: minimax, alpha-beta and principal variation search.

They differ in a child's window; MTD(f) (Plaat et al. 1996) is alpha-beta called with empty windows
by the driver. Forced moves are played at once and cost no depth.

Values are hundredths of a disc or box, from the mover's view. A finished or solved game is worth
WIN more than its margin to the winner, so any won game beats any estimate.
"""

from typing import Any, NamedTuple

import numpy as np

from players.compiled.address import address_of, value_at
from players.compiled.bits import ZERO, is_set
from players.compiled.cache import bare_kernel, kernel, part
from players.compiled.prefetch import prefetch
from players.games import interface as game
from players.games.endgame import solved
from players.games.interface import NO_MOVE, candidates, canonical, count_moves, forced
from players.search.alphabeta import cuts, ordering, sharing
from players.search.alphabeta import table as entries
from players.search.alphabeta.cuts import WIN
from players.search.types import Array, Flag, Int, Move, Position, Record

PVS, ALPHABETA, MINIMAX = 0, 1, 2

INFINITY = 2_000_000
UNFINISHED = 3_000_000
"""In place of a value: the game is not over."""

UNKNOWN = 3_000_000
"""In place of an estimate."""

MOST = 128
"""More than anyone wins by."""


@part
def value_of_margin(margin: Int) -> Int:
    return np.int64(100 * margin + WIN * np.int64(np.sign(margin)))


@part
def final_value(position: Position) -> Int:
    """The mover's value of a finished game: hundredths of a disc or box, and WIN more."""
    net = np.int64(game.net(position))
    return value_of_margin(net if position.seat == 0 else -net)


@part
def highest_margin(value: Int) -> Int:
    """The highest margin that is worth no more than `value`."""
    if value >= 0:
        return min(max((value - WIN) // 100, 0), MOST)
    return max(min((value + WIN) // 100, -1), -MOST)


def in_points(value: int) -> float:
    """A value in discs or boxes."""
    if abs(value) >= WIN // 2:
        value -= WIN if value > 0 else -WIN
    return value / 100


class Context(NamedTuple):
    """What a search reads, and the tables it shares with others."""

    terms: Array
    table: Array
    memory: Any
    """Of the game's endgame solver."""
    stop: Flag
    marks: Array = sharing.ALONE
    """Of the positions that threads are searching."""


@part
def leaf_value(
    position: Position, estimate: Int, low: Int, high: Int, address: Any, scratch: Record
) -> Int:
    """The value of a position that is not searched: its estimate or, UNKNOWN, that of the end."""
    scratch.nodes += 1
    if estimate != UNKNOWN:
        scratch.estimates += 1
        return np.int64(estimate)
    if count_moves(position) == 0:
        return np.int64(final_value(position))
    context = value_at(address)
    below, above = highest_margin(low), -highest_margin(-high)
    margin = solved(position, below, above, context.memory, context.stop)
    scratch.stopped |= is_set(context.stop)
    return np.int64(value_of_margin(margin))


@bare_kernel
def search_below(
    position: Position,
    depth: int,
    alpha: int,
    beta: int,
    ply: int,
    known_estimate: int,
    address: Any,
    scratch: Record,
) -> Int:
    """The value of `position`, settled and not over, searched `depth` ≥ 1 moves deep (fail-soft);
    what `scratch.margins` allow is cut by shallower searches. `known_estimate` is that of the
    position or UNKNOWN, `address` that of the context.

    Once stopped, by `context.stop` or the limit on nodes, it sets `scratch.stopped` and returns at
    once with a meaningless value; nothing of that is stored.
    """
    scratch.nodes += 1
    scratch.line[ply, 0] = NO_MOVE
    context = value_at(address)
    if is_set(context.stop) or scratch.nodes >= scratch.node_limit:
        scratch.stopped = 1
        return np.int64(0)
    table = context.table
    is_to_the_end = np.int64(game.remaining(position)) - depth <= scratch.exact_from
    reach = entries.reach(position, depth, is_to_the_end, scratch)
    key, bucket = np.uint64(0), np.int64(0)
    if len(table):
        key = game.key(position)
        bucket = entries.bucket_of(table, key, depth, scratch.near)
        prefetch(table, bucket)

    margin = np.int64(0)
    if ply > 0:  # at the root a move is wanted
        margin += cuts.margin_at(position, depth, alpha, beta, scratch)
    shallow, bound, is_high = cuts.shallower(depth), np.int64(0), False
    is_promising = False
    estimate = np.int64(known_estimate)
    if margin > 0:
        middle = cuts.estimated(beta) if is_to_the_end else np.int64(beta)
        if estimate == UNKNOWN:
            estimate = np.int64(game.evaluate(position, context.terms))
        is_high = bool(estimate >= middle)
        bound += middle + margin if is_high else middle - margin
        if shallow == 0 and (estimate >= bound) == is_high:
            scratch.estimates += 1
            return cuts.edge(beta if is_high else alpha, is_high, is_to_the_end)
        is_promising = shallow > 0 and cuts.is_promising(abs(estimate - middle), margin, depth)

    stored = np.int64(NO_MOVE)
    if len(table):
        data = entries.look_up(table, bucket, key)
        if data == ZERO:
            if depth == 2:  # the last iteration looked one move ahead here
                stored = entries.move_for(table, key, np.int64(1), scratch.near)
        else:
            stored = entries.field(data, entries.MOVE)
            deep, known = entries.field(data, entries.DEPTH), entries.value_of(data)
            if not is_to_the_end and deep != entries.TO_THE_END:
                known = cuts.uncertain(known)
            enough = entries.settles(entries.field(data, entries.BOUND), known, alpha, beta)
            if enough and deep >= reach and ply > 0:
                scratch.estimates += deep != entries.TO_THE_END
                return np.int64(known)

    if is_promising:
        value = search_below(position, shallow, bound - 1, bound, ply, estimate, address, scratch)
        if scratch.stopped:
            return np.int64(0)
        if (value >= bound) == is_high:
            return cuts.edge(beta if is_high else alpha, is_high, is_to_the_end)
        scratch.line[ply, 0] = NO_MOVE
        if len(table):
            found = entries.move_for(table, key, shallow, scratch.near)
            stored = found if found != NO_MOVE else stored

    count = candidates(position, scratch.moves[ply])
    unranked = ordering.bring_forward(ply, count, stored, scratch)
    estimates = scratch.estimates
    best, best_move, floor = np.int64(-INFINITY), np.int64(NO_MOVE), np.int64(alpha)
    is_shared = len(context.marks) > 0 and depth >= sharing.SHARED_DEPTH
    is_ranked, index = False, np.int64(0)
    while index < count:
        if index == unranked and not is_ranked:
            ordering.rank_moves(position, ply, index, count, depth, context.terms, table, scratch)
            is_ranked = True
        if is_ranked:
            ordering.bring_best(ply, index, count, scratch)
        move = np.int64(scratch.moves[ply, index])
        child = ordering.settle(game.play(position, move))
        sign = 1 if child.seat == position.seat else -1
        left = np.int64(game.remaining(child))
        is_exact = left <= scratch.exact_from or count_moves(child) == 0
        estimate = np.int64(UNKNOWN)
        if not is_exact and depth >= ordering.SORTED_DEPTH:
            if is_ranked:
                estimate = np.int64(scratch.estimated[ply, move])
        elif not is_exact and (depth == 1 or scratch.margins[depth - 1, left] > 0):
            estimate = np.int64(
                game.evaluate_after(position, move, child, scratch.outlines[ply], context.terms)
                if is_ranked
                else game.evaluate(child, context.terms)
            )
        if is_shared:
            key_after = game.key(child)
            is_searched = index > 0 and sharing.is_searched(context.marks, key_after)
            if is_searched and ordering.put_off(ply, index, scratch):
                continue
            sharing.mark(context.marks, key_after)
        least, most = floor, np.int64(beta)
        if scratch.method == MINIMAX:
            least, most = np.int64(-INFINITY), np.int64(INFINITY)
        elif scratch.method == PVS and index > 0:
            most = np.int64(floor + 1)
        while True:
            low, high = (least, most) if sign == 1 else (-most, -least)
            if is_exact or depth == 1:
                scratch.line[ply + 1, 0] = NO_MOVE
                value = sign * leaf_value(child, estimate, low, high, address, scratch)
            else:
                value = sign * search_below(
                    child, depth - 1, low, high, ply + 1, estimate, address, scratch
                )
            if value < most or value >= beta or most >= beta or scratch.stopped:
                break
            most = np.int64(beta)
            if ply == 0:  # it is better than those before it, if the search is stopped now
                scratch.line[0, 0] = move
                scratch.line[0, 1] = NO_MOVE
        if is_shared:
            sharing.clear(context.marks, key_after)
        if scratch.stopped:
            return np.int64(0)
        if value > best:
            best, best_move = value, move
            if value > floor:
                floor = value
                ordering.extend_line(ply, move, scratch)
                if value >= beta:
                    if scratch.killers[ply, 0] != move:
                        scratch.killers[ply, 1] = scratch.killers[ply, 0]
                        scratch.killers[ply, 0] = move
                    scratch.history[position.seat, move] += depth * depth
                    break
        index += 1
    if len(table):
        if scratch.estimates == estimates:
            reach = np.int64(entries.TO_THE_END)
        bound = entries.bound_of(best, alpha, beta)
        entries.keep(table, bucket, key, best, best_move, reach, bound, scratch.generation)
    return best


@bare_kernel
def search(
    position: Position, depth: int, alpha: int, beta: int, context: Context, scratch: Record
) -> Int:
    """`search_below` from the root."""
    return search_below(
        position, depth, alpha, beta, np.int64(0), np.int64(UNKNOWN), address_of(context), scratch
    )


@part
def named(position: Position, child: Position, buffer: Array) -> Move:
    """The move of `position` that leads to what is `child` in canonical form, or NO_MOVE."""
    wanted = game.key(child)
    for index in range(game.moves(position, buffer)):
        move = np.int64(buffer[index])
        if game.key(canonical(game.play(position, move))) == wanted:
            return move
    return np.int64(NO_MOVE)


@kernel
def full_line(position: Position, context: Context, scratch: Record, out: Array) -> int:
    """Write forced moves, the line found, then the table's best moves to `out`; their number."""
    buffer = np.empty(game.MOVES, np.int16)
    count, index, on_line = 0, 0, True
    while count < len(out) and count_moves(position) > 0:
        move = np.int64(forced(position))
        if move == NO_MOVE:
            searched = canonical(position)
            if on_line:
                move = np.int64(scratch.line[0, index])
                index += 1
                on_line = move != NO_MOVE
            if move == NO_MOVE and len(context.table):
                key = game.key(searched)
                move = entries.move_for(context.table, key, np.int64(2), scratch.near)
                if move == NO_MOVE:
                    move = entries.move_for(context.table, key, np.int64(1), scratch.near)
            if move != NO_MOVE:
                move = named(position, canonical(game.play(searched, move)), buffer)
        if move == NO_MOVE:
            break
        out[count] = move
        count += 1
        position = game.play(position, move)
    return count


@kernel
def list_moves(position: Position, out: Array) -> Int:
    return np.int64(game.moves(position, out))


@kernel
def settled(position: Position) -> Position:
    return ordering.settle(position)


@kernel
def after(position: Position, move: int) -> Position:
    return game.play(position, np.int64(move))


@kernel
def moves_left(position: Position) -> Int:
    return np.int64(game.remaining(position))


@kernel
def value_at_end(position: Position) -> Int:
    """The value of a game that is over; UNFINISHED when it is not."""
    return np.int64(UNFINISHED) if count_moves(position) > 0 else final_value(position)
