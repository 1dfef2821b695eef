"""The tree of a Monte Carlo search as flat arrays: one entry a node.

Invariants, while no search runs:
- Entry 0 is the root; `used[0]` entries are in use, or set aside by threads that share the tree.
- The children of a node are one block of `count` entries from `first`, in random order, made
  together.
- `count` is UNEXPANDED before that, and 0 for a node where the game is over.
- Children are tried from the front of the block: the first `tried` have been visited. With RAVE
  they are tried in any order, and `tried` stays 0.
- `total` is as the player sees it who chooses the node, at its parent.
- A node with a child whose `proof` is known has none of UNKNOWN itself.
"""

from typing import Any, NamedTuple

import numpy as np

from players.compiled.cache import kernel, part
from players.search.types import Array, Node

UNEXPANDED, EXPANDING = -1, -2
"""Values of `count`: no children yet; a thread is just writing them."""

UNKNOWN, NEAR = -128, -127
"""Values of `proof` that prove nothing: nothing is known; the value of a child is."""


LANES = 16
"""Blocks are read in steps of that many entries: there are as many more behind the last one."""


class Tree(NamedTuple):
    """Arrays of one length, but for `used`; visits and totals are longer by LANES. Those for RAVE
    are empty without it.
    """

    used: Array
    """int64[1]: how many entries are in use or set aside."""
    visits: Array
    """int32: playouts through the node, those under way included."""
    total: Array
    """float64: the sum of their results, each in [0, 1]."""
    near_visits: Array
    """float32: playouts through the parent in which its chooser plays the move now or later."""
    near_total: Array
    """float32: the sum of their results."""
    first: Array
    """int32: the first child."""
    count: Any
    """int8: how many children."""
    tried: Array
    """uint8: how many of them have been visited; more when threads tried the last one together."""
    move: Array
    """int8: the move that leads here."""
    proof: Array
    """int8: UNKNOWN, NEAR, or what the node is worth to seat 0 under best play: the sign of the
    margin or, in a search for margins, the margin."""
    moved_to: Array
    """int32: room for `reroot`."""


ENTRY_BYTES, NEAR_BYTES = 24, 8
"""The size of an entry over all arrays, and what it takes besides with RAVE."""


def new_tree(entries: int, *, rave: bool = False) -> Tree:
    """A tree that holds a root alone and has room for `entries`. Memory is taken as it fills."""
    near = entries + LANES if rave else 0
    tree = Tree(
        used=np.ones(1, np.int64),
        visits=np.empty(entries + LANES, np.int32),
        total=np.empty(entries + LANES, np.float64),
        near_visits=np.empty(near, np.float32),
        near_total=np.empty(near, np.float32),
        first=np.empty(entries, np.int32),
        count=np.empty(entries, np.int8),
        tried=np.empty(entries, np.uint8),
        move=np.empty(entries, np.int8),
        proof=np.empty(entries, np.int8),
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
    tree.proof[0] = UNKNOWN
    tree.move[0] = -1


def children(tree: Tree, node: int) -> range:
    first = int(tree.first[node])
    return range(first, first + max(int(tree.count[node]), 0))


def child_by_move(tree: Tree, node: int, move: int) -> int | None:
    """The child that `move` leads to; None when the node has no children yet."""
    for child in children(tree, node):
        if tree.move[child] == move:
            return child
    return None


@kernel
def reroot(tree: Tree, root: Node) -> None:
    """Make `root` entry 0 and keep what is below it, in the same order.

    What is kept is found first, from `root` down, with a stack in `moved_to`: it holds which entry
    is to be looked at after each; `used` for none. As the order stays, no entry then moves onto one
    that is still to be moved.
    """
    used = tree.used[0]
    tree.moved_to[:used] = -1
    tree.moved_to[root] = used
    node = root
    while node < used:
        upcoming = tree.moved_to[node]
        first = tree.first[node]
        for child in range(first, first + tree.count[node]):
            tree.moved_to[child] = upcoming
            upcoming = child
        node = upcoming
    tree.moved_to[root] = 0
    kept = 1
    for node in range(used):
        if tree.moved_to[node] >= 0 and node != root:
            tree.moved_to[node] = kept
            kept += 1
    _move_entry(tree, root)
    for node in range(used):
        if tree.moved_to[node] > 0:
            _move_entry(tree, node)
    tree.used[0] = kept


@part
def _move_entry(tree: Tree, node: Node) -> None:
    place = tree.moved_to[node]
    tree.visits[place] = tree.visits[node]
    tree.total[place] = tree.total[node]
    if len(tree.near_visits) > 0:
        tree.near_visits[place] = tree.near_visits[node]
        tree.near_total[place] = tree.near_total[node]
    tree.count[place] = tree.count[node]
    tree.tried[place] = tree.tried[node]
    tree.move[place] = tree.move[node]
    tree.proof[place] = tree.proof[node]
    if tree.count[node] > 0:
        tree.first[place] = tree.moved_to[tree.first[node]]
