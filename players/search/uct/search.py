"""The iterations of UCT: descend, expand, find what the leaf is worth, back it up.

With RAVE a move is also known by the games in which it is played later (Gelly and Silver 2011). All
moves of a game count as if they had been the first (AMAF), each for the seat that plays it. A
child's mean is mixed with the mean over those games, which has many of them at once but is of other
positions; its weight √(k/(3·n + k)) falls with the n visits of the child.
"""

import numpy as np

from players.compiled import atomics
from players.compiled.bits import is_set
from players.compiled.cache import bare_kernel, bare_part
from players.games import interface as game
from players.search.tree import LANES, NEAR, UNEXPANDED, UNKNOWN, Tree
from players.search.types import Array, Flag, Int, Node, Position, Real, Seat
from players.search.uct.leaf import expand, is_ripe, leaf_worth
from players.search.uct.settings import Memory, Settings, Worker, add

BUSY, STAY = 512, 8
"""A node is busy after BUSY iterations through it. A thread chooses its way through busy nodes once
for STAY iterations, which all go on from the first node that is not busy, and counts them there at
once (df-UCT; Yoshizoe and others 2011)."""

SPREAD_STEP = 64
"""Iterations after which c is set again from the spread of the results."""

LOST = np.float32(-1e30)
"""Below the value of any child that may still be worth something."""


@bare_kernel
def iterate(
    tree: Tree,
    position: Position,
    settings: Settings,
    worker: Worker,
    memory: Memory,
    stop: Flag,
    limit: int,
) -> int:
    """Run at most `limit` iterations from the root, which is `position`, until `stop` is set or it
    is proven; how many were run.

    `memory` is the endgame solver's. A visit is counted on the way down, before its result is
    known: until then it is lost for the player who chooses there, and other threads look elsewhere
    (virtual loss). In busy nodes the visits of several iterations are counted at once.
    """
    path, chooser = worker.path, worker.chooser
    samples = np.int32(settings.samples)
    state = worker.random_state[0]
    c = settings.c
    done = 0
    while done < limit and not is_set(stop) and tree.proof[0] <= NEAR:
        # up to `share` iterations go on from `base`, which the first one finds: the node at depth
        # `above`, below busy nodes alone; `ran` were run, worth `total` to the node above it
        base, base_here, above = np.int64(0), position, 0
        share, ran, total = np.int32(min(STAY, limit - done)), np.int32(0), 0.0
        path[0], chooser[0] = 0, 0
        while ran == 0 or (ran < share and not is_set(stop) and tree.proof[base] <= NEAR):
            if settings.spread_factor > 0.0 and done % SPREAD_STEP == 0:
                c = settings.spread_factor * spread(worker.moments)
            node, here, depth = base, base_here, above
            add(tree.visits, node, samples, settings)
            while tree.proof[node] <= NEAR and depth < settings.plies:
                if ran == 0 and depth == above and is_busy(tree, node, settings):
                    add(tree.visits, node, (share - np.int32(1)) * samples, settings)
                    above += 1
                count = np.int64(atomics.read(tree.count, node))
                if count == UNEXPANDED and (node == 0 or is_ripe(tree, node, settings)):
                    state = expand(tree, node, here, settings, worker, state)
                    count = np.int64(atomics.read(tree.count, node))
                if count <= 0:
                    break
                child = np.int64(-1)
                if settings.rave == 0.0:
                    child = next_untried(tree, node, count, settings)
                if child < 0:
                    opponent = here.seat != position.seat
                    child = select(tree, node, here.seat, opponent, c, settings, worker.values)
                depth += 1
                path[depth], chooser[depth] = child, here.seat
                add(tree.visits, child, samples, settings)
                here = game.play(here, np.int64(tree.move[child]))
                node = child
                if depth == above:
                    base, base_here = node, here
            if settings.rave > 0.0:
                worker.near[:] = np.float32(0.0)
            worth, state = leaf_worth(
                tree, node, here, depth, settings, memory, worker, state, stop
            )
            if settings.rave > 0.0:
                pass_back(tree, worker, worker.near, depth, above, worth, samples, settings)
                if above > 0:
                    keep_near(worker, ran == 0)
            worker.deepest[0] = max(worker.deepest[0], depth)
            result = worth / settings.samples
            worker.moments[0] += 1.0
            worker.moments[1] += result
            worker.moments[2] += result * result
            total += back_up(tree, worker, depth, above, worth, samples, settings)
            ran += 1
            done += 1
        if above > 0:
            count_above(tree, worker, above, total, ran, share, settings)
    worker.random_state[0] = state
    return done


