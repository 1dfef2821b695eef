"""Principal variation search with iterative deepening, written once for every game.

Values are hundredths of a disc or box from the mover's view; a finished game is worth WIN more than
its margin to the winner, so any won game beats any estimate. The sign changes only where the mover
does: after a pass or a closed box the same player goes on.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from players.kernels import game
from players.kernels.bits import is_set
from players.kernels.boards import Board
from players.kernels.cache import kernel, one_at_a_time, part

WIN = 1_000_000
"""More than any estimate."""

INFINITY = 2_000_000
EXACT, AT_LEAST, AT_MOST = 0, 1, 2
"""What a stored value says of the true one."""

TO_THE_END = game.PLIES
"""The depth of a value that rests on no estimate."""

NO_MOVE = -1
FIRST, KILLER = 1 << 40, 1 << 32
"""Ordering: the stored move before all others, killers before history."""


class Table(NamedTuple):
    """The transposition table: one entry a slot, the slot given by the key's lowest bits."""

    key: Any
    """uint64"""
    value: Any
    """int32"""
    move: Any
    """int16: the best move found, or NO_MOVE."""
    depth: Any
    """int16: how deep the value was searched, or TO_THE_END; −1 in an empty slot."""
    bound: Any
    """int8: EXACT, AT_LEAST or AT_MOST."""


SLOT_BYTES = 17


