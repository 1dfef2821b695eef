"""When thinking ends, what the trees then say of the root's moves, and which to play."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from players.games.interface import MOVES
from players.options import Final
from players.search.tree import NEAR, UNKNOWN, Tree, child_by_move, children
from players.search.types import Array, Int, Real, Seat
from players.search.uct.settings import Settings

FINALS: dict[Final, int] = {"visits": 0, "value": 1, "bound": 2}
BY_VALUE, BY_BOUND = FINALS["value"], FINALS["bound"]


class ThinkingLimits(NamedTuple):
    """Each ends the thinking by itself."""

    iterations: int | None = None
    """At most that many."""
    depth: int | None = None
    """Once the tree is that many plies deep."""
    early_stop: bool = False
    """Once no other move can still have as many visits as the most visited one."""
    direction: float = 0.0
    """Once one move has this share of the root's visits; 0 to think on."""
    direction_after: int = 0
    """But not before that many iterations."""

    @property
    def watch(self) -> bool:
        """Whether the tree must be looked at while it grows."""
        return self.depth is not None or self.early_stop or self.direction > 0

    def met(self, visits: Sequence[int], done: int, left: float, depth: int) -> str:
        """The limit that is met, in words; "" for none. `visits` are those of the root's moves,
        `done` the iterations so far, `left` the visits still to come, `depth` the plies to the
        deepest leaf.
        """
        first, second = sorted([*visits, 0, 0], reverse=True)[:2]
        if self.depth is not None and depth >= self.depth:
            return "depth"
        if self.early_stop and first - second > left:
            return "early stop"
        enough = done >= self.direction_after
        if self.direction > 0 and enough and first >= self.direction * sum(visits):
            return "direction"
        return ""


class RootMoves(NamedTuple):
    """What all trees together know of the moves of their root, in the order of one of them."""

    move: Array
    visits: Array
    total: Array
    """The sums of the results for the mover, each in [0, 1]."""
    proof: Array
    """As in the trees."""


def root_moves(trees: Sequence[Tree]) -> RootMoves:
    """The moves of the roots of `trees`."""
    visits, total = np.zeros(MOVES, np.int64), np.zeros(MOVES)
    proof, moves = np.full(MOVES, UNKNOWN, np.int8), np.zeros(0, np.int8)
    for tree in trees:
        block = slice(tree.first[0], tree.first[0] + max(tree.count[0], 0))
        move = tree.move[block]
        visits[move] += tree.visits[block]
        total[move] += tree.total[block]
        proof[move] = np.maximum(proof[move], tree.proof[block])
        moves = moves if len(moves) >= len(move) else move
    return RootMoves(moves, visits[moves], total[moves], proof[moves])


def best_child(
    visits: Array, total: Array, proof: Array, seat: Seat, settings: Settings, final: int, c: Real
) -> tuple[Int, Real]:
    """(which of a root's moves `seat` is to play, the result expected of it in [0, 1]), for Python
    and for kernels.

    Of the moves that are not proven, the one with the most visits, the highest value or the highest
    lower confidence bound, slope·value − c·√(2·ln N/n), by `final`, one of FINALS; or the best of
    the proven ones, unless it is lost, when its value is as high.
    """
    exploration = c * math.sqrt(2.0 * math.log(max(visits.sum(), 1)))
    best, proven = -1, -1
    best_value: Real = 0.0
    best_rank: tuple[Real, Real] = (0.0, 0.0)
    proven_rank = best_rank
    for child in range(len(visits)):
        n, sign = float(visits[child]), np.int64(proof[child])
        if sign > NEAR:
            value: Real = 0.5 + settings.worth * (sign if seat == 0 else -sign)
            if proven < 0 or (value, n) > proven_rank:
                proven, proven_rank = child, (value, n)
            continue
        value = total[child] / n if n > 0.0 else 0.0
        rank: tuple[Real, Real] = (n, value)
        if final == BY_VALUE:
            rank = (value, n)
        elif final == BY_BOUND:
            rank = (settings.slope * value - exploration / math.sqrt(max(n, 1.0)), n)
        if best < 0 or rank > best_rank:
            best, best_rank, best_value = child, rank, value
    value = proven_rank[0]
    lowest = 0.5 - settings.worth * settings.highest
    if best < 0 or (proven >= 0 and value > lowest and value >= best_value):
        return proven, value
    return best, best_value


def most_visited_line(tree: Tree, move: int, prior: int) -> list[int]:
    """`move` and what the tree visited most after it; nodes begin with `prior` visits."""
    line, node = [move], child_by_move(tree, 0, move)
    while node and (
        visited := [each for each in children(tree, node) if tree.visits[each] > prior]
    ):
        node = max(visited, key=lambda each: int(tree.visits[each]))
        line.append(int(tree.move[node]))
    return line
