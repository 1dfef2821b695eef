"""The exact search of dots endgames: null windows over cores.

A value is what the mover takes of the boxes left, less what the other player takes: its parity is
that of their number, so bounds move in steps of two. The search goes from core to core. A player
that can take boxes takes them all; but the one that opens a chain or loop next loses it, so it may
pay to leave the last two of a chain, or four of a loop, to the other player and with them the move.
If T boxes can be taken, the core G is worth V to its mover, and handing the move over costs C
boxes,

    value = max(T + V, T − C − (C + V)) = T − C + |V + C|.

See Barker and Korf, "Solving Dots-And-Boxes" (AAAI 2012), and Buzzard and Ciere, "Playing simple
loony dots and boxes endgames optimally" (2013).
"""

from typing import Any

import numpy as np

from players.compiled.bits import BYTE, ONE, ZERO, is_set, popcount
from players.compiled.cache import kernel, part
from players.compiled.types import Array, Flag, Word
from players.games.dots import endgame_board as boards
from players.games.dots import endgame_rest as rest
from players.games.dots import endgame_table as records
from players.games.dots.board import first_edge, flip
from players.games.dots.endgame_board import DotsRoot
from players.games.dots.endgame_table import NO_MOVE

KINDS = (rest.SHORT, rest.CHAINS, rest.LOOPS)


@part
def linking(across: Word, down: Word, joints: Word, fixed: DotsRoot) -> Any:
    """The safe edges between boxes of which one is of `joints`; if there are none, all."""
    stride = fixed.stride
    rows = across & fixed.boxes & (fixed.boxes << stride) & (joints | (joints << stride))
    columns = down & fixed.boxes & (fixed.boxes << ONE) & (joints | (joints << ONE))
    return (rows, columns) if rows | columns != ZERO else (across, down)


@kernel
def search(
    across: Word,
    down: Word,
    pool: Word,
    left: int,
    taken: int,
    cost: int,
    bound: int,
    fixed: DotsRoot,
    table: Array,
    scratch: Array,
    nodes: Array,
    stop: Flag,
) -> Any:
    """The value for a mover who can take `taken` boxes before the core, of `left` boxes, and may
    hand it over at a `cost` (0: may not), compared with `bound`, which has the value's parity:
    at least `bound`, and then the value is no less, or below it, and then it is no more.
    """
    if cost:
        # Called with a literal 0, search would be compiled once more for that type alone; and a
        # kernel that calls another version of itself does not survive numba's cache.
        none = np.int64(0)
        sure = taken - cost + (left & 1)
        if sure >= bound:
            return sure
        value = search(
            across, down, pool, left, none, none, bound - taken, fixed, table, scratch, nodes, stop
        )
        if value >= bound - taken:
            return taken + value
        least = taken - 2 * cost - bound
        if value > least:
            other = search(
                across, down, pool, left, none, none, least + 2, fixed, table, scratch, nodes, stop
            )
            if other > least:
                return max(taken + value, taken - 2 * cost - other)
            value = other
        return taken - 2 * cost - value

    bound -= taken
    if bound <= -left:
        return taken - left
    if bound > left:
        return taken + left
    across, down, pool, left = rest.pooled(across, down, pool, left, fixed.boxes, fixed.stride)
    nodes[0] += 1
    if is_set(stop):
        return 0
    far = boards.is_far(across, down, fixed)
    if far:
        across, down, _ = boards.canonical(across, down, fixed)
    slot = records.place(across, down, pool, table)
    record = records.recall(across, down, pool, slot, table)
    low, high = max(records.least_of(record), -left), min(records.most_of(record), left)
    if low >= bound:
        return taken + low
    if high < bound:
        return taken + high

    _, twos, joints = rest.by_strings(across, down, fixed.boxes, fixed.stride)
    rows = across & ~(twos | (twos << fixed.stride)) & ~boards.beside_corners(down, fixed)
    columns = down & ~(twos | (twos << ONE))  # those that open no chain, as the rows
    threes = joints & ~(across & (across >> fixed.stride) & down & (down >> ONE))
    known = records.move_of(record)
    best, best_move = np.int64(-records.MOST), known
    edges = np.int64(popcount(across) + popcount(down))
    chains = twos
    kind, index, count = 0, 0, 0
    if far:
        line = scratch[edges]
        count, best, last = boards.arrange(
            across, down, pool, left, rows, columns, threes, bound, known, fixed, table, line
        )
        if best >= bound:
            record = records.new_record(best, high, last, edges)
            records.keep(across, down, pool, record, slot, table, fixed.largest)
            return taken + best
        rows, columns = ZERO, ZERO
    while True:
        after_across, after_down, after_pool = across, down, pool
        offered, price = np.int64(0), 0
        move = np.int64(NO_MOVE)
        if rows | columns != ZERO or index < count:
            if index < count:
                move = np.int64(np.uint64(scratch[edges, index]) & BYTE)
                index += 1
            elif known != NO_MOVE:
                move = known
                known = np.int64(NO_MOVE)
            else:
                move = first_edge(*linking(rows, columns, threes, fixed))
            after_across, after_down = flip(move, across, down)
            rows, columns = rows & after_across, columns & after_down
        elif kind < len(KINDS):
            kind += 1
            if pool & KINDS[kind - 1] == ZERO:
                continue
            after_pool, offered, price = rest.take_shortest(pool, KINDS[kind - 1])
        elif chains != ZERO:
            chain = rest.tied_to(chains & (ZERO - chains), chains, across, down, fixed.stride)
            chains ^= chain
            after_across, after_down, offered, price = rest.take_chain(
                across, down, chain, fixed.boxes, fixed.stride
            )
        else:
            break
        value = -search(
            after_across,
            after_down,
            after_pool,
            left - offered,
            offered,
            price,
            2 - bound,
            fixed,
            table,
            scratch,
            nodes,
            stop,
        )
        if value > best:
            best = value
            if value >= bound:
                best_move = move
                break
    if is_set(stop):
        return 0
    if best >= bound:
        low = best
    else:
        high = best
    record = records.new_record(low, high, best_move, edges)
    records.keep(across, down, pool, record, slot, table, fixed.largest)
    return taken + best
