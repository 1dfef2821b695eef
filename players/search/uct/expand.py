"""Giving a node its children."""

import numpy as np

from players.compiled import atomics
from players.compiled.bits import below, draw
from players.compiled.cache import bare_part
from players.games import interface as game
from players.games.pruning import NO_MOVE, candidates, count_moves, forced
from players.search.tree import EXPANDING, UNEXPANDED, UNKNOWN, Tree
from players.search.types import Array, Int, Node, Position, Rng, Seat
from players.search.uct.leaf import estimate
from players.search.uct.settings import Settings, sign_or_margin


@bare_part
def is_ripe(tree: Tree, node: Node, settings: Settings) -> bool:
    """Whether an unexpanded node has had the visits to be given children.

    The fuller the tree the more it takes, so that it never stops growing: with a share f of it in
    use, expand_after / (1 − f) visits before this one, rounded down.
    """
    room = len(tree.move)
    before = (np.int64(tree.visits[node]) - settings.prior) // settings.samples - 1
    return bool(before >= settings.expand_after * room // max(room - tree.used[0], 1))


@bare_part
def expand(
    tree: Tree, node: Node, position: Position, settings: Settings, buffer: Array, state: Rng
) -> Rng:
    """Give `node` its children in random order; the state of the random numbers.

    A tree without room for them stays as it is, as does a node that another thread is expanding.
    """
    if settings.shared and not atomics.claim(
        tree.count, node, np.int8(UNEXPANDED), np.int8(EXPANDING)
    ):
        return state
    count = _moves_worth_trying(position, settings, buffer)
    first = _claim_block(tree, count, settings)
    if first < 0:
        atomics.publish(tree.count, node, np.int8(UNEXPANDED))
        return state
    for index in range(count):
        state, bits = draw(state)
        other = index + np.int64(below(bits, np.uint64(count - index)))
        move, buffer[other] = buffer[other], buffer[index]
        child = first + index
        tree.move[child] = move
        tree.visits[child] = 0
        tree.total[child] = 0.0
        if settings.rave > 0.0:
            tree.near_visits[child] = 0.0
            tree.near_total[child] = 0.0
        tree.count[child] = UNEXPANDED
        tree.proof[child] = UNKNOWN
        if settings.prior > 0:
            after = game.play(position, np.int64(move))
            _give_prior(tree, child, after, position.seat, settings)
    tree.tried[node] = count if settings.prior > 0 else 0
    tree.first[node] = first
    atomics.publish(tree.count, node, np.int8(count))
    return state


@bare_part
def _claim_block(tree: Tree, count: Int, settings: Settings) -> Node:
    """The first of `count` new entries; −1 when there is no room for them."""
    room = len(tree.move)
    if tree.used[0] + count > room:
        return np.int64(-1)
    if not settings.shared:
        first: Node = tree.used[0]
        tree.used[0] = first + count
        return first
    first = atomics.add(tree.used, 0, count)
    if first + count <= room:
        return first
    atomics.add(tree.used, 0, -count)
    return np.int64(-1)


@bare_part
def _moves_worth_trying(position: Position, settings: Settings, out: Array) -> Int:
    """Write the legal moves to the front of `out`, or those of them that the game's laws leave: a
    best one is among them. Their number, 0 at the end.
    """
    if not settings.prune:
        return np.int64(game.moves(position, out))
    move = np.int64(forced(position))
    if move == NO_MOVE:
        return np.int64(candidates(position, out))
    out[0] = move
    return np.int64(1)


@bare_part
def _give_prior(
    tree: Tree, child: Node, position: Position, seat: Seat, settings: Settings
) -> None:
    """Let a child, which is `position` and is chosen by `seat`, begin with visits that brought what
    its evaluation expects.
    """
    if count_moves(position) == 0:
        result = 0.5 + settings.worth * sign_or_margin(game.net(position), settings)
    else:
        result = estimate(position, settings)
    tree.visits[child] = settings.prior
    tree.total[child] = settings.prior * (result if seat == 0 else 1.0 - result)
