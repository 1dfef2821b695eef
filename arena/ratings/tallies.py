"""Each player's results, counted."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from arena.ratings import tables
from arena.ratings.columns import Columns, Indices
from arena.ratings.model import Share


class PlayerTally(NamedTuple):
    """A player's results."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    score: float | None = None
    """Share of the points; None without a result."""
    as_first: Share | None = None
    """Share of the points when moving first; None without such results."""
    as_second: Share | None = None


def tallies(results: Columns) -> dict[str, PlayerTally]:
    """By player."""
    if not results.players:
        return {}
    scores, clusters = results.scores, results.clusters
    sides = zip(
        _by_player(results.first, results), _by_player(results.second, results), strict=True
    )
    found: dict[str, PlayerTally] = {}
    for name, (first, second) in zip(results.players, sides, strict=True):
        taken = np.append(scores[first], 1 - scores[second])
        wins, draws, losses = (int((taken == score).sum()) for score in (1.0, 0.5, 0.0))
        as_first = tables.share(scores[first], clusters[first])
        as_second = tables.share(1 - scores[second], clusters[second])
        found[name] = PlayerTally(wins, draws, losses, float(taken.mean()), as_first, as_second)
    return found


def _by_player(side: Indices, results: Columns) -> Iterator[Indices]:
    """Which results have each player on that side."""
    ends = np.cumsum(np.bincount(side, minlength=len(results.players)))
    return iter(np.split(np.argsort(side, kind="stable"), ends[:-1]))
