"""Whole games of UCT against UCT in one kernel.

With a hundred iterations a move takes some hundred microseconds: going back to Python after each
would cost as much again, and hold back the other threads. A game is the one that two players of
`players.uct` with the same seeds would play, as the tests show move by move.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from players.compiled.bits import below, draw, is_set
from players.compiled.cache import bare_kernel, bare_part, kernel
from players.compiled.types import Int
from players.games import interface as game
from players.options import Final
from players.search.tree import NEAR, clear, reroot
from players.search.uct import Settings, iterate

FINALS: dict[Final, int] = {"visits": 0, "value": 1, "bound": 2}
_VALUE, _BOUND = FINALS["value"], FINALS["bound"]

ABORTED = -1
"""The plies of a game that was not played to its end."""

SHARE, TOLERANCE = 64, 0.15
"""An opening is balanced where of so many random games the first seat takes half of the points,
give or take so much."""


class Seat(NamedTuple):
    """One player as the kernel reads it."""

    settings: Settings
    iterations: int
    """For each move."""
    final: int
    """One of FINALS."""
    reuse: bool
    """Whether the tree is kept from move to move."""


_clear = bare_part(clear)


@bare_part
def _child(tree: Any, node: Any, move: Any) -> Any:
    """The child that `move` leads to; −1 when there is none."""
    first = np.int64(tree.first[node])
    for child in range(first, first + np.int64(tree.count[node])):
        if tree.move[child] == move:
            return np.int64(child)
    return np.int64(-1)


@bare_part
def _follow(tree: Any, record: Any, since: Any, ply: Any, reuse: Any) -> None:
    """Make the node that the moves from ply `since` on lead to the root; an empty tree when there
    is none with children, or it is not to be reused.
    """
    node = np.int64(0 if reuse else -1)
    for index in range(since, ply):
        if node >= 0:
            node = _child(tree, node, record[index])
    if node < 0 or tree.count[node] <= 0:
        _clear(tree)
    elif node > 0:
        reroot(tree, node)


@bare_part
def _value(tree: Any, child: Any, seat: Any, settings: Any) -> Any:
    """The result that a root's child lets its chooser expect, in [0, 1]."""
    proof = np.int64(tree.proof[child])
    if proof > NEAR:
        return 0.5 + settings.worth * np.float64(proof if seat == 0 else -proof)
    visits = np.float64(tree.visits[child])
    return tree.total[child] / visits if visits > 0.0 else 0.0


@bare_part
def _better(first: Any, second: Any, first_best: Any, second_best: Any) -> Any:
    """Whether a pair comes after another in the order of pairs."""
    return first > first_best or (first == first_best and second > second_best)


@bare_part
def _best_move(tree: Any, seat: Any, settings: Any, final: Any) -> Any:
    """The move that `choice.best_move` takes."""
    first = np.int64(tree.first[0])
    beyond = first + np.int64(tree.count[0])
    total = np.int64(0)
    for child in range(first, beyond):
        total += np.int64(tree.visits[child])
    exploration = settings.c * math.sqrt(2.0 * math.log(np.float64(max(total, np.int64(1)))))
    best, best_first, best_second = np.int64(-1), 0.0, 0.0
    proven, proven_first, proven_second = np.int64(-1), 0.0, 0.0
    for child in range(first, beyond):
        visits, value = np.float64(tree.visits[child]), _value(tree, child, seat, settings)
        if tree.proof[child] > NEAR:
            if proven < 0 or _better(value, visits, proven_first, proven_second):
                proven, proven_first, proven_second = np.int64(child), value, visits
            continue
        one, other = visits, value
        if final == _VALUE:
            one, other = value, visits
        elif final == _BOUND:
            one = settings.slope * value - exploration / math.sqrt(max(visits, 1.0))
            other = visits
        if best < 0 or _better(one, other, best_first, best_second):
            best, best_first, best_second = np.int64(child), one, other
    if best < 0:
        return np.int64(tree.move[proven])
    if proven >= 0:
        lowest = 0.5 - settings.worth * settings.highest
        if proven_first > lowest and proven_first >= _value(tree, best, seat, settings):
            return np.int64(tree.move[proven])
    return np.int64(tree.move[best])


