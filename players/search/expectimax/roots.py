"""What each choice at the root of a search is worth: of slides, and of placements."""

from __future__ import annotations

from typing import Any

import numpy as np

from players.compiled.cache import bare_kernel, part
from players.games.tiles.interface import SLIDES, placed, slid
from players.ntuple.network import value
from players.search.expectimax.nodes import LEAST, MOST, afterstate_worth, floor_beside
from players.search.expectimax.settings import MEAN, WORST


@bare_kernel
def slide_worths(
    board: Any, slides: Any, depth: int, settings: Any, stop: Any, scratch: Any, out: Any
) -> int:
    """Write what each of `slides` (int64, legal, the likely best first) is worth, `depth` slides
    looked ahead, to the float64 array `out`; how many were finished before `stop` was set.
    """
    best = LEAST
    scratch.nodes += 1
    for index in range(len(slides)):
        after, _changed, reward = slid(board, slides[index], settings.laws)
        gain = np.float64(reward)
        least = floor_beside(best, LEAST, settings)
        out[index] = gain + value(after, settings.network)
        if depth > 1 and (settings.kind != MEAN or out[index] >= least):
            worth = afterstate_worth(after, depth - 1, least - gain, MOST, settings, stop, scratch)
            if scratch.stopped:
                return index
            out[index] = gain + worth
        best = max(best, out[index])
    return len(slides)


@bare_kernel
def placement_worths(
    board: Any,
    cells: Any,
    tiles: Any,
    depth: int,
    settings: Any,
    stop: Any,
    scratch: Any,
    out: Any,
) -> int:
    """The same of placements, the likely worst for the slider first: on `cells` (uint64) the tile
    of index `tiles` (uint64), or that which chance draws for 0. The settings are minimax's.
    """
    lowest = MOST
    for index in range(len(cells)):
        cell, tile = cells[index], tiles[index]
        if tile == np.uint64(0):
            share, worth = settings.laws.share, 0.0
            for common in (True, False):
                drawn = settings.laws.common if common else settings.laws.rare
                after = _board_worth(
                    placed(board, cell, drawn), depth, MOST, settings, stop, scratch
                )
                worth += after * (share if common else 1.0 - share)
        else:
            high = lowest if settings.kind == WORST else MOST
            worth = _board_worth(placed(board, cell, tile), depth, high, settings, stop, scratch)
        if scratch.stopped:
            return index
        out[index] = worth
        lowest = min(lowest, worth)
    return len(cells)


@part
def _board_worth(
    board: Any, depth: Any, ceiling: Any, settings: Any, stop: Any, scratch: Any
) -> Any:
    """What a board is worth to the slider."""
    best = LEAST
    scratch.nodes += 1
    for slide in range(SLIDES):
        after, changed, reward = slid(board, slide, settings.laws)
        if not changed:
            continue
        gain = np.float64(reward)
        if depth == 1:
            worth = value(after, settings.network)
        else:
            worth = afterstate_worth(
                after, depth - 1, best - gain, ceiling - gain, settings, stop, scratch
            )
        best = max(best, gain + worth)
        if best >= ceiling or scratch.stopped:
            break
    return best if best > LEAST else 0.0
