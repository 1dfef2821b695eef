"""Exact endgames: a solver for each game, behind one interface, or the plain one, which tries all.

`solve` is a question to the game, for a search that ends its lines with true values; `load_endgame`
gives the solver that works from a root.
"""

from abc import ABC, abstractmethod
from math import floor, log
from typing import Any, NamedTuple

import numpy as np

from players.compiled.bits import is_set
from players.compiled.cache import by_default, kernel
from players.compiled.types import Array, Flag, Int
from players.games import interface as game
from players.games.interface import Position
from players.games.registry import Board, compiled_game

GROWTH = 2.2
"""A solver takes about that many times as long for one more move."""


@by_default
def solve(position: Position, low: int, high: int, memory: Any, stop: Flag) -> Any:
    """The mover's final margin under best play by both, in whole discs or boxes of all the game:
    exact when low < value < high, else a bound on the same side of the window (fail-soft).

    `memory` is the game's own: an array or a NamedTuple of arrays. Once the int64[1] flag `stop` is
    set the value means nothing, and nothing of it is kept in `memory`. By default all moves are
    tried.
    """
    return plain_value(position, np.int64(low), np.int64(high), memory, stop)


@kernel
def solved(position: Position, low: int, high: int, memory: Any, stop: Flag) -> Int:
    """`solve` as a function of its own, which may take memory."""
    return np.int64(solve(position, low, high, memory, stop))


class Solution(NamedTuple):
    move: str
    margin: int
    """The mover's final margin under best play, in discs or boxes."""
    pv: list[str]
    """The principal variation as far as known, the move first; forced passes left out."""
    nodes: int
    """Positions visited."""


@kernel
def all_margins(position: Position, moves: Array, margins: Array, memory: Any, stop: Flag) -> Int:
    """Write every legal move and the mover's margin after it; how many there are."""
    count = game.moves(position, moves)
    for index in range(count):
        child = game.play(position, np.int64(moves[index]))
        margin = solved(child, -game.LIMIT, game.LIMIT, memory, stop)
        margins[index] = margin if child.seat == position.seat else -margin
    return count


class Endgame(ABC):
    """One board's solver, with a table that serves a whole game."""

    memory: Any
    """The arguments of `solve`."""
    reach: int
    """Positions with that many moves remaining are, typically, solved in about a second."""

    def __init__(self, board: Board) -> None:
        self._names = board.names

    def guide(self, terms: Array) -> None:  # noqa: B027  # most solvers need none
        """Search first what is good by the evaluation with these terms, where that helps."""

    def share(self) -> None:  # noqa: B027  # most solvers do not share their work
        """Make ready for threads that `help` each other."""

    def help(self, position: Any, stop: Flag) -> int:
        """Work on `position` with the thread that seeks its best move, until `stop` is set, where
        the solver can; positions visited.
        """
        return 0

    @abstractmethod
    def best(self, position: Any, stop: Flag) -> Solution | None:
        """The best move, "" after the end; None when `stop` was set before it was known."""

    def margins(self, position: Any, stop: Flag) -> dict[str, int] | None:
        """The exact margin of every legal move for the mover; None when `stop` was set first."""
        moves, margins = np.zeros(game.MOVES, np.int16), np.zeros(game.MOVES, np.int64)
        count = all_margins(position, moves, margins, self.memory, stop)
        if stop[0]:
            return None
        names = [self._names[move] for move in moves[:count]]
        return dict(zip(names, margins[:count].tolist(), strict=True))

    def load_kernels(self, position: Any) -> None:
        """Load from the cache, or compile, what finds the best move of positions of this type."""
        self.best(position, np.ones(1, np.int64))


@kernel
def plain_value(position: Position, low: int, high: int, nodes: Array, stop: Flag) -> Any:
    """`solve` by trying every move, for any game; `nodes`, int64[1], counts those visited."""
    nodes[0] += 1
    out = np.empty(game.MOVES, np.int16)
    count = game.moves(position, out)
    if count == 0:
        net = np.int64(game.net(position))
        return net if position.seat == 0 else -net
    best = np.int64(-game.LIMIT)
    for index in range(count):
        child = game.play(position, np.int64(out[index]))
        floor: Any = max(best, low)
        if child.seat == position.seat:
            value = plain_value(child, floor, high, nodes, stop)
        else:
            value = -plain_value(child, -high, -floor, nodes, stop)
        best = max(best, value)
        if best >= high or is_set(stop):
            break
    return best


class PlainEndgame(Endgame):
    reach = 8

    def __init__(self, board: Board) -> None:
        super().__init__(board)
        self.memory = np.zeros(1, np.int64)

    def best(self, position: Any, stop: Flag) -> Solution | None:
        self.memory[0] = 0
        margins = self.margins(position, stop)
        if margins is None:
            return None
        move = max(margins, key=lambda name: margins[name], default="")
        return Solution(move, margins.get(move, 0), [move], int(self.memory[0]))


def load_endgame(rules: str, board: Board, memory_mb: int) -> Endgame:
    """The solver for `board`, a board of `rules`, with tables of `memory_mb`."""
    solver = compiled_game(rules).endgame
    return PlainEndgame(board) if solver is None else solver(board, memory_mb)


def reach_in(endgame: Endgame, seconds: float) -> int:
    """Positions with that many moves remaining are, typically, solved in `seconds`; at least 0."""
    return max(endgame.reach + floor(log(max(seconds, 1e-6), GROWTH)), 0)
