"""Games of Othello and of dots that teach a network, compiled.

Both sides choose the move after which the network expects most for them, or now and then one at
random. An afterstate is the position after a move, seen by the player to move; its value is what
that player still wins by. Nothing is learned from what a random move led to: what came before it
learns up to the last afterstate that was chosen, which keeps its value.

All kernels of learning are in this file: so the cache sees it when one changes.
"""

from typing import NamedTuple

import numpy as np

from players.compiled.bits import UNIT, below, draw, is_set
from players.compiled.cache import bare_kernel, part
from players.games import interface as game
from players.games.interface import count_moves
from players.ntuple.board import banked, view, words
from players.ntuple.network import Network, value
from players.ntuple.temporal import Rule, Trajectory, learn_ended, learn_reached
from players.search.types import Array, Flag, Position, Rng

WORST = -1e300


class Habits(NamedTuple):
    """How games are played."""

    plies: np.int64
    epsilon: np.float64
    """How often a later move is random, 0 to 1."""


class GameTally(NamedTuple):
    """One thread's games of a block, and its random numbers."""

    random: Array
    """uint64[1]: the state of the random numbers."""
    counts: Array
    """int64[2]: the games played so far, and their moves."""
    games: np.int64
    """How many games there are to be."""


@bare_kernel
def learn(
    start: Position,
    network: Network,
    rule: Rule,
    habits: Habits,
    tally: GameTally,
    trajectory: Trajectory,
    moves: Array,
    stop: Flag,
) -> None:
    """Play from `start` and learn until `tally` is full, or the int64[1] `stop` is set, which is
    seen after each game. The trajectory has room for PLIES afterstates; int16[MOVES] `moves` is for
    the kernel's own use.
    """
    state, model = tally.random[0], view(start)
    while tally.counts[0] < tally.games and not is_set(stop):
        position, state = opened(start, habits.plies, moves, state)
        count = 0
        while count_moves(position) > 0:
            state, bits = draw(state)
            is_random = np.float64(bits) * UNIT < habits.epsilon
            if is_random:
                if count > 0:
                    last = trajectory.values[count - 1]
                    learn_ended(trajectory, count, last, model, network, rule)
                count = 0
                after, state = at_random(position, moves, state)
            else:
                after = best_after(position, network, moves)
            gained = np.float64(banked(after) - banked(position))
            position = after
            tally.counts[1] += 1
            if count_moves(position) == 0:
                if not is_random:
                    last = gained + np.float64(game.net(position) - banked(position))
                    learn_ended(trajectory, count, last, model, network, rule)
                break
            board, sign = view(position), 1.0 if position.seat == 0 else -1.0
            trajectory.boards[2 * count], trajectory.boards[2 * count + 1] = words(board)
            trajectory.rewards[count], trajectory.signs[count] = gained, sign
            trajectory.values[count] = sign * value(board, network)
            if rule.forward:
                learn_reached(trajectory, count, model, network, rule)
            count += 1
        tally.counts[0] += 1
        tally.random[0] = state


@bare_kernel
def compare(
    start: Position,
    network: Network,
    terms: Array,
    greedy: bool,
    habits: Habits,
    random: Array,
    pairs: int,
    moves: Array,
    sums: Array,
) -> None:
    """Play that many pairs of games, each from an opening with colours swapped, against a yardstick
    that chooses at 1 ply by the evaluation of `terms` if `greedy`, else at random; add to the
    float64[2] `sums` the network's points and margin. `random` is uint64[1].
    """
    state = random[0]
    for _ in range(pairs):
        opening, state = opened(start, habits.plies, moves, state)
        for seat in range(2):
            position = opening
            while count_moves(position) > 0:
                if position.seat == seat:
                    position = best_after(position, network, moves)
                elif greedy:
                    position = best_estimate(position, terms, moves)
                else:
                    position, state = at_random(position, moves, state)
            net = np.float64(game.net(position))
            net = net if seat == 0 else -net
            sums[0] += 0.5 + 0.5 * np.sign(net)
            sums[1] += net
    random[0] = state


@part
def opened(start: Position, plies: int, moves: Array, state: Rng) -> tuple[Position, Rng]:
    """(a position after that many random moves, not over yet, the state of the random numbers)."""
    position = start
    for _ in range(plies):
        after, state = at_random(position, moves, state)
        if count_moves(after) == 0:
            break
        position = after
    return position, state


@part
def at_random(position: Position, moves: Array, state: Rng) -> tuple[Position, Rng]:
    """(the position after a random move, the state of the random numbers)."""
    count = game.moves(position, moves)
    state, bits = draw(state)
    move = np.int64(moves[np.int64(below(bits, np.uint64(count)))])
    return game.play(position, move), state


@part
def best_after(position: Position, network: Network, moves: Array) -> Position:
    """The position after the move that the network expects most of for the mover."""
    best, chosen = WORST, position
    for index in range(game.moves(position, moves)):
        after = game.play(position, np.int64(moves[index]))
        if count_moves(after) == 0:
            worth = np.float64(game.net(after))
        else:
            worth = value(view(after), network)
            worth = np.float64(banked(after)) + (worth if after.seat == 0 else -worth)
        worth = worth if position.seat == 0 else -worth
        if index == 0 or worth > best:  # also where it is no number
            best, chosen = worth, after
    return chosen


@part
def best_estimate(position: Position, terms: Array, moves: Array) -> Position:
    """The position after the move that is best by an evaluation's numbers."""
    best, chosen = WORST, position
    for index in range(game.moves(position, moves)):
        after = game.play(position, np.int64(moves[index]))
        if count_moves(after) == 0:
            worth = 100.0 * np.float64(game.net(after))
        else:
            worth = np.float64(game.evaluate(after, terms))
            worth = worth if after.seat == 0 else -worth
        worth = worth if position.seat == 0 else -worth
        if worth > best:
            best, chosen = worth, after
    return chosen
