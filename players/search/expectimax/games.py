"""Games played by the search alone, without a referee: for measurements."""

from __future__ import annotations

from typing import Any

import numpy as np

from players.kernels.cache import kernel
from players.kernels.tiles import SLIDES, slid, spawned
from players.search.expectimax.roots import slide_worths


@kernel
def play_slides(
    start: Any, slides: int, depth: int, settings: Any, stop: Any, scratch: Any, state: Any
) -> Any:
    """Make so many slides, each looking `depth` slides ahead, one game after the other.

    `start` is an empty board; `state`, uint64[1], holds the random numbers. Returns (the games that
    ended meanwhile, the sum of their scores).
    """
    legal, worths = np.empty(SLIDES, np.int64), np.empty(SLIDES)
    board, score, games, total = start, np.uint64(0), 0, np.uint64(0)
    is_new = True
    while slides > 0:
        if is_new:
            board, state[0] = spawned(start, settings.laws, state[0])
            board, state[0] = spawned(board, settings.laws, state[0])
            is_new = False
        count = 0
        for slide in range(SLIDES):
            if slid(board, slide, settings.laws)[1]:
                legal[count] = slide
                count += 1
        if count == 0:
            games, total, score, is_new = games + 1, total + score, np.uint64(0), True
            continue
        slide_worths(board, legal[:count], depth, settings, stop, scratch, worths)
        after, _changed, reward = slid(board, legal[np.argmax(worths[:count])], settings.laws)
        board, state[0] = spawned(after, settings.laws, state[0])
        score += reward
        slides -= 1
    return games, total
