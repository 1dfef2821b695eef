"""Games that teach a network, compiled: each is played greedily by the network as it is.

An afterstate is a board after a slide; its value is what is still to come from there. The target of
afterstate t is the truncated λ-return: with the reward r and the value V of each afterstate,

    target(t) = r(t+1) + (1−λ)·V(t+1) + λ·target(t+1), as far as `steps` afterstates ahead,

and there the value stands for the target; after the last afterstate nothing is to come. One step is
TD(0), λ = 1 is the n-step return, and over a whole game Monte Carlo. Backward updates go from the
end of a game to its start and see values as updated already; forward updates are made while the
game goes on, as soon as the afterstates ahead are known, and see each value as it was when the
afterstate was chosen.

An update takes alpha·(target − value), split evenly over the entries of the board; with temporal
coherence (Beal and Smith 1999) each weight takes the share |E|/A of it, for the sum E of its errors
so far and the sum A of their sizes, and all while A is 0.

All kernels of learning are in this file, made of parts of `players.kernels`: so the cache sees it
when one changes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from players.kernels.bits import ZERO, is_set
from players.kernels.cache import bare_kernel, part
from players.kernels.network import NOTHING, SYMMETRIES, Network, entries, value, weight
from players.kernels.tiles import SLIDES, largest, of_words, pushed, spawned, transposed, words

WHOLE_GAME = 1 << 40
"""So many steps are more than any game has."""
ROOM = 1 << 15
"""Afterstates there is room for at first; it doubles with a game that is longer."""
WORST = -1e300


class Rule(NamedTuple):
    """How weights follow the targets."""

    alpha: Any
    """float64: the share of the error an update takes."""
    mix: Any
    """float64: λ."""
    steps: Any
    """int64: how far targets look ahead; `WHOLE_GAME` for all."""
    coherent: Any
    """bool: whether temporal coherence sets each weight's rate."""
    forward: Any
    """bool: whether updates are made while the game goes on."""


class Memory(NamedTuple):
    """What changes as a network learns. Threads share it and write it without locks: where two
    update a weight at once one update may be lost, and no two runs are the same.
    """

    network: Any
    errors: Any
    """float32[weights]: E; of length 1 without temporal coherence."""
    sizes: Any
    """float32[weights]: A, likewise."""


class Tally(NamedTuple):
    """One thread's games of a block, and its random numbers."""

    random: Any
    """uint64[1]: the state of the random numbers."""
    counts: Any
    """int64[2]: the games played so far, and their moves."""
    scores: Any
    """uint64[games]: the score of each desk."""
    tops: Any
    """uint64[games]: the index of its largest tile."""


class Desk(NamedTuple):
    """What a thread works with: the afterstates of the game it plays, with room for more."""

    boards: Any
    """uint64[2·room]: two words each."""
    rewards: Any
    """float64[room]: for the slide that led there."""
    values: Any
    """float64[room]: what the network took each to be worth."""
    held: Any
    """uint64[4]: of a game that waits for room its board's two words, its score, and how many
    afterstates it has; 0 of them when none waits.
    """
    at: Any
    """uint64[entries of a board]."""


def new_desk(network: Network, room: int = ROOM) -> Desk:
    """A desk with room for so many afterstates."""
    return Desk(
        np.zeros(2 * room, np.uint64),
        np.zeros(room),
        np.zeros(room),
        np.zeros(4, np.uint64),
        np.zeros(SYMMETRIES * len(network.masks), np.uint64),
    )


def with_more_room(desk: Desk) -> Desk:
    """The desk with room for twice as many afterstates."""
    boards, rewards, values = (
        np.concatenate([each, np.zeros_like(each)])
        for each in (desk.boards, desk.rewards, desk.values)
    )
    return Desk(boards, rewards, values, desk.held, desk.at)


@bare_kernel
def learn(start: Any, laws: Any, memory: Any, rule: Any, tally: Any, desk: Any, stop: Any) -> Any:
    """Play and learn until `tally` is full, or the int64[1] `stop` is set, which is seen after each
    game. `start` is the empty board. Whether the desk lacks room for the game that was begun: call
    again with more, and it goes on.
    """
    state, played, held = tally.random[0], tally.counts[0], desk.held
    board, score, count = of_words(start, held[0], held[1]), held[2], np.int64(held[3])
    while count > 0 or (played < len(tally.scores) and not is_set(stop)):
        if count == 0:
            board, state = spawned(start, laws, state)
            board, state = spawned(board, laws, state)
            score = ZERO
        while True:
            after, can, reward, worth = best_slide(board, laws, memory.network)
            if not can:
                break
            if count == len(desk.rewards):
                held[0], held[1] = words(board)
                held[2], held[3], tally.random[0] = score, np.uint64(count), state
                return True
            desk.boards[2 * count], desk.boards[2 * count + 1] = words(after)
            desk.rewards[count], desk.values[count] = np.float64(reward), worth
            if rule.forward:
                learn_reached(desk, count, start, memory, rule)
            count += 1
            score += reward
            board, state = spawned(after, laws, state)
        learn_ended(desk, count, start, memory, rule)
        tally.scores[played], tally.tops[played] = score, largest(board)
        played += 1
        tally.counts[0], tally.random[0] = played, state
        tally.counts[1] += count
        count, held[3] = np.int64(0), ZERO
    return False


