"""Games that teach a network, compiled: each is played greedily by the network as it is.

An afterstate is a board after a slide; its value is what is still to come from there.

All kernels of learning are in this file: so the cache sees it when one changes.
"""

from typing import NamedTuple

import numpy as np

from players.compiled.bits import ZERO, is_set
from players.compiled.cache import bare_kernel, part
from players.games.tiles.interface import SLIDES, Laws, downgraded, gaps, largest, pushed, spawned
from players.ntuple.board import of_words, transposed, words
from players.ntuple.network import NOTHING, Network, breadth, entries, listed_value
from players.ntuple.temporal import LISTED, Rule, Trajectory, learn_ended, learn_reached
from players.search.types import Array, Flag, Int, Real, Tiles, Word

ROOM = 1 << 15
"""Afterstates there is room for at first; it doubles with a game that is longer."""
WORST = -1e300
NO_SLIDE = np.uint64(1 << 63)
NO_VISITS = np.zeros(0, np.uint32)
"""For games whose weights are not counted."""


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
    network: Network,
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
            after, slide, reward, worth = best_slide(board, laws, network, ZERO, trajectory.at)
            if slide < 0:
                break
            if count == len(trajectory.rewards):
                held[0], held[1] = words(board)
                held[2], held[3], tally.random[0] = score, np.uint64(count), state
                return True
            trajectory.boards[2 * count], trajectory.boards[2 * count + 1] = words(after)
            trajectory.rewards[count], trajectory.values[count] = np.float64(reward), worth
            if rule.forward:
                learn_reached(trajectory, count, start, network, rule)
            count += 1
            score += reward
            board, state = spawned(after, laws, state)
        learn_ended(trajectory, count, 0.0, start, network, rule)
        tally.scores[played], tally.tops[played] = score, largest(board)
        played += 1
        tally.counts[0], tally.random[0] = played, state
        tally.counts[1] += count
        count, held[3] = np.int64(0), ZERO
    return False


@bare_kernel
def play(
    start: Tiles,
    laws: Laws,
    network: Network,
    ceiling: Word,
    tally: TileTally,
    at: Array,
    visits: Array,
) -> None:
    """Play until `tally` is full and learn nothing. The network sees boards `downgraded` by their
    `gaps` under `ceiling`. uint32[weights] `visits` counts how often each weight was asked for, or
    is empty; `at` is that of `best_slide`.
    """
    state = tally.random[0]
    for number in range(len(tally.scores)):
        board, state = spawned(start, laws, state)
        board, state = spawned(board, laws, state)
        while True:
            _, slide, _, _ = best_slide(board, laws, network, gaps(board, ceiling), at)
            if slide < 0:
                break
            if len(visits) > 0:
                count_visits(network, at, visits)
            after, _, reward = _towards(board, transposed(board), slide, laws)
            tally.scores[number] += reward
            tally.counts[1] += 1
            board, state = spawned(after, laws, state)
        tally.tops[number] = largest(board)
        tally.counts[0] += 1
    tally.random[0] = state


@part
def count_visits(network: Network, at: Array, visits: Array) -> None:
    """Count the weights `best_slide` asked for; where a stage has none, those before it too."""
    size, stage = breadth(network), np.uint64(network.offsets[-1])
    for slide in range(SLIDES):
        if at[LISTED * size + np.uint64(slide)] == NO_SLIDE:
            continue
        for index in range(size):
            place = at[np.uint64(slide) * size + np.uint64(index)]
            visits[place] += np.uint32(1)
            while network.weights[place] == NOTHING and place >= stage:
                place -= stage  # the stage before answers
                visits[place] += np.uint32(1)


@part
def best_slide(
    board: Tiles, laws: Laws, network: Network, missing: Word, at: Array
) -> tuple[Tiles, Int, Word, Real]:
    """(the afterstate of the best slide, or its mirror image; the slide, −1 for none; the reward
    as uint64; the afterstate's value, `downgraded` by the gaps `missing`). The weights of all
    slides are asked for before the first is summed up: `at`, that of a trajectory, has where they
    are, and then the rewards.
    """
    side, size = transposed(board), breadth(network)
    rewards = LISTED * size
    for slide in range(SLIDES):
        after, changed, reward = _towards(board, side, slide, laws)
        at[rewards + np.uint64(slide)] = reward if changed else NO_SLIDE
        if changed:
            entries(downgraded(after, missing), network, at, np.uint64(slide) * size)
    best, chosen, gained, worth = WORST, -1, ZERO, 0.0
    for slide in range(SLIDES):
        reward = at[rewards + np.uint64(slide)]
        if reward != NO_SLIDE:
            rest = listed_value(network, at, np.uint64(slide) * size)
            if np.float64(reward) + rest > best:
                best, worth = np.float64(reward) + rest, rest
                chosen, gained = slide, reward
    after, _, _ = _towards(board, side, chosen, laws)
    return after, chosen, gained, worth


@part
def _towards(board: Tiles, side: Tiles, slide: Int, laws: Laws) -> tuple[Tiles, bool, Word]:
    """`slid`, but transposed where the slide is up or down; `side` is the board transposed."""
    start = side if slide < 2 else board
    found: tuple[Tiles, bool, Word] = pushed(start, laws.left if slide & 1 == 0 else laws.right)
    return found
