"""The tree of a Monte Carlo search as flat arrays: one entry a node.

Invariants:
- Entry 0 is the root; `used[0]` entries are in use.
- The children of a node are one block of `count` entries from `first`, in random order, made
  together when the node is visited for the second time and always behind their parent.
- `count` is −1 before that and 0 for a node where the game is over.
- Children are tried from the front of the block: the first `tried` have been visited.
- `total`, `mean` and `bonus` are as the player sees it who chooses the node, at its parent.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from players.kernels.cache import kernel

UNEXPANDED = -1


class Tree(NamedTuple):
    """Arrays of the same length, but for `used`."""

    used: Any
    """int64[1]: how many entries are in use."""
    visits: Any
    """int32: playouts through the node."""
    total: Any
    """float64: the sum of their results, each in [0, 1]."""
    mean: Any
    """float32: total / visits."""
    bonus: Any
    """float32: 1 / √visits."""
    weight: Any
    """float32: what the move's UCB value is multiplied by."""
    first: Any
    """int32: the first child."""
    count: Any
    """int16: how many children."""
    tried: Any
    """int16: how many of them have been visited."""
    move: Any
    """int16: the move that leads here."""
    moved_to: Any
    """int32: room for `reroot`."""


ENTRY_BYTES = 38
"""The size of an entry over all arrays."""


def new_tree(entries: int) -> Tree:
    """A tree that holds a root alone and has room for `entries`. Memory is taken as it fills."""
    tree = Tree(
        used=np.ones(1, np.int64),
        visits=np.empty(entries, np.int32),
        total=np.empty(entries, np.float64),
        mean=np.empty(entries, np.float32),
        bonus=np.empty(entries, np.float32),
        weight=np.empty(entries, np.float32),
        first=np.empty(entries, np.int32),
        count=np.empty(entries, np.int16),
        tried=np.empty(entries, np.int16),
        move=np.empty(entries, np.int16),
        moved_to=np.empty(entries, np.int32),
    )
    clear(tree)
    return tree


def clear(tree: Tree) -> None:
    """Forget everything but an unvisited root."""
    tree.used[0] = 1
    tree.visits[0] = 0
    tree.total[0] = 0.0
    tree.count[0] = UNEXPANDED
    tree.move[0] = -1


def children(tree: Tree, node: int) -> range:
    """The entries of a node's children."""
    first = int(tree.first[node])
    return range(first, first + max(int(tree.count[node]), 0))


def child_by_move(tree: Tree, node: int, move: int) -> int | None:
    """The child that `move` leads to; None when the node has no children yet."""
    for child in children(tree, node):
        if tree.move[child] == move:
            return child
    return None


@kernel
def reroot(tree: Any, root: Any) -> None:
    """Make `root` entry 0 and keep what is below it, moved to the front in the same order.

    As children lie behind their parents, one pass finds all that is kept and where it goes,
    and a second moves it, never onto an entry that is still to be moved.
    """
    used = tree.used[0]
    tree.moved_to[root:used] = -1
    tree.moved_to[root] = 0
    kept = 0
    for node in range(root, used):
        if tree.moved_to[node] >= 0:
            tree.moved_to[node] = kept
            kept += 1
            first = tree.first[node]
            for child in range(first, first + tree.count[node]):
                tree.moved_to[child] = 0
    for node in range(root, used):
        place = tree.moved_to[node]
        if place >= 0:
            tree.visits[place] = tree.visits[node]
            tree.total[place] = tree.total[node]
            tree.mean[place] = tree.mean[node]
            tree.bonus[place] = tree.bonus[node]
            tree.weight[place] = tree.weight[node]
            tree.count[place] = tree.count[node]
            tree.tried[place] = tree.tried[node]
            tree.move[place] = tree.move[node]
            if tree.count[node] > 0:
                tree.first[place] = tree.moved_to[tree.first[node]]
    tree.used[0] = kept
