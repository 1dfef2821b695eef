"""UCT (Kocsis and Szepesvári 2006), written once for every game.

Each iteration descends by UCB1, mean + c·√(2·ln N/n) times the move's weight, tries the children of
a node in random order before it compares them, plays a random game from the new node and adds its
result to every node on the way. Plain UCT is the weighted form with weights of 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from players.kernels import game
from players.kernels.bits import below, draw, is_set
from players.kernels.boards import Board
from players.kernels.cache import kernel, one_at_a_time, part
from players.search.tree import (
    ENTRY_BYTES,
    UNEXPANDED,
    child_by_move,
    children,
    clear,
    new_tree,
    reroot,
)

NO_LIMIT = 1 << 62
"""More iterations than anyone waits for."""


@part
def expand(tree: Any, node: Any, position: Any, weights: Any, buffer: Any, state: Any) -> Any:
    """Give `node` its children in random order; the state of the random numbers.

    A tree without room for them stays as it is.
    """
    count = game.moves(position, buffer)
    first = tree.used[0]
    if first + count > len(tree.visits):
        return state
    tree.count[node] = count
    tree.tried[node] = 0
    tree.first[node] = first
    tree.used[0] = first + count
    for index in range(count):
        state, bits = draw(state)
        other = index + np.int64(below(bits, np.uint64(count - index)))
        move, buffer[other] = buffer[other], buffer[index]
        child = first + index
        tree.move[child] = move
        tree.visits[child] = 0
        tree.total[child] = 0.0
        tree.count[child] = UNEXPANDED
        tree.weight[child] = weights[position.seat, move]
    return state


@part
def select(tree: Any, node: Any, c: Any, values: Any) -> Any:
    """The child with the highest weighted UCB value.

    Three plain loops rather than one with branches, so that the compiler makes vector code.
    """
    first, count = np.int64(tree.first[node]), np.int64(tree.count[node])
    spread = np.float32(c * np.sqrt(2.0 * np.log(tree.visits[node])))
    for index in range(count):
        child = first + index
        values[index] = (tree.mean[child] + spread * tree.bonus[child]) * tree.weight[child]
    best = values[0]
    for index in range(1, count):
        best = max(best, values[index])
    index = 0
    while values[index] != best:
        index += 1
    return first + index


@kernel
def iterate(
    tree: Any, position: Any, weights: Any, c: Any, random_state: Any, stop: Any, limit: Any
) -> Any:
    """Run iterations from the root, which is `position`, until `stop` is set; at most `limit`.

    `random_state` is a uint64 array of one entry. Returns how many iterations were run.
    """
    buffer = np.empty(game.MOVES, np.int16)
    values = np.empty(game.MOVES, np.float32)
    path = np.empty(game.PLIES, np.int32)
    chooser = np.empty(game.PLIES, np.int8)
    state = random_state[0]
    done = 0
    while done < limit and not is_set(stop):
        node, here, depth = np.int64(0), position, 0
        path[0], chooser[0] = 0, 0
        while True:
            if tree.count[node] == UNEXPANDED and (node == 0 or tree.visits[node] > 0):
                state = expand(tree, node, here, weights, buffer, state)
            if tree.count[node] <= 0:
                break
            if tree.tried[node] < tree.count[node]:
                child = tree.first[node] + tree.tried[node]
                tree.tried[node] += 1
            else:
                child = select(tree, node, c, values)
            depth += 1
            path[depth], chooser[depth] = child, here.seat
            here = game.play(here, np.int64(tree.move[child]))
            node = np.int64(child)
        net, state = game.playout(here, state)
        for_first = 0.5 + 0.5 * np.sign(net)
        for step in range(depth + 1):
            node = np.int64(path[step])
            visits = tree.visits[node] + 1
            tree.visits[node] = visits
            tree.total[node] += for_first if chooser[step] == 0 else 1.0 - for_first
            tree.mean[node] = tree.total[node] / visits
            tree.bonus[node] = 1.0 / np.sqrt(visits)
        done += 1
    random_state[0] = state
    return done


def load_kernels(position: Any) -> None:
    """Load from the cache, or compile, what a search of positions of this type calls."""
    tree = new_tree(2 * game.MOVES)
    weights, random_state = np.ones((2, game.MOVES), np.float32), np.zeros(1, np.uint64)
    with one_at_a_time():
        iterate(tree, position, weights, 1.0, random_state, np.zeros(1, np.int64), 1)
        reroot(tree, 0)


class Choice(NamedTuple):
    """What a search found."""

    move: str
    value: float
    """The expected result for the mover, in [0, 1]."""
    visits: int
    """Playouts through the move."""
    pv: list[str]
    """The most visited line, the move first."""


class UctSearch:
    """A search tree that goes along with a game."""

    def __init__(
        self, board: Board, *, c: float, memory_mb: int, seed: int, weights: Any = None
    ) -> None:
        """`weights`: float32[2, MOVES], by colour and move; None for 1 everywhere."""
        self._board = board
        self._c = c
        self._tree = new_tree(memory_mb * 1_000_000 // ENTRY_BYTES)
        plain = np.ones((2, game.MOVES), np.float32)
        self._weights = plain if weights is None else weights
        self._random_state = np.array([seed], np.uint64)

    @property
    def visits(self) -> int:
        """Playouts the tree holds."""
        return int(self._tree.visits[0])

    @property
    def nodes(self) -> int:
        """Entries of the tree in use."""
        return int(self._tree.used[0])

    def follow(self, moves: Sequence[str], legal: Sequence[str], *, reuse: bool) -> None:
        """Make the node that `moves` lead to the root; an empty tree when there is none, when its
        moves are not `legal`, or when it is not to be reused.

        Passes are no moves of the tree, so they may be among `moves` or not.
        """
        node: int | None = 0 if reuse else None
        for name in moves:
            if node is not None and name != "pass":
                node = child_by_move(self._tree, node, self._board.moves[name])
        if node is not None:
            known = {self._name(child) for child in children(self._tree, node)}
            if known == set(legal):
                if node:
                    reroot(self._tree, node)
                return
        clear(self._tree)

    def think(self, position: Any, stop: Any, least: int, limit: int | None) -> int:
        """Iterate from `position`, which must be the root's, until `stop` is set or `limit`
        iterations are done, but do `least` whatever the clock says. Returns how many were done.
        """
        arguments = (self._tree, position, self._weights, self._c, self._random_state)
        limit = NO_LIMIT if limit is None else limit
        done = iterate(*arguments, np.zeros(1, np.int64), min(least, limit))
        return int(done + iterate(*arguments, stop, limit - done))

    def choose(self, final: str) -> Choice:
        """The move by most `visits` or by highest `value`; the other one breaks ties."""
        tree = self._tree

        def rank(child: int) -> tuple[float, float]:
            visits, mean = float(tree.visits[child]), self._mean(child)
            return (visits, mean) if final == "visits" else (mean, visits)

        best = max(children(tree, 0), key=rank)
        return Choice(self._name(best), self._mean(best), int(tree.visits[best]), self._line(best))

    def _mean(self, node: int) -> float:
        visits = int(self._tree.visits[node])
        return float(self._tree.total[node]) / visits if visits else 0.0

    def _name(self, node: int) -> str:
        return str(self._board.names[self._tree.move[node]])

    def _line(self, node: int) -> list[str]:
        line = []
        while True:
            line.append(self._name(node))
            visited = [child for child in children(self._tree, node) if self._tree.visits[child]]
            if not visited:
                return line
            node = max(visited, key=lambda child: int(self._tree.visits[child]))
