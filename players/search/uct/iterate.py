"""The iterations of UCT: descend, expand, find what the leaf is worth, back it up."""

from __future__ import annotations

from typing import Any

import numpy as np

from players.compiled import atomics as shared
from players.compiled.bits import is_set
from players.compiled.cache import bare_kernel, bare_part
from players.games import interface as game
from players.search.tree import NEAR, UNEXPANDED
from players.search.uct.backup import add_result, prove_parent
from players.search.uct.expand import expand, is_ripe
from players.search.uct.leaf import leaf_worth
from players.search.uct.rave import pass_back
from players.search.uct.select import next_untried, select

SPREAD_STEP = 64
"""Iterations after which c is set anew from the spread of the results."""


@bare_part
def add_visit(tree: Any, node: Any, settings: Any) -> None:
    """Count a visit before its result is known: until then it is lost for whoever chooses here,
    and other threads look elsewhere (virtual loss).
    """
    if settings.shared:
        shared.add(tree.visits, node, np.int32(settings.samples))
    else:
        tree.visits[node] += np.int32(settings.samples)


@bare_part
def note_result(moments: Any, result: Any) -> None:
    """Add a leaf's mean result to the moments of a search."""
    moments[0] += 1.0
    moments[1] += result
    moments[2] += result * result


@bare_part
def spread(moments: Any) -> Any:
    """The standard deviation of the results so far; 1/2, the highest possible, before two."""
    count = moments[0]
    if count < 2.0:
        return 0.5
    mean = moments[1] / count
    return np.sqrt(max(moments[2] / count - mean * mean, 0.0))


@bare_kernel
def iterate(
    tree: Any, position: Any, settings: Any, worker: Any, memory: Any, stop: Any, limit: Any
) -> Any:
    """Run iterations from the root, which is `position`, until `stop` is set or the root is
    proven; at most `limit`. Returns how many were run.

    `memory` is that of the game's endgame solver.
    """
    buffer, values, path, chooser = worker.moves, worker.values, worker.path, worker.chooser
    state = worker.random_state[0]
    c = settings.c
    done = 0
    while done < limit and not is_set(stop) and tree.proof[0] <= NEAR:
        if settings.spread_factor > 0.0 and done % SPREAD_STEP == 0:
            c = settings.spread_factor * spread(worker.moments)
        node, here, depth = np.int64(0), position, 0
        path[0], chooser[0] = 0, 0
        add_visit(tree, node, settings)
        while tree.proof[node] <= NEAR and depth < settings.plies:
            count = np.int64(shared.read(tree.count, node))
            if count == UNEXPANDED and (node == 0 or is_ripe(tree, node, settings)):
                state = expand(tree, node, here, settings, buffer, state)
                count = np.int64(tree.count[node])
            if count <= 0:
                break
            child = np.int64(-1)
            if settings.rave == 0.0:
                child = next_untried(tree, node, count, settings)
            if child < 0:
                opponent = here.seat != position.seat
                child = select(tree, node, here.seat, opponent, c, settings, values)
            depth += 1
            path[depth], chooser[depth] = child, here.seat
            add_visit(tree, child, settings)
            here = game.play(here, np.int64(tree.move[child]))
            node = child
        if settings.rave > 0.0:
            worker.near[:] = np.float32(0.0)
        worth, state = leaf_worth(tree, node, here, depth, settings, memory, worker, state, stop)
        if settings.rave > 0.0:
            pass_back(tree, worker, depth, worth, settings)
        worker.deepest[0] = max(worker.deepest[0], depth)
        note_result(worker.moments, worth / settings.samples)
        proven = tree.proof[node] > NEAR
        for step in range(depth, -1, -1):
            node = np.int64(path[step])
            add_result(
                tree, node, worth if chooser[step] == 0 else settings.samples - worth, settings
            )
            if proven and step > 0:
                parent = np.int64(path[step - 1])
                proven = prove_parent(tree, parent, node, chooser[step], settings)
                if proven:
                    proof = np.float64(tree.proof[parent])
                    worth = settings.samples * (0.5 + settings.worth * proof)
        done += 1
    worker.random_state[0] = state
    return done
