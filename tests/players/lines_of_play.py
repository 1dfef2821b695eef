"""The counting of a game's tree, compiled."""

import numpy as np

from players.compiled.cache import kernel
from players.games import interface as game
from players.search.types import Int, Position


@kernel
def perft(position: Position, depth: int, count_passes: bool) -> Int:
    """How many lines of `depth` plies there are; with `count_passes` a pass is a ply."""
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
