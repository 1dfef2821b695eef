"""Results as columns of numbers, for the figures of large fields."""

from collections.abc import Sequence
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.ratings.results import Result

Array = NDArray[np.float64]
Indices = NDArray[np.intp]


class Columns(NamedTuple):
    """Results by column, sorted: no digit of a figure depends on the order they came in."""

    players: tuple[str, ...]
    """Names of the players with at least one result, sorted."""
    first: Indices
    """Which of them moved first."""
    second: Indices
    scores: Array
    """Of the first player."""
    clusters: Indices
    """A number for each result, the same within a cluster."""

    @classmethod
    def of(cls, results: Sequence[Result]) -> "Columns":
        """ValueError: a score outside 0 to 1, a player against itself."""
        for result in results:
            if not 0 <= result.score <= 1:
                raise ValueError(f"a score must be from 0 to 1: {result}")
            if result.first == result.second:
                raise ValueError(f"a player cannot meet itself: {result}")
        results = sorted(results, key=attrgetter("pair", "first", "second", "score"))
        names = {result.first for result in results} | {result.second for result in results}
        players = tuple(sorted(names))
        index = {name: position for position, name in enumerate(players)}
        count = len(results)
        return cls(
            players,
            np.fromiter((index[each.first] for each in results), np.intp, count),
            np.fromiter((index[each.second] for each in results), np.intp, count),
            np.fromiter((each.score for each in results), np.float64, count),
            _cluster_numbers(results),
        )


def _cluster_numbers(results: Sequence[Result]) -> Indices:
    numbers: dict[str | int, int] = {}
    keys = (result.pair or position for position, result in enumerate(results))
    return np.fromiter((numbers.setdefault(key, len(numbers)) for key in keys), np.intp)