@bare_part
def is_busy(tree: Tree, node: Node, settings: Settings) -> bool:
    """Whether several iterations are counted at once in a node."""
    visits = np.int64(tree.visits[node]) - settings.prior
    return bool(visits >= BUSY * settings.samples and tree.count[node] > 0)


@bare_part
def keep_near(worker: Worker, first: bool) -> None:
    """Add what an iteration gathered to `near_above`, which begins anew with the `first` one."""
    near, sums = worker.near, worker.near_above
    for seat in range(2):
        for kind in range(2):
            for move in range(game.MOVES):
                before = np.float32(0.0) if first else sums[seat, kind, move]
                sums[seat, kind, move] = before + near[seat, kind, move]


@bare_part
def count_above(
    tree: Tree,
    worker: Worker,
    above: int,
    worth: Real,
    ran: np.int32,
    share: np.int32,
    settings: Settings,
) -> None:
    """Count in the nodes above depth `above` the iterations that `ran` from there, together worth
    `worth`; their visits were counted as those of `share`, of which the rest is taken back.
    """
    samples = np.int32(settings.samples)
    for step in range(above if ran < share else 0):
        add(tree.visits, np.int64(worker.path[step]), (ran - share) * samples, settings)
    if settings.rave > 0.0:
        pass_back(tree, worker, worker.near_above, above, 0, worth, ran * samples, settings)
    back_up(tree, worker, above - 1, 0, worth, ran * samples, settings)


@bare_part
def next_untried(tree: Tree, node: Node, count: Int, settings: Settings) -> Node:
    """A child without visits; −1 when there is none left."""
    index = np.int64(tree.tried[node])
    if index >= count:
        return np.int64(-1)
    if settings.shared:
        index = np.int64(atomics.add(tree.tried, node, np.uint8(1)))
    else:
        tree.tried[node] = index + 1
    return np.int64(tree.first[node]) + index if index < count else np.int64(-1)


@bare_part
def select(
    tree: Tree, node: Node, seat: Seat, opponent: bool, c: Real, settings: Settings, values: Array
) -> Node:
    """The child with the highest UCB value, (lift + slope·mean + c·√(2·ln N/n))·weight.

    An `opponent` may choose the least instead, as the player sees it: with a mean of 1 − mean that
    is the highest of −(lift + slope) + slope·mean − c·√(2·ln N/n).

    Plain loops over whole vectors of the processor rather than one with branches.
    """
    first, count = np.int64(tree.first[node]), np.int64(tree.count[node])
    lift, slope = np.float32(settings.lift), np.float32(settings.slope)
    spread = np.float32(c * np.sqrt(2.0 * np.log(np.float64(tree.visits[node]))))
    if opponent and settings.least:
        lift, spread = -(lift + slope), -spread
    lanes = (count + LANES - 1) // LANES * LANES
    visits, total = tree.visits[first : first + lanes], tree.total[first : first + lanes]
    if settings.rave > 0.0:
        mixed_values(tree, first, lanes, lift, slope, spread, settings, values)
    else:
        for index in range(lanes):
            n = np.float32(max(visits[index], np.int32(1)))
            values[index] = lift + (slope * np.float32(total[index]) + spread * np.sqrt(n)) / n
    if tree.proof[node] == NEAR:
        for index in range(count):
            proof = np.int64(tree.proof[first + index])
            if proof > NEAR:  # it needs no exploration, nor any visit at the root
                proof = proof if seat == 0 else -proof
                values[index] = lift + slope * np.float32(0.5 + settings.worth * proof)
                if node == 0 or proof == -settings.highest:
                    values[index] = LOST
    if settings.weighted:
        for index in range(count):
            values[index] *= settings.weights[seat, tree.move[first + index]]
    best = values[0]
    for index in range(1, count):
        best = max(best, values[index])
    index = 0
    while values[index] != best:
        index += 1
    return first + index


