"""Temporal differences: how a network learns from the afterstates of a game.

The target of afterstate t is the truncated λ-return: with each afterstate's reward r and value V,

    target(t) = r(t+1) + (1−λ)·V(t+1) + λ·target(t+1), as far as `steps` afterstates ahead,

and there the value stands for the target; after the last afterstate nothing is to come. One step is
TD(0), λ = 1 is the n-step return, and over a whole game Monte Carlo. Backward updates go from the
end of a game to its start and see values as updated already; forward updates are made while the
game goes on, as soon as the afterstates ahead are known, and see each value as it was when the
afterstate was chosen.

An update takes alpha·(target − value), split evenly over the entries of the board; with temporal
coherence (Beal and Smith 1999) each weight takes the share |E|/A of it, for the sum E of its errors
so far and the sum A of their sizes, and all while A is 0.

Rewards, values and targets are one player's. Where boards are seen by the player to move, as in
games of two, a sign tells whose view it is.
"""

from typing import Any, NamedTuple

import numpy as np

from players.compiled.cache import part
from players.compiled.types import Array, Int, Real
from players.ntuple.board import Grid, of_words
from players.ntuple.network import NOTHING, SYMMETRIES, Network, entries, weight

WHOLE_GAME = 1 << 40
"""More steps than any game has."""


class Rule(NamedTuple):
    """How weights follow the targets."""

    alpha: Real
    """float64: the share of the error an update takes."""
    mix: Real
    """float64: λ."""
    steps: Int
    """int64: how far targets look ahead; `WHOLE_GAME` for all."""
    coherent: bool
    """bool: whether temporal coherence sets each weight's rate."""
    forward: bool
    """bool: whether updates are made while the game goes on."""


class Memory(NamedTuple):
    """What changes as a network learns. Threads share it and write it without locks: where two
    update a weight at once one update may be lost, and no two runs are the same.
    """

    network: Network
    errors: Array
    """float32[weights]: E; of length 1 without temporal coherence."""
    sizes: Array
    """float32[weights]: A, likewise."""


class Trajectory(NamedTuple):
    """What a thread works with: the afterstates of the game it plays, with room for more."""

    boards: Array
    """uint64[2·room]: two words each."""
    rewards: Array
    """float64[room]: for the move that led there."""
    values: Array
    """float64[room]: what the network took each to be worth."""
    signs: Array
    """float64[room]: −1 where the board is seen by the other player, else 1."""
    held: Array
    """uint64[4]: of a game that waits for room its board's words, score and afterstates, else 0."""
    at: Array
    """uint64[entries of a board]."""


def new_trajectory(network: Network, room: int) -> Trajectory:
    """A trajectory with room for that many afterstates."""
    return Trajectory(
        np.zeros(2 * room, np.uint64),
        np.zeros(room),
        np.zeros(room),
        np.ones(room),
        np.zeros(4, np.uint64),
        np.zeros(SYMMETRIES * len(network.masks), np.uint64),
    )


@part
def learn_reached(
    trajectory: Trajectory, last: Int, start: Grid, memory: Memory, rule: Rule
) -> None:
    """Forward: afterstate `last` was reached, so the one `steps` before it has its target."""
    if last >= rule.steps:
        first = last - rule.steps
        target = _ahead(trajectory, first, last, trajectory.values[last], rule.mix)
        _update_at(trajectory, first, target, start, memory, rule)


@part
def learn_ended(
    trajectory: Trajectory, count: Int, to_come: Real, start: Grid, memory: Memory, rule: Rule
) -> None:
    """The game ended after `count` afterstates, with so much `to_come` after the last one: all are
    updated that are not yet.
    """
    if not rule.forward:
        for index in range(count - 1, -1, -1):
            last = index + rule.steps
            target = to_come
            if last < count:
                target = _ahead(trajectory, index, last, trajectory.values[last], rule.mix)
            trajectory.values[index] = _update_at(trajectory, index, target, start, memory, rule)
            to_come = _step_back(trajectory, index, to_come, rule.mix)
        return
    first = max(np.int64(0), count - rule.steps)
    for index in range(count - 1, first - 1, -1):  # targets take the values' place
        before = _step_back(trajectory, index, to_come, rule.mix)
        trajectory.values[index], to_come = to_come, before
    for index in range(first, count):
        _update_at(trajectory, index, trajectory.values[index], start, memory, rule)


@part
def _ahead(trajectory: Trajectory, index: Int, last: Int, to_come: Real, mix: Real) -> Any:
    """The target of afterstate `index`, if that of `last` is `to_come`."""
    for later in range(last, index, -1):
        to_come = _step_back(trajectory, later, to_come, mix)
    return to_come


@part
def _step_back(trajectory: Trajectory, index: Int, target: Real, mix: Real) -> Any:
    """The target of the afterstate before `index`, from that of `index`."""
    return trajectory.rewards[index] + (1.0 - mix) * trajectory.values[index] + mix * target


@part
def _update_at(
    trajectory: Trajectory, index: Int, target: Real, start: Grid, memory: Memory, rule: Rule
) -> Any:
    """`update` of an afterstate as the player sees it."""
    board = of_words(start, trajectory.boards[2 * index], trajectory.boards[2 * index + 1])
    sign = trajectory.signs[index]
    return sign * update(board, sign * target, memory, rule, trajectory.at)


@part
def update(board: Grid, target: Real, memory: Memory, rule: Rule, at: Array) -> Any:
    """Move the value of `board` towards `target`; the value it has then. `at`: uint64[entries]."""
    network = memory.network
    weights, count = network.weights, entries(board, network, at)
    if len(network.floors) > 0:  # a later stage goes on from the weights it inherits
        for index in range(count):
            weights[at[index]] = weight(network, at[index])
    error = target - network.initial - np.float64(_total(weights, at, count))
    step, share = np.float32(rule.alpha * error / count), np.float32(error / count)
    if rule.coherent:
        errors, sizes = memory.errors, memory.sizes
        for index in range(count):
            cell = at[index]
            size = sizes[cell]
            weights[cell] += step * abs(errors[cell]) / size if size > NOTHING else step
            errors[cell] += share
            sizes[cell] = size + abs(share)
    else:
        for index in range(count):
            weights[at[index]] += step
    return network.initial + np.float64(_total(weights, at, count))


@part
def _total(weights: Array, at: Array, count: Int) -> Any:
    total = NOTHING
    for index in range(count):
        total += weights[at[index]]
    return total
