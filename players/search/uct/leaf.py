"""The leaf of a descent: its value, and its new children."""

import numpy as np

from players.compiled import atomics
from players.compiled.bits import ONE, ZERO, below, draw, is_set, lowest
from players.compiled.cache import bare_part
from players.games import endgame
from players.games import interface as game
from players.games.interface import NO_MOVE, candidates, count_moves, forced
from players.search.tree import EXPANDING, NEAR, UNEXPANDED, UNKNOWN, Tree
from players.search.types import Array, Flag, Int, Node, Position, Real, Rng, Seat
from players.search.uct.settings import Memory, Settings, Worker, sign_or_margin

STRETCH = 1024
"""Entries of the tree that one of several threads takes at once."""


@bare_part
def leaf_worth(
    tree: Tree,
    node: Node,
    position: Position,
    depth: int,
    settings: Settings,
    memory: Memory,
    worker: Worker,
    state: Rng,
    stop: Flag,
) -> tuple[Real, Rng]:
    """(the sum of seat 0's expected results, each in [0, 1]; the random numbers' state)."""
    if settings.solver and node != 0 and tree.proof[node] <= NEAR:
        _prove_leaf(tree, node, position, settings, memory, stop)
    if tree.proof[node] > NEAR:
        result = 0.5 + settings.worth * np.float64(tree.proof[node])
        return settings.samples * result, state
    share = 1.0 if depth == settings.plies else settings.evaluated
    worth = 0.0
    if share > 0.0:
        if game.moves(position, worker.moves) == 0:
            net = sign_or_margin(game.net(position), settings)
            return settings.samples * (0.5 + settings.worth * net), state
        worth += share * settings.samples * estimate(position, settings)
    if share < 1.0:
        played, state = _play_out(position, settings, worker, state)
        worth += (1.0 - share) * played
    return worth, state


@bare_part
def _prove_leaf(
    tree: Tree, node: Node, position: Position, settings: Settings, memory: Memory, stop: Flag
) -> None:
    """Write the proof of a finished game, or of an endgame near enough to be solved here."""
    if tree.count[node] == 0:
        tree.proof[node] = np.int8(sign_or_margin(game.net(position), settings))
    elif np.int64(game.remaining(position)) <= settings.exact:
        limit = settings.highest + 1 if settings.margins else 1
        margin = endgame.solved(position, -limit, limit, memory, stop)
        if not is_set(stop):
            net = margin if position.seat == 0 else -margin
            tree.proof[node] = np.int8(sign_or_margin(net, settings))


@bare_part
def estimate(position: Position, settings: Settings) -> Real:
    """The evaluation as a result for seat 0, in [0, 1]."""
    value = np.int64(game.evaluate(position, settings.terms))
    if settings.margins:
        result = min(max(0.5 + settings.worth * (value / 100.0), 0.0), 1.0)
    else:
        result = np.float64(game.expectation(position, value))
    return result if position.seat == 0 else 1.0 - result


@bare_part
def _play_out(
    position: Position, settings: Settings, worker: Worker, state: Rng
) -> tuple[Real, Rng]:
    """(the sum of the results of random games for seat 0, the state of the random numbers)."""
    if settings.samples == 1:
        if settings.guided:
            net, state = game.guided(position, state)
        else:
            net, state = game.playout(position, state)
        return 0.5 + settings.worth * sign_or_margin(net, settings), state
    if settings.rave > 0.0:
        if settings.guided:
            points, net, state = game.batch(position, state, True, worker.record)
        else:
            points, net, state = game.batch(position, state, False, worker.record)
        gather(worker.record, worker.near, settings)
    elif settings.guided:
        points, net, state = game.batch(position, state, True, None)
    else:
        points, net, state = game.batch(position, state, False, None)
    total = net if settings.margins else points - settings.samples
    return 0.5 * settings.samples + settings.worth * total, state


@bare_part
def gather(record: Array, near: Array, settings: Settings) -> None:
    """Count the moves of a leaf's playouts, and their results for seat 0, for RAVE."""
    for playout in range(game.BATCH):
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
def is_ripe(tree: Tree, node: Node, settings: Settings) -> bool:
    """Whether a node has had expand_after / (1 − f) visits, with a share f of the tree in use."""
    room = len(tree.move)
    before = (np.int64(tree.visits[node]) - settings.prior) // settings.samples - 1
    return bool(before >= settings.expand_after * room // max(room - tree.used[0], 1))


@bare_part
def expand(
    tree: Tree, node: Node, position: Position, settings: Settings, worker: Worker, state: Rng
) -> Rng:
    """Give `node` its children in random order; the state of the random numbers.

    Without room, or while another thread expands it, it stays as it is.
    """
    if settings.shared and not atomics.claim(
        tree.count, node, np.int8(UNEXPANDED), np.int8(EXPANDING)
    ):
        return state
    buffer = worker.moves
    forced_move = np.int64(forced(position)) if settings.prune else np.int64(NO_MOVE)
    if forced_move != NO_MOVE:
        buffer[0], count = forced_move, np.int64(1)
    elif settings.prune:
        count = np.int64(candidates(position, buffer))
    else:
        count = np.int64(game.moves(position, buffer))
    first = _claim_block(tree, count, settings, worker.room)
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
def _claim_block(tree: Tree, count: Int, settings: Settings, room: Array) -> Node:
    """The first of `count` new entries; −1 when there is no room for them.

    Threads that share the tree take STRETCH entries at once, as long as there are that many: so
    that they seldom write next to each other, which is slow.
    """
    if room[0] + count > room[1]:
        left = len(tree.move) - tree.used[0]
        if count > left:
            return np.int64(-1)
        size = np.int64(STRETCH) if settings.shared and left >= STRETCH else count
        first = tree.used[0]
        if settings.shared:
            first = atomics.add(tree.used, 0, size)
            if first + size > len(tree.move):
                atomics.add(tree.used, 0, -size)
                return np.int64(-1)
        else:
            tree.used[0] = first + size
        room[0], room[1] = first, first + size
    block: Node = room[0]
    room[0] = block + count
    return block


@bare_part
def _give_prior(
    tree: Tree, child: Node, position: Position, seat: Seat, settings: Settings
) -> None:
    """Let a child that `seat` chooses begin with visits at what its evaluation expects."""
    if count_moves(position) == 0:
        result = 0.5 + settings.worth * sign_or_margin(game.net(position), settings)
    else:
        result = estimate(position, settings)
    tree.visits[child] = settings.prior
    tree.total[child] = settings.prior * (result if seat == 0 else 1.0 - result)
