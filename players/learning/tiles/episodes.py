"""Games that teach a network, compiled: each is played greedily by the network as it is.

An afterstate is a board after a slide; its value is what is still to come from there.

All kernels of learning are in this file: so the cache sees it when one changes.
"""

from typing import NamedTuple

import numpy as np

from players.compiled.bits import ZERO, is_set
from players.compiled.cache import bare_kernel, part
from players.games.tiles.interface import SLIDES, Laws, largest, pushed, spawned
from players.ntuple.board import of_words, transposed, words
from players.ntuple.network import NOTHING, Network, entries, value
from players.ntuple.temporal import Memory, Rule, Trajectory, learn_ended, learn_reached
from players.search.types import Array, Flag, Real, Tiles, Word

ROOM = 1 << 15
"""Afterstates there is room for at first; it doubles with a game that is longer."""
WORST = -1e300


class TileTally(NamedTuple):
    """One thread's games of a block, and its random numbers."""

    random: Array
    """uint64[1]: the state of the random numbers."""
    counts: Array
    """int64[2]: the games played so far, and their moves."""
    scores: Array
    """uint64[games]: the score of each game."""
    tops: Array
    """uint64[games]: the index of its largest tile."""


def with_more_room(trajectory: Trajectory) -> Trajectory:
    """The trajectory with room for twice as many afterstates."""
    boards, rewards, values = (np.append(each, np.zeros_like(each)) for each in trajectory[:3])
    signs = np.ones(len(rewards))
    return Trajectory(boards, rewards, values, signs, trajectory.held, trajectory.at)


@bare_kernel
def learn(
    start: Tiles,
    laws: Laws,
    memory: Memory,
    rule: Rule,
    tally: TileTally,
    trajectory: Trajectory,
    stop: Flag,
) -> bool:
    """Play from the empty board `start` and learn until `tally` is full, or `stop` is set, which is
    seen after each game. True when the trajectory lacks room for the game: call again with more.
    """
    state, played, held = tally.random[0], tally.counts[0], trajectory.held
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
            if count == len(trajectory.rewards):
                held[0], held[1] = words(board)
                held[2], held[3], tally.random[0] = score, np.uint64(count), state
                return True
            trajectory.boards[2 * count], trajectory.boards[2 * count + 1] = words(after)
            trajectory.rewards[count], trajectory.values[count] = np.float64(reward), worth
            if rule.forward:
                learn_reached(trajectory, count, start, memory, rule)
            count += 1
            score += reward
            board, state = spawned(after, laws, state)
        learn_ended(trajectory, count, 0.0, start, memory, rule)
        tally.scores[played], tally.tops[played] = score, largest(board)
        played += 1
        tally.counts[0], tally.random[0] = played, state
        tally.counts[1] += count
        count, held[3] = np.int64(0), ZERO
    return False


@bare_kernel
def play(
    start: Tiles, laws: Laws, network: Network, tally: TileTally, at: Array, visits: Array
) -> None:
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
def best_slide(board: Tiles, laws: Laws, network: Network) -> tuple[Tiles, bool, Word, Real]:
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
