"""RAVE: a move is also known by the games in which it is played later (Gelly and Silver 2011).

All moves of a game count as if they had been the first (AMAF), each for the seat that plays it. A
child's mean is mixed with the mean over those games, which has many of them at once but is of other
positions; its weight √(k/(3·n + k)) falls with the n visits of the child.
"""

import numpy as np

from players.compiled.bits import ONE, ZERO, lowest
from players.compiled.cache import bare_part
from players.games.interface import BATCH
from players.search.tree import Tree
from players.search.types import Array, Int, Node, Real
from players.search.uct.settings import Settings, Worker, add, sign_or_margin


@bare_part
def gather(record: Array, near: Array, settings: Settings) -> None:
    """Count the moves of a leaf's playouts, and their results for seat 0."""
    for playout in range(BATCH):
        net = sign_or_margin(np.int64(record[0, playout]), settings)
        result = np.float32(0.5 + settings.worth * net)
        for word in range(4):
            bits = record[1 + word, playout]
            while bits != ZERO:
                move = 64 * (word & 1) + np.int64(lowest(bits))
                near[word >> 1, 0, move] += np.float32(1.0)
                near[word >> 1, 1, move] += result
                bits &= bits - ONE


@bare_part
def pass_back(tree: Tree, worker: Worker, depth: int, worth: Real, settings: Settings) -> None:
    """Add what was gathered, and the descent's own moves, to the children of each node on the way:
    those with the moves from there on. `worth` is the leaf's.
    """
    near = worker.near
    for step in range(depth, 0, -1):
        node, parent = np.int64(worker.path[step]), np.int64(worker.path[step - 1])
        seat = np.int64(worker.chooser[step])
        near[seat, 0, tree.move[node]] += np.float32(settings.samples)
        near[seat, 1, tree.move[node]] += np.float32(worth)
        first, count = np.int64(tree.first[parent]), np.int64(tree.count[parent])
        for child in range(first, first + count):
            playouts, total = near[seat, 0, tree.move[child]], near[seat, 1, tree.move[child]]
            add(tree.near_visits, child, playouts, settings)
            add(tree.near_total, child, total if seat == 0 else playouts - total, settings)


@bare_part
def mixed_values(
    tree: Tree,
    first: Node,
    lanes: Int,
    lift: np.float32,
    slope: np.float32,
    spread: np.float32,
    settings: Settings,
    values: Array,
) -> None:
    """Write the UCB values of the children from `first` on, with their means mixed. One without
    visits explores as if it had one leaf's; one of which nothing is known is worth 1/2.
    """
    visits, total = tree.visits[first : first + lanes], tree.total[first : first + lanes]
    near_visits = tree.near_visits[first : first + lanes]
    near_total = tree.near_total[first : first + lanes]
    one, half, leaf = np.float32(1.0), np.float32(0.5), np.float32(settings.samples)
    k = np.float32(settings.rave)
    for index in range(lanes):
        n, near = np.float32(visits[index]), near_visits[index]
        mean = np.float32(total[index]) / max(n, one) if n > 0 else half
        share = np.sqrt(k / (np.float32(3.0) * n + k)) if near > 0 else np.float32(0.0)
        mean += share * (near_total[index] / max(near, half) - mean)
        values[index] = lift + slope * mean + spread / np.sqrt(max(n, leaf))
