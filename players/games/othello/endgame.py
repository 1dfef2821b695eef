"""The exact endgame of Othello on boards of 4×4, 6×6 and 8×8, any settings.

Values are final margins in discs as `rules/othello.py` counts them: empty squares count for none.
"""

from math import isqrt
from typing import Any, NamedTuple

import numpy as np

from players.compiled.bits import ZERO
from players.compiled.cache import answers, kernel, part
from players.compiled.pages import zeros
from players.compiled.types import Array, Flag, Int, Word
from players.games import endgame
from players.games import interface as game
from players.games.endgame import Endgame, Solution
from players.games.othello.board import OthelloBits
from players.games.othello.endgame_last import few
from players.games.othello.endgame_memory import (
    BEST,
    BUCKET,
    LISTS,
    MARKS,
    MOST_WORDS,
    NO_MOVE,
    WORST,
)
from players.games.othello.endgame_search import FEW, search
from players.games.othello.evaluation import PATTERNS
from players.games.othello.lines import unbracketable
from players.games.registry import Board

REACH_BOXED, REACH_FREE = 20, 19
"""Empty squares solved in a second, where moves must turn discs and where squares are free."""


class OthelloMemory(NamedTuple):
    """The memory of solved positions. Threads may share one."""

    words: Array
    """uint64[8 · (buckets + 1)]: the table (`endgame_memory`), to begin at a line of the cache."""
    buckets: Word
    """Their number."""
    west: Word
    """The left half of the board, then the upper half."""
    north: Word
    terms: Array
    """int32[:]: of an evaluation by patterns, to search good moves first; or nothing."""
    marks: Array
    """uint64[MARKS]: of positions that threads are searching; or nothing."""


def new_memory(size: int, memory_mb: int) -> OthelloMemory:
    """An empty table for boards of `size`: as many buckets as fit."""
    buckets = max(memory_mb * 1_000_000 // (8 * BUCKET), 2)
    half = range(size // 2)
    return OthelloMemory(
        zeros(BUCKET * (buckets + 1)),
        np.uint64(buckets),
        np.uint64(sum(1 << 8 * row + column for row in range(8) for column in half)),
        np.uint64(sum(1 << 8 * row + column for row in half for column in range(8))),
        np.zeros(0, np.int32),
        np.zeros(0, np.uint64),
    )


def new_work() -> Any:
    """The words of a search on any board."""
    return np.zeros(MOST_WORDS, np.uint64)


@part
def begin(position: OthelloBits, memory: OthelloMemory, work: Array, stop: Flag) -> Any:
    """Write the root to `work`; its address. The caller keeps the arrays."""
    line = np.uint64(8 * BUCKET - 1)
    work[2] = position.playable
    work[3] = position.free
    work[4] = unbracketable(position.playable)
    work[5], work[6] = memory.west, memory.north
    work[7] = position.own | position.other
    work[8] = np.uint64(memory.words.ctypes.data) + line & ~line
    work[9] = memory.buckets
    work[10] = np.uint64(stop.ctypes.data)
    work[11] = np.uint64(memory.terms.ctypes.data) if len(memory.terms) else ZERO
    work[12] = np.uint64(memory.marks.ctypes.data) if len(memory.marks) else ZERO
    return np.uint64(work.ctypes.data)


@kernel
def leaf_value(
    position: OthelloBits, low: int, high: int, memory: OthelloMemory, work: Array, stop: Flag
) -> Any:
    words = begin(position, memory, work, stop)
    left = np.int64(game.remaining(position))
    if left <= FEW:
        return few(position.own, position.other, low, high, words)
    return search(position.own, position.other, left, low, high, words)


@answers(endgame.solve, OthelloBits)
def _solve(position: OthelloBits, low: Int, high: Int, memory: OthelloMemory, stop: Flag) -> Any:
    left = np.int64(game.remaining(position))
    work = np.empty(LISTS + left * (left + 1), np.uint64)
    work[0] = 0
    return leaf_value(position, np.int64(low), np.int64(high), memory, work, stop)


@kernel
def root_value(
    position: OthelloBits, low: int, high: int, memory: OthelloMemory, work: Array, stop: Flag
) -> Any:
    """The value; work[0] counts the nodes, work[1] is the best move or NO_MOVE."""
    words = begin(position, memory, work, stop)
    work[1] = NO_MOVE
    left = np.int64(game.remaining(position))
    return search(position.own, position.other, left, low, high, words)


@kernel
def follow(
    position: OthelloBits,
    value: int,
    memory: OthelloMemory,
    work: Array,
    line: Array,
    stop: Flag,
) -> Any:
    """Write the principal variation of a position of known value to `line`; its length."""
    length = 0
    while stop[0] == 0:
        root_value(position, value - 1, value + 1, memory, work, stop)
        if work[1] == NO_MOVE or stop[0] != 0:
            break
        line[length] = work[1]
        length += 1
        seat = position.seat
        position = game.play(position, np.int64(work[1]))
        value = value if position.seat == seat else -value
    return length


class OthelloEndgame(Endgame):
    def __init__(self, board: Board, memory_mb: int) -> None:
        super().__init__(board)
        start = board.position({"board": (), "to_move": 0})
        self.reach = REACH_FREE if start.free else REACH_BOXED
        self.memory = new_memory(isqrt(len(board.moves)), memory_mb)

    def guide(self, terms: Array) -> None:
        if terms[0] == PATTERNS:
            self.memory = self.memory._replace(terms=terms)

    def share(self) -> None:
        self.memory = self.memory._replace(marks=np.zeros(MARKS, np.uint64))

    def help(self, position: OthelloBits, stop: Flag) -> int:
        work = new_work()
        root_value(position, WORST - 1, BEST + 1, self.memory, work, stop)
        return int(work[0])

    def best(self, position: OthelloBits, stop: Flag) -> Solution | None:
        work = new_work()
        limits = (WORST - 1, BEST + 1)
        margin = int(root_value(position, *limits, self.memory, work, stop))
        if stop[0]:
            return None
        nodes, move = int(work[0]), int(work[1])
        line = np.full(game.PLIES, move)
        length = int(follow(position, margin, self.memory, work, line, stop))
        pv = [self._names[each] for each in line[: max(length, int(move != NO_MOVE))]]
        return Solution(pv[0] if pv else "", margin, pv, nodes)

    def load_kernels(self, position: OthelloBits) -> None:
        super().load_kernels(position)
        stop = np.ones(1, np.int64)
        follow(position, 0, self.memory, new_work(), np.zeros(0, np.int64), stop)
