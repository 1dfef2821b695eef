"""Random games by the thousand, and the counting of a game's tree."""

import numpy as np

from players.compiled.cache import kernel
from players.games import interface as game
from players.search.types import Int, Position, Rng


@kernel
def total_net(position: Position, playouts: int, state: Rng) -> Int:
    """The sum over random playouts of seat 0's margin; `state` seeds them."""
    total: Int = 0
    for _ in range(playouts):
        net, state = game.playout(position, state)
        total += net
    return total


@kernel
def perft(position: Position, depth: int, count_passes: bool) -> Int:
    """How many lines of `depth` plies there are. With `count_passes` a second turn in a row means
    that the other player passed, and the pass is a ply.
    """
    if depth == 0:
        return np.int64(1)
    out = np.empty(game.MOVES, np.int16)
    count = game.moves(position, out)
    if depth == 1:
        return np.int64(count)
    total = np.int64(0)
    for index in range(count):
        child = game.play(position, np.int64(out[index]))
        passed = count_passes and child.seat == position.seat and game.moves(child, out[count:]) > 0
        total += perft(child, depth - 2 if passed else depth - 1, count_passes)
    return total


@kernel
def batch_totals(position: Position, batches: int, state: Rng) -> tuple[Int, Int]:
    """Over that many batches of random playouts: (twice the wins and once the draws of seat 0, the
    sum of its margins); `state` seeds them.
    """
    wins: Int = 0
    total: Int = 0
    for _ in range(batches):
        some, net, state = game.batch(position, state)
        wins += some
        total += net
    return wins, total