@bare_part
def back_up(
    tree: Tree,
    worker: Worker,
    depth: int,
    least: int,
    worth: Real,
    playouts: Int,
    settings: Settings,
) -> Real:
    """Add what `playouts` are worth, or what is proven, to the totals on the way back from `depth`
    up to depth `least`, as each chooser sees it; what they are worth above that.
    """
    path, chooser = worker.path, worker.chooser
    proven = tree.proof[np.int64(path[depth])] > NEAR
    for step in range(depth, least - 1, -1):
        node = np.int64(path[step])
        result = worth if chooser[step] == 0 else playouts - worth
        add(tree.total, node, result, settings)
        if proven and step > 0:
            parent = np.int64(path[step - 1])
            proven = _prove_parent(tree, parent, node, chooser[step], settings)
            if proven:
                proof = np.float64(tree.proof[parent])
                worth = playouts * (0.5 + settings.worth * proof)
    return worth


@bare_part
def _prove_parent(tree: Tree, parent: Node, child: Node, seat: Seat, settings: Settings) -> bool:
    """What the proof of a child proves of its parent, where `seat` moves; whether it is proven.

    One child as good as can be is enough; else all must be proven (Winands, Björnsson and Saito
    2008), and the parent is worth what the best of them is: a loss, a draw or a margin.
    """
    proof = tree.proof[child]
    sign = 1 if seat == 0 else -1
    best = sign * np.int64(proof)
    if best < settings.highest:
        # another thread may be proving the parent just now
        atomics.claim(tree.proof, parent, np.int8(UNKNOWN), np.int8(NEAR))
        if tree.proof[parent] > NEAR:
            return True
        first, count = np.int64(tree.first[parent]), np.int64(tree.count[parent])
        for sibling in range(first, first + count):
            proof = tree.proof[sibling]
            if proof <= NEAR:
                return False
            best = max(best, sign * np.int64(proof))
    tree.proof[parent] = np.int8(sign * best)
    return True


@bare_part
def spread(moments: Array) -> float:
    """The standard deviation of the results so far; 1/2, the highest possible, before two."""
    count = moments[0]
    if count < 2.0:
        return 0.5
    mean = moments[1] / count
    return float(np.sqrt(max(moments[2] / count - mean * mean, 0.0)))


@bare_part
def pass_back(
    tree: Tree,
    worker: Worker,
    near: Array,
    depth: int,
    least: int,
    worth: Real,
    playouts: Int,
    settings: Settings,
) -> None:
    """Add what was gathered in `near`, and the descent's own moves, to the children of each node on
    the way back from `depth` up to depth `least`: to each child the games that have its move from
    there on. `worth` is that of all `playouts`.
    """
    for step in range(depth, least, -1):
        node, parent = np.int64(worker.path[step]), np.int64(worker.path[step - 1])
        seat = np.int64(worker.chooser[step])
        near[seat, 0, tree.move[node]] += np.float32(playouts)
        near[seat, 1, tree.move[node]] += np.float32(worth)
        first, count = np.int64(tree.first[parent]), np.int64(tree.count[parent])
        for child in range(first, first + count):
            games, total = near[seat, 0, tree.move[child]], near[seat, 1, tree.move[child]]
            add(tree.near_visits, child, games, settings)
            add(tree.near_total, child, total if seat == 0 else games - total, settings)


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
