"""Tie-breaks of Swiss tournaments, as the FIDE Handbook C.07 defines them.

A round that a player did not play counts as one against an opponent with the player's own points
(C.07, 16.4).
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple


class Met(NamedTuple):
    """The result of a player in one round."""

    opponent: str | None
    """None where there was none: a bye."""
    points: float


def shared_ranks(keys: Mapping[str, tuple[float, ...]]) -> dict[str, int]:
    """Each player's rank by descending key; equals share it."""
    first = dict[tuple[float, ...], int]()
    for rank, key in enumerate(sorted(keys.values(), reverse=True), start=1):
        first.setdefault(key, rank)
    return {name: first[key] for name, key in keys.items()}


def totals(met: Mapping[str, Sequence[Met]]) -> dict[str, float]:
    """The points of each player."""
    return {player: sum(each.points for each in rounds) for player, rounds in met.items()}


def buchholz(met: Mapping[str, Sequence[Met]]) -> dict[str, float]:
    """The sum of the points of a player's opponents."""
    points = totals(met)
    return {
        player: sum(points[each.opponent or player] for each in rounds)
        for player, rounds in met.items()
    }


def sonneborn_berger(met: Mapping[str, Sequence[Met]]) -> dict[str, float]:
    """The sum of the points of a player's opponents, each times the points taken from it."""
    points = totals(met)
    return {
        player: sum(points[each.opponent or player] * each.points for each in rounds)
        for player, rounds in met.items()
    }
