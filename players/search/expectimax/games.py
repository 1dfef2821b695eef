"""Games played by the search alone, without a referee: for measurements."""

from __future__ import annotations

from typing import Any

import numpy as np

from players.compiled.cache import kernel
from players.games.tiles.interface import SLIDES, slid, spawned
from players.search.expectimax.roots import slide_worths


@kernel
def play_games(
    start: Any, depth: int, settings: Any, stop: Any, scratch: Any, random: Any, scores: Any
) -> int:
    """Play as many games as the uint64 array `scores` has room for, looking `depth` slides ahead,
    and write their scores there; how many slides they took.

    `start` is an empty board; `random`, uint64[1], is the state of the random numbers.
    """
    legal, worths = np.empty(SLIDES, np.int64), np.empty(SLIDES)
    slides = 0
    for game in range(len(scores)):
        score = np.uint64(0)
        board, random[0] = spawned(start, settings.laws, random[0])
        board, random[0] = spawned(board, settings.laws, random[0])
        while True:
            count = 0
            for slide in range(SLIDES):
                if slid(board, slide, settings.laws)[1]:
                    legal[count] = slide
                    count += 1
            if count == 0:
                break
            slide_worths(board, legal[:count], depth, settings, stop, scratch, worths)
            after, _changed, reward = slid(board, legal[np.argmax(worths[:count])], settings.laws)
            board, random[0] = spawned(after, settings.laws, random[0])
            score += reward
            slides += 1
        scores[game] = score
    return slides
