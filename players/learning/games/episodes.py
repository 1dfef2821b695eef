"""Games of Othello and of dots that teach a network, compiled.

Both sides choose the move after which the network expects most for them, or now and then one at
random. An afterstate is the position after a move, seen by whoever is to move then; its value is
what he still wins by. After a random move nothing is learned from what it led to: what came before
it learns up to the last afterstate that was chosen, which keeps its value.

All kernels of learning are in this file, made of parts of `players.ntuple`: so the cache sees it
when one changes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from players.compiled.bits import below, draw, is_set
from players.compiled.cache import bare_kernel, part
from players.games import interface as game
from players.games.pruning import count_moves
from players.ntuple.board import banked, view, words
from players.ntuple.network import value
from players.ntuple.temporal import learn_reached, learn_until

UNIT = 2.0**-64
WORST = -1e300


class Habits(NamedTuple):
    """How games are played."""

    plies: Any
    """int64: random moves at the start."""
    epsilon: Any
    """float64: how often a later move is random, 0 to 1."""


class Tally(NamedTuple):
    """One thread's games of a block, and its random numbers."""

    random: Any
    """uint64[1]: the state of the random numbers."""
    counts: Any
    """int64[2]: the games played so far, and their moves."""
    games: Any
    """int64: how many games there are to be."""


class Room(NamedTuple):
    """Where moves are listed."""

    moves: Any
    """int16[MOVES]"""


def new_room() -> Room:
    """Room for one thread."""
    return Room(np.zeros(game.MOVES, np.int16))


@bare_kernel
def learn(
    start: Any, memory: Any, rule: Any, habits: Any, tally: Any, desk: Any, room: Any, stop: Any
) -> None:
    """Play from `start` and learn until `tally` is full, or the int64[1] `stop` is set, which is
    seen after each game. The desk has room for PLIES afterstates.
    """
    state, network, model = tally.random[0], memory.network, view(start)
    while tally.counts[0] < tally.games and not is_set(stop):
        position, state = opened(start, habits.plies, room, state)
        count = 0
        while count_moves(position) > 0:
            state, bits = draw(state)
            wanders = np.float64(bits) * UNIT < habits.epsilon
            if wanders:
                if count > 0:
                    learn_until(desk, count, desk.values[count - 1], model, memory, rule)
                count = 0
                after, state = at_random(position, room, state)
            else:
                after = best_after(position, network, room)
            gained = np.float64(banked(after) - banked(position))
            position = after
            tally.counts[1] += 1
            if count_moves(position) == 0:
                if not wanders:
                    last = gained + np.float64(game.net(position) - banked(position))
                    learn_until(desk, count, last, model, memory, rule)
                break
            board, sign = view(position), 1.0 if position.seat == 0 else -1.0
            desk.boards[2 * count], desk.boards[2 * count + 1] = words(board)
            desk.rewards[count], desk.signs[count] = gained, sign
            desk.values[count] = sign * value(board, network)
            if rule.forward:
                learn_reached(desk, count, model, memory, rule)
            count += 1
        tally.counts[0] += 1
        tally.random[0] = state


@bare_kernel
def compare(
    start: Any,
    network: Any,
    terms: Any,
    greedy: Any,
    habits: Any,
    random: Any,
    pairs: Any,
    room: Any,
    sums: Any,
) -> None:
    """Play so many pairs of games against a yardstick, each pair from an opening of random moves
    with colours swapped, and add to the float64[2] `sums` the network's points and margin.

    The yardstick chooses at 1 ply by the evaluation of `terms` if `greedy`, else at random.
    `random` is uint64[1].
    """
    state = random[0]
    for _ in range(pairs):
        opening, state = opened(start, habits.plies, room, state)
        for seat in range(2):
            position = opening
            while count_moves(position) > 0:
                if position.seat == seat:
                    position = best_after(position, network, room)
                elif greedy:
                    position = best_estimate(position, terms, room)
                else:
                    position, state = at_random(position, room, state)
            net = np.float64(game.net(position))
            net = net if seat == 0 else -net
            sums[0] += 0.5 + 0.5 * np.sign(net)
            sums[1] += net
    random[0] = state


@part
def opened(start: Any, plies: Any, room: Any, state: Any) -> Any:
    """(a position after so many random moves that is not over yet, the state of the random
    numbers).
    """
    position = start
    for _ in range(plies):
        after, state = at_random(position, room, state)
        if count_moves(after) == 0:
            break
        position = after
    return position, state


@part
def at_random(position: Any, room: Any, state: Any) -> Any:
    """(the position after a random move, the state of the random numbers)."""
    count = game.moves(position, room.moves)
    state, bits = draw(state)
    move = np.int64(room.moves[np.int64(below(bits, np.uint64(count)))])
    return game.play(position, move), state


@part
def best_after(position: Any, network: Any, room: Any) -> Any:
    """The position after the move that the network expects most of for the mover."""
    best, chosen = WORST, position
    for index in range(game.moves(position, room.moves)):
        after = game.play(position, np.int64(room.moves[index]))
        if count_moves(after) == 0:
            worth = np.float64(game.net(after))
        else:
            worth = value(view(after), network)
            worth = np.float64(banked(after)) + (worth if after.seat == 0 else -worth)
        worth = worth if position.seat == 0 else -worth
        if worth > best:
            best, chosen = worth, after
    return chosen


@part
def best_estimate(position: Any, terms: Any, room: Any) -> Any:
    """The position after the move that is best by an evaluation's numbers."""
    best, chosen = WORST, position
    for index in range(game.moves(position, room.moves)):
        after = game.play(position, np.int64(room.moves[index]))
        if count_moves(after) == 0:
            worth = 100.0 * np.float64(game.net(after))
        else:
            worth = np.float64(game.evaluate(after, terms))
            worth = worth if after.seat == 0 else -worth
        worth = worth if position.seat == 0 else -worth
        if worth > best:
            best, chosen = worth, after
    return chosen