@bare_kernel
def play_game(
    position: Any,
    ply: Any,
    seats: Any,
    trees: Any,
    workers: Any,
    memory: Any,
    stops: Any,
    record: Any,
    movers: Any,
) -> Any:
    """Play from `position` the `ply` moves that `record` begins with, then on to the end.

    `seats`, `trees` and `workers` are pairs, by seat. Moves and who made them are written to
    `record` (int16[PLIES]) and `movers` (int8[PLIES]) from `ply` on. `stops` is (a flag nobody
    sets, the flag that aborts the game). Returns (the plies, `game.net` at the end), the plies
    being ABORTED where it was aborted.
    """
    never, stop = stops
    since0, since1 = ply, ply
    legal = workers[0].moves
    _clear(trees[0])
    _clear(trees[1])
    for index in range(ply):
        position = game.play(position, np.int64(record[index]))
    count = np.int64(game.moves(position, legal))
    while count > 0:
        seat = position.seat
        player, tree, worker = seats[seat], trees[seat], workers[seat]
        _follow(tree, record, since0 if seat == 0 else since1, ply, player.reuse)
        move = np.int64(legal[0])
        if count > 1:
            worker.deepest[0] = 0
            worker.moments[:] = 0.0
            least = min(count, player.iterations)
            settings = player.settings
            done = iterate(tree, position, settings, worker, memory, never, least)
            if done == least and least < player.iterations:
                left = player.iterations - least
                iterate(tree, position, settings, worker, memory, stop, left)
            if is_set(stop):
                return np.int64(ABORTED), np.int64(0)
            move = _best_move(tree, seat, settings, player.final)
        record[ply], movers[ply] = move, seat
        if seat == 0:
            since0 = ply
        else:
            since1 = ply
        position = game.play(position, move)
        ply += 1
        count = np.int64(game.moves(position, legal))
    return ply, np.int64(game.net(position))


@kernel
def _offers_points(position: Any, out: Any) -> Any:
    """Whether a move now adds to a score for good: in dots, closes a box."""
    for index in range(game.moves(position, out)):
        if game.play(position, np.int64(out[index])).seat == position.seat:
            return True
    return False


@kernel
def random_opening(
    position: Any, plies: Any, quiet: Any, tries: Any, random_state: Any, record: Any, movers: Any
) -> Any:
    """Write `plies` random moves to the front of `record` and who made them to `movers`, such that
    a choice of moves remains and random games from there are balanced, or are the most balanced of
    `tries`; the plies, or −1 where there is no such opening.

    `quiet`: no move of the opening, nor the next one, lets a player move twice (in dots: no box is
    offered). `random_state` is uint64[1].
    """
    state = random_state[0]
    out, trial = np.empty(game.MOVES, np.int16), np.empty(game.PLIES, np.int16)
    closest = 2.0
    for _ in range(tries):
        here = position
        for ply in range(plies):
            count = np.int64(game.moves(here, out))
            if count == 0:
                break
            state, bits = draw(state)
            move = np.int64(out[np.int64(below(bits, np.uint64(count)))])
            trial[ply] = move
            after = game.play(here, move)
            if quiet and _offers_points(after, out):
                count = np.int64(0)
                break
            here = after
        else:
            count = np.int64(game.moves(here, out))
        if count < 2:
            continue
        points: Int = 0
        for _ in range(SHARE // game.BATCH):
            some, _net, state = game.batch(here, state)
            points += some
        bias = abs(points / (2.0 * SHARE) - 0.5)
        if bias < closest:
            closest = bias
            record[:plies] = trial[:plies]
        if bias <= TOLERANCE:
            break
    random_state[0] = state
    if closest > 1.0:
        return np.int64(-1)
    here = position
    for ply in range(plies):
        movers[ply] = here.seat
        here = game.play(here, np.int64(record[ply]))
    return np.int64(plies)