def new_table(memory_mb: int) -> Table:
    """An empty table: as many slots, a power of two, as fit."""
    slots = 1 << (memory_mb * 1_000_000 // SLOT_BYTES).bit_length() - 1
    return Table(
        key=np.zeros(slots, np.uint64),
        value=np.zeros(slots, np.int32),
        move=np.full(slots, NO_MOVE, np.int16),
        depth=np.full(slots, -1, np.int16),
        bound=np.zeros(slots, np.int8),
    )


class Scratch(NamedTuple):
    """What one search writes as it goes."""

    moves: Any
    """int16[PLIES, MOVES]"""
    order: Any
    """int64[PLIES, MOVES]: the moves' ranks."""
    line: Any
    """int16[PLIES + 1, PLIES + 1]: the principal variation from each ply, ended by NO_MOVE."""
    killers: Any
    """int16[PLIES, 2]: the moves that last refuted others at a ply."""
    history: Any
    """int64[2, MOVES]: how much a move has refuted, by seat."""
    count: Any
    """int64[2]: nodes searched; estimates taken, 0 when a search saw every game to its end."""


def new_scratch() -> Scratch:
    """Empty scratch memory."""
    return Scratch(
        moves=np.zeros((game.PLIES, game.MOVES), np.int16),
        order=np.zeros((game.PLIES, game.MOVES), np.int64),
        line=np.full((game.PLIES + 1, game.PLIES + 1), NO_MOVE, np.int16),
        killers=np.full((game.PLIES, 2), NO_MOVE, np.int16),
        history=np.zeros((2, game.MOVES), np.int64),
        count=np.zeros(2, np.int64),
    )


@part
def final_value(position: Any) -> Any:
    """The value of a finished game for `position.seat`."""
    net = np.int64(game.net(position))
    value = 100 * net + WIN * np.int64(np.sign(net))
    return value if position.seat == 0 else -value


@part
def rank_moves(position: Any, ply: Any, count: Any, stored: Any, scratch: Any) -> None:
    """Ranks for the moves of `ply`, highest to be tried first."""
    for index in range(count):
        move = np.int64(scratch.moves[ply, index])
        if move == stored:
            rank = FIRST
        else:
            rank = scratch.history[position.seat, move]
            rank += np.int64(game.priority(position, move)) << 24
            if move == scratch.killers[ply, 0] or move == scratch.killers[ply, 1]:
                rank += KILLER
        scratch.order[ply, index] = rank


@part
def take_best(ply: Any, index: Any, count: Any, scratch: Any) -> Any:
    """Bring the best-ranked of the moves from `index` on to `index`; that move."""
    moves, order = scratch.moves, scratch.order
    best = index
    for other in range(index + 1, count):
        if order[ply, other] > order[ply, best]:
            best = other
    move, rank = moves[ply, best], order[ply, best]
    moves[ply, best], order[ply, best] = moves[ply, index], order[ply, index]
    moves[ply, index], order[ply, index] = move, rank
    return np.int64(move)


@part
def remember_refutation(position: Any, move: Any, depth: Any, ply: Any, scratch: Any) -> None:
    """`move` cut the others off."""
    if scratch.killers[ply, 0] != move:
        scratch.killers[ply, 1] = scratch.killers[ply, 0]
        scratch.killers[ply, 0] = move
    scratch.history[position.seat, move] += depth * depth


@part
def extend_line(ply: Any, move: Any, scratch: Any) -> None:
    """The line from `ply` is `move` and the line from the next ply."""
    line = scratch.line
    line[ply, 0] = move
    index = 0
    while line[ply + 1, index] != NO_MOVE:
        line[ply, index + 1] = line[ply + 1, index]
        index += 1
    line[ply, index + 1] = NO_MOVE


@part
def from_view(sign: Any, low: Any, high: Any) -> Any:
    """The window as the next mover sees it: the same player's when `sign` is 1."""
    return (low, high) if sign == 1 else (-high, -low)


@kernel
def search(
    position: Any,
    depth: int,
    alpha: int,
    beta: int,
    ply: int,
    terms: Any,
    table: Any,
    scratch: Any,
    stop: Any,
) -> Any:
    """The value of `position` for its mover, searched `depth` moves deep (fail-soft).

    Once `stop` is set it returns at once with a meaningless value; nothing of that is stored.
    """
    scratch.count[0] += 1
    scratch.line[ply, 0] = NO_MOVE
    count = game.moves(position, scratch.moves[ply])
    if count == 0:
        return final_value(position)
    if depth <= 0:
        scratch.count[1] += 1
        return np.int64(game.evaluate(position, terms))
    if is_set(stop):
        return 0

    key = game.key(position)
    slot = np.int64(key & np.uint64(len(table.key) - 1))
    stored = np.int64(NO_MOVE)
    if table.key[slot] == key and table.depth[slot] >= 0:
        stored = np.int64(table.move[slot])
        known, bound = np.int64(table.value[slot]), table.bound[slot]
        deep = table.depth[slot] >= depth and ply > 0
        if deep and (
            bound == EXACT
            or (bound == AT_LEAST and known >= beta)
            or (bound == AT_MOST and known <= alpha)
        ):
            scratch.count[1] += table.depth[slot] != TO_THE_END
            return known

    rank_moves(position, ply, count, stored, scratch)
    estimates = scratch.count[1]
    best, best_move, floor = np.int64(-INFINITY), np.int64(NO_MOVE), np.int64(alpha)
    for index in range(count):
        move = take_best(ply, index, count, scratch)
        child = game.play(position, move)
        sign = 1 if child.seat == position.seat else -1
        value = np.int64(0)
        narrow = index > 0 and beta - floor > 1
        if narrow:
            low, high = from_view(sign, floor, floor + 1)
            value = sign * search(child, depth - 1, low, high, ply + 1, terms, table, scratch, stop)
        if not narrow or floor < value < beta:
            low, high = from_view(sign, floor, beta)
            value = sign * search(child, depth - 1, low, high, ply + 1, terms, table, scratch, stop)
        if is_set(stop):
            return 0
        if value > best:
            best, best_move = value, move
            if value > floor:
                floor = value
                extend_line(ply, move, scratch)
                if value >= beta:
                    remember_refutation(position, move, depth, ply, scratch)
                    break
    table.key[slot] = key
    table.value[slot] = best
    table.move[slot] = best_move
    table.depth[slot] = TO_THE_END if scratch.count[1] == estimates else depth
    table.bound[slot] = AT_LEAST if best >= beta else (EXACT if best > alpha else AT_MOST)
    return best


def load_kernels(position: Any, terms: Any) -> None:
    """Load from the cache, or compile, what a search of positions of this type calls."""
    table, scratch, stop = new_table(1), new_scratch(), np.zeros(1, np.int64)
    with one_at_a_time():
        search(position, 1, -INFINITY, INFINITY, 0, terms, table, scratch, stop)


class Found(NamedTuple):
    """What a search found."""

    move: str
    score: float
    """What the mover will win by, in discs or boxes: estimated, or exact when `exact`."""
    depth: int
    """The deepest search that was finished."""
    nodes: int
    exact: bool
    """Whether every line was searched to the end of the game."""
    pv: list[str]
    """The principal variation, the move first."""


def in_points(value: int) -> float:
    """A search's value in discs or boxes."""
    if abs(value) >= WIN // 2:
        value -= WIN if value > 0 else -WIN
    return value / 100


class AlphaBetaSearch:
    """Iterative deepening with a transposition table that serves a whole game."""

    def __init__(self, board: Board, *, terms: Any, memory_mb: int) -> None:
        self._board = board
        self._terms = terms
        self._table = new_table(memory_mb)
        self._scratch = new_scratch()

    def think(self, position: Any, stop: Any, depth_limit: int | None) -> Found:
        """Search deeper and deeper until `stop` is set, the game is seen to its end or
        `depth_limit` is reached. One move deep is always searched.
        """
        scratch = self._scratch
        scratch.killers[:] = NO_MOVE
        scratch.history[:] = scratch.history // 8
        scratch.count[0] = 0
        found = self._search(position, 1, np.zeros(1, np.int64))
        while not found.exact and found.depth != depth_limit:
            deeper = self._search(position, found.depth + 1, stop)
            if stop[0]:
                break
            found = deeper
        return found._replace(nodes=int(scratch.count[0]))

    def _search(self, position: Any, depth: int, stop: Any) -> Found:
        """One search of the whole window, meaningless once `stop` is set."""
        self._scratch.count[1] = 0
        limits = (depth, -INFINITY, INFINITY, 0)
        value = int(search(position, *limits, self._terms, self._table, self._scratch, stop))
        exact = not self._scratch.count[1]
        pv = self._line()
        return Found(pv[0] if pv else "", in_points(value), depth, 0, exact, pv)

    def _line(self) -> list[str]:
        row = self._scratch.line[0]
        length = int(np.argmax(row == NO_MOVE))
        return [self._board.names[move] for move in row[:length]]
