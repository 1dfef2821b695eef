"""When thinking ends, what the trees then say of the root's moves, and which to play."""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from players.options import Final
from players.search.tree import NEAR, Tree, children
from players.search.uct.settings import Settings


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
        """The limit that is met, in words; "" for none.

        `visits` are those of the root's moves, `done` the iterations so far, `left` the visits
        still to come, `depth` the plies to the deepest leaf.
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


class RootMove(NamedTuple):
    """What is known of one move, over all trees."""

    move: int
    visits: int
    total: float
    """The sum of the results for the mover, each in [0, 1]."""
    proven: float | None
    """The result under best play, where it is known."""

    @property
    def value(self) -> float:
        """The result expected for the mover, in [0, 1]; 0 when nothing is known."""
        if self.proven is not None:
            return self.proven
        return self.total / self.visits if self.visits else 0.0


def root_moves(trees: Sequence[Tree], settings: Settings, seat: int) -> list[RootMove]:
    """The moves of the roots of `trees`, where `seat` is to move, in no particular order."""
    found: dict[int, RootMove] = {}
    for tree in trees:
        for child in children(tree, 0):
            move, proof = int(tree.move[child]), int(tree.proof[child])
            known = found.get(move, RootMove(move, 0, 0.0, None))
            proven = known.proven
            if proof > NEAR:
                proven = 0.5 + settings.worth * (proof if seat == 0 else -proof)
            found[move] = RootMove(
                move,
                known.visits + int(tree.visits[child]),
                known.total + float(tree.total[child]),
                proven,
            )
    return list(found.values())


def best_move(moves: Sequence[RootMove], settings: Settings, final: Final, c: float) -> RootMove:
    """Of the moves that are not proven, the one with the most visits, the highest value or the
    highest lower confidence bound, slope·value − c·√(2·ln N/n); or the best of the proven ones,
    unless it is lost, when its value is as high.
    """
    open_moves = [move for move in moves if move.proven is None]
    proven = max((move for move in moves if move.proven is not None), key=_value, default=None)
    if not open_moves:
        assert proven is not None, "a root has moves"
        return proven
    exploration = c * math.sqrt(2.0 * math.log(max(sum(move.visits for move in moves), 1)))
    measures: dict[Final, Callable[[RootMove], tuple[float, float]]] = {
        "visits": lambda move: (move.visits, move.value),
        "value": lambda move: (move.value, move.visits),
        "bound": lambda move: (
            settings.slope * move.value - exploration / math.sqrt(max(move.visits, 1)),
            move.visits,
        ),
    }
    best = max(open_moves, key=measures[final])
    lowest = 0.5 - settings.worth * settings.highest
    if proven is not None and proven.value > lowest and proven.value >= best.value:
        return proven
    return best


def _value(move: RootMove) -> tuple[float, int]:
    return move.value, move.visits


def most_visited_line(tree: Tree, move: int, prior: int) -> list[int]:
    """`move` and what the tree visited most after it; nodes begin with `prior` visits."""
    line, node = [move], 0
    for child in children(tree, 0):
        if tree.move[child] == move:
            node = child
    while node and (
        visited := [each for each in children(tree, node) if tree.visits[each] > prior]
    ):
        node = max(visited, key=lambda each: int(tree.visits[each]))
        line.append(int(tree.move[node]))
    return line
