"""Random games of 2048 and 2584 by the thousand."""

from __future__ import annotations

from typing import Any

import numpy as np

from players.compiled.bits import ZERO, below, draw, lowest, nth_bit, popcount
from players.compiled.cache import kernel
from players.games.tiles.interface import SLIDES, slid, spawned


@kernel
def random_games(board: Any, laws: Any, games: Any, random: Any) -> Any:
    """(the slides made, the sum of the scores) in games of uniformly random slides from `board`, on
    which two tiles are placed first. `random` is the state of the random numbers, uint64[1].
    """
    slides, total, state = 0, ZERO, random[0]
    for _ in range(games):
        position, state = spawned(board, laws, state)
        position, state = spawned(position, laws, state)
        while True:
            legal = ZERO
            for slide in range(SLIDES):
                legal |= np.uint64(slid(position, slide, laws)[1]) << np.uint64(slide)
            if legal == ZERO:
                break
            state, bits = draw(state)
            chosen = lowest(nth_bit(legal, below(bits, popcount(legal))))
            position, _, reward = slid(position, np.int64(chosen), laws)
            position, state = spawned(position, laws, state)
            total += reward
            slides += 1
    random[0] = state
    return slides, total
