"""What the leaf of a descent is worth."""

import numpy as np

from players.compiled.bits import is_set
from players.compiled.cache import bare_part, kernel
from players.games import endgame
from players.games import interface as game
from players.search.tree import NEAR, Tree
from players.search.types import Flag, Int, Node, Position, Real, Rng
from players.search.uct.rave import gather
from players.search.uct.settings import Memory, Settings, Worker, sign_or_margin


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
    """(the sum over the samples of the result for seat 0 expected at `node`, each in [0, 1]; the
    state of the random numbers).
    """
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
        margin = _solve(position, -limit, limit, memory, stop)
        if not is_set(stop):
            net = margin if position.seat == 0 else -margin
            tree.proof[node] = np.int8(sign_or_margin(net, settings))


@kernel
def _solve(position: Position, low: int, high: int, memory: Memory, stop: Flag) -> Int:
    """`endgame.solve` as a function of its own, which may take memory."""
    return np.int64(endgame.solve(position, low, high, memory, stop))


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
            points, net, state = game.recorded_guided_batch(position, state, worker.record)
        else:
            points, net, state = game.recorded_batch(position, state, worker.record)
        gather(worker.record, worker.near, settings)
    elif settings.guided:
        points, net, state = game.guided_batch(position, state)
    else:
        points, net, state = game.batch(position, state)
    total = net if settings.margins else points - settings.samples
    return 0.5 * settings.samples + settings.worth * total, state