@bare_kernel
def play(start: Any, laws: Any, network: Any, tally: Any, at: Any, visits: Any) -> None:
    """Play until `tally` is full and learn nothing. uint32[weights] `visits` counts how often each
    weight was asked for an afterstate that was chosen; uint64[entries] `at` is for its own use.
    """
    state, size = tally.random[0], np.uint64(network.offsets[-1])
    for number in range(len(tally.scores)):
        board, state = spawned(start, laws, state)
        board, state = spawned(board, laws, state)
        while True:
            after, can, reward, _ = best_slide(board, laws, network)
            if not can:
                break
            for index in range(entries(after, network, at)):
                place = at[index]
                visits[place] += np.uint32(1)
                while network.weights[place] == NOTHING and place >= size:
                    place -= size  # the stage before answers
                    visits[place] += np.uint32(1)
            tally.scores[number] += reward
            tally.counts[1] += 1
            board, state = spawned(after, laws, state)
        tally.tops[number] = largest(board)
        tally.counts[0] += 1
    tally.random[0] = state


@part
def best_slide(board: Any, laws: Any, network: Any) -> Any:
    """(the afterstate of the best slide, or its mirror image; whether there is a slide; the reward
    as uint64; the afterstate's value).
    """
    best, chosen, can, gained, worth = WORST, board, False, ZERO, 0.0
    side = transposed(board)
    for slide in range(SLIDES):
        start = side if slide < 2 else board
        after, changed, reward = pushed(start, laws.left if slide & 1 == 0 else laws.right)
        if changed:
            rest = value(after, network)
            if np.float64(reward) + rest > best:
                best, worth = np.float64(reward) + rest, rest
                chosen, can, gained = after, True, reward
    return chosen, can, gained, worth


@part
def learn_reached(desk: Any, last: Any, start: Any, memory: Any, rule: Any) -> None:
    """Forward: afterstate `last` was reached, so the one `steps` before it has its target."""
    if last >= rule.steps:
        first = last - rule.steps
        target = _ahead(desk, first, last, desk.values[last], rule.mix)
        update(_board(desk, first, start), target, memory, rule, desk.at)


@part
def learn_ended(desk: Any, count: Any, start: Any, memory: Any, rule: Any) -> None:
    """The game ended after `count` afterstates: all are updated that are not yet."""
    if rule.forward:
        _learn_rest(desk, count, start, memory, rule)
    else:
        _learn_backward(desk, count, start, memory, rule)


@part
def _learn_backward(desk: Any, count: Any, start: Any, memory: Any, rule: Any) -> None:
    to_come = 0.0
    for index in range(count - 1, -1, -1):
        last = index + rule.steps
        target = to_come
        if last < count:
            target = _ahead(desk, index, last, desk.values[last], rule.mix)
        desk.values[index] = update(_board(desk, index, start), target, memory, rule, desk.at)
        to_come = _step_back(desk, index, to_come, rule.mix)


@part
def _learn_rest(desk: Any, count: Any, start: Any, memory: Any, rule: Any) -> None:
    """Forward: the last afterstates, whose targets reach the end; these take the values' place."""
    first, to_come = max(np.int64(0), count - rule.steps), 0.0
    for index in range(count - 1, first - 1, -1):
        before = _step_back(desk, index, to_come, rule.mix)
        desk.values[index], to_come = to_come, before
    for index in range(first, count):
        update(_board(desk, index, start), desk.values[index], memory, rule, desk.at)


@part
def _ahead(desk: Any, index: Any, last: Any, to_come: Any, mix: Any) -> Any:
    """The target of afterstate `index`, if that of `last` is `to_come`."""
    for later in range(last, index, -1):
        to_come = _step_back(desk, later, to_come, mix)
    return to_come


@part
def _step_back(desk: Any, index: Any, target: Any, mix: Any) -> Any:
    """The target of the afterstate before `index`, from that of `index`."""
    return desk.rewards[index] + (1.0 - mix) * desk.values[index] + mix * target


@part
def update(board: Any, target: Any, memory: Any, rule: Any, at: Any) -> Any:
    """Move the value of `board` towards `target`; the value it has then. `at` is uint64[entries],
    for the kernel's own use.
    """
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
def _total(weights: Any, at: Any, count: Any) -> Any:
    total = NOTHING
    for index in range(count):
        total += weights[at[index]]
    return total


@part
def _board(desk: Any, index: Any, start: Any) -> Any:
    return of_words(start, desk.boards[2 * index], desk.boards[2 * index + 1])
