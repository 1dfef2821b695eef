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
so far and the sum A of their sizes, and all while A is 0. Both are next to the weight, in the same
line of the processor's cache.

Rewards, values and targets are one player's. Where boards are seen by the player to move, as in
games of two, a sign marks whose view it is.

Threads share a network and write it without locks: where two update a weight at once one update may
be lost, and no two runs are the same.
"""

from typing import Any, NamedTuple

import numpy as np

from players.compiled.cache import part
from players.compiled.types import Array, Int, Real, Word
from players.ntuple.board import Grid, of_words
from players.ntuple.network import (
    NOTHING,
    SYMMETRIES,
    Network,
    breadth,
    entries,
    listed_value,
    weight,
)

WHOLE_GAME = 1 << 40
"""More steps than any game has."""

SUMS_SPREAD = 2
"""With sums a weight has four places: its own, those of E and A, and one that is free."""
ERROR, SIZE = np.uint64(1), np.uint64(2)

LISTED, AHEAD = np.uint64(4), 2
"""Boards whose weights are listed at a time, as many as a board of tiles has slides; how many
updates before its own a board is listed, so that the processor has fetched its weights by then."""


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


class Trajectory(NamedTuple):
    """The memory of a thread: the afterstates of the game it plays, with room for more."""

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
    """uint64[LISTED · (entries of a board + 1)]: where the weights of some boards are, and after
    that a number for each."""


def with_sums(network: Network, errors: Any = NOTHING, sizes: Any = NOTHING) -> Network:
    """The network with room for temporal coherence: E and A of each weight, float32[weights]."""
    rows = np.zeros((len(network.weights), 1 << SUMS_SPREAD), np.float32)
    rows[:, 0], rows[:, ERROR], rows[:, SIZE] = network.weights, errors, sizes
    return network._replace(weights=rows.ravel(), spread=np.uint64(SUMS_SPREAD))


def new_trajectory(network: Network, room: int) -> Trajectory:
    """A trajectory with room for that many afterstates."""
    return Trajectory(
        np.zeros(2 * room, np.uint64),
        np.zeros(room),
        np.zeros(room),
        np.ones(room),
        np.zeros(4, np.uint64),
        np.zeros(int(LISTED) * (SYMMETRIES * len(network.masks) + 1), np.uint64),
    )


@part
def learn_reached(
    trajectory: Trajectory, last: Int, start: Grid, network: Network, rule: Rule
) -> None:
    """Forward: afterstate `last` was reached, so the one `steps` before it has its target."""
    if last >= rule.steps:
        first = last - rule.steps
        target = _ahead(trajectory, first, last, trajectory.values[last], rule.mix)
        _list_at(trajectory, first, start, network)
        _update_at(trajectory, first, target, network, rule)


@part
def learn_ended(
    trajectory: Trajectory, count: Int, to_come: Real, start: Grid, network: Network, rule: Rule
) -> None:
    """The game ended after `count` afterstates, with `to_come` after the last one: all are updated
    that are not yet.
    """
    if not rule.forward:
        for index in range(count - 1 + AHEAD, -1, -1):
            if index >= AHEAD:
                _list_at(trajectory, index - AHEAD, start, network)
            if index >= count:
                continue
            last = index + rule.steps
            target = to_come
            if last < count:
                target = _ahead(trajectory, index, last, trajectory.values[last], rule.mix)
            trajectory.values[index] = _update_at(trajectory, index, target, network, rule)
            to_come = _step_back(trajectory, index, to_come, rule.mix)
        return
    first = max(np.int64(0), count - rule.steps)
    for index in range(count - 1, first - 1, -1):  # targets take the values' place
        before = _step_back(trajectory, index, to_come, rule.mix)
        trajectory.values[index], to_come = to_come, before
    for index in range(first, count):
        _list_at(trajectory, index, start, network)
        _update_at(trajectory, index, trajectory.values[index], network, rule)


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
def _list_at(trajectory: Trajectory, index: Int, start: Grid, network: Network) -> None:
    """List where the weights of an afterstate are."""
    board = of_words(start, trajectory.boards[2 * index], trajectory.boards[2 * index + 1])
    entries(board, network, trajectory.at, _listed_at(index, network))


@part
def _listed_at(index: Int, network: Network) -> Word:
    return np.uint64(index) % LISTED * breadth(network)


@part
def _update_at(
    trajectory: Trajectory, index: Int, target: Real, network: Network, rule: Rule
) -> Any:
    """`update` of an afterstate as the player sees it, whose entries are listed."""
    sign, first = trajectory.signs[index], _listed_at(index, network)
    return sign * update(network, sign * target, rule, trajectory.at, first)


@part
def update(network: Network, target: Real, rule: Rule, at: Array, first: Word) -> Any:
    """Move the value of the board whose weights are at uint64[] `at`, from `first` on, towards
    `target`; the value it has then.
    """
    weights, end = network.weights, first + breadth(network)
    if len(network.floors) > 0:  # a later stage goes on from the weights it inherits
        for index in range(first, end):
            weights[at[index]] = weight(network, at[index])
    error = target - listed_value(network, at, first)
    count = np.float64(breadth(network))
    step, share = np.float32(rule.alpha * error / count), np.float32(error / count)
    if rule.coherent:
        for index in range(first, end):
            cell = at[index]
            missed, size = weights[cell + ERROR], weights[cell + SIZE]
            weights[cell] += step * abs(missed) / size if size > NOTHING else step
            weights[cell + ERROR] = missed + share
            weights[cell + SIZE] = size + abs(share)
    else:
        for index in range(first, end):
            weights[at[index]] += step
    return listed_value(network, at, first)
