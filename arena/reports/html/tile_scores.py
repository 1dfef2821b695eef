"""Scores and tiles of 2048 and 2584: what stands for a crosstable there."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from arena.reports.html.charts import Scale, spread
from arena.reports.html.overview import Look

_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


def reach(look: Look) -> dict[str, Any] | None:
    """None for other games."""
    sliders = [row for row in look.standings.players if row.tiles is not None]
    if not sliders:
        return None
    scores = defaultdict[str, list[int]](list)
    for game in look.view.rated:
        scores[look.seen.names[game.players[0]]].append(game.scores[0])
    quantiles = {name: np.quantile(found, _QUANTILES).tolist() for name, found in scores.items()}
    scale = Scale.over([0, *(figure for found in quantiles.values() for figure in found)])
    tiles = sorted({each.tile for row in sliders if row.tiles for each in row.tiles.reach})
    rows = [
        {
            "name": row.name,
            "tiles": row.tiles,
            "quantiles": quantiles[row.name],
            "drawn": spread(quantiles[row.name], scale, _said(quantiles[row.name])),
            "reach": [_percent_and_step(row.tiles.shares_at(tile)[0]) for tile in tiles],
        }
        for row in sliders
        if row.tiles is not None and row.name in quantiles
    ]
    return {"rows": rows, "tiles": tiles}


def _said(quantiles: Sequence[float]) -> str:
    low, first, median, third, high = (f"{figure:,.0f}" for figure in quantiles)
    return f"median {median}; half of the games {first} to {third}, nine tenths {low} to {high}"


def _percent_and_step(share: float) -> tuple[int, int]:
    """A share of the games in percent, and its step of colour."""
    return round(100 * share), 5 * round(17 * share)
