"""Two players head to head: Elo, normalized Elo and likelihood of superiority, from the counts of
game results (trinomial) and of the results of colour-swapped pairs (pentanomial).

With mean score s, variance σ² of one unit (a game, or a pair's mean score) and N units:
Elo = −400·log10(1/s − 1), its error half of Elo(s ± 1.96σ/√N); LOS = Φ((s − ½)/(σ/√N));
nElo = (s − ½)/σ · 800/ln 10, with √2·σ in place of σ for pairs, so that both count a game's spread.
With fewer than 30 units Student's t with N − 1 degrees of freedom takes the place of 1.96.
Sources: fishtest and fastchess (formulas), Van den Bergh, "Normalized Elo" (2021).

Where all units are alike σ is 0 and there is nothing to measure a spread by: then half a unit lost
and half a unit won are added (`with_prior`): a 100% score has a finite Elo and a wide error.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations_with_replacement
from statistics import NormalDist
from typing import NamedTuple

from arena.ratings.matches import Count
from arena.ratings.results import Result
from arena.ratings.scale import SCALE, Z95, student_t95

_NORMAL_FROM = 30
"""Units from which their mean is taken as normal, as published tools take any."""


class PairCounts(NamedTuple):
    """Colour-swapped pairs by their two results, in either order, seen from one player."""

    ll: int
    ld: int
    wl: int
    dd: int
    wd: int
    ww: int

    @property
    def by_half_points(self) -> tuple[int, int, int, int, int]:
        """Pairs in which the player took 0, 1, 2, 3 and 4 half points."""
        return self.ll, self.ld, self.wl + self.dd, self.wd, self.ww


class HeadToHead(NamedTuple):
    """The meetings of two players, seen from one of them."""

    games: tuple[int, ...]
    """Games lost, drawn and won."""
    pairs: PairCounts
    """Complete pairs; the games of any other cluster count as games alone."""
    unpaired: int
    """Games that are not part of a complete pair."""
    dependent: int
    """Of those, games whose label another of them has too."""


class Spread(NamedTuple):
    """The distribution of a unit's mean score; with the prior where all units were alike."""

    units: float
    mean: float
    variance: float
    lead_variance: float
    """The variance of a unit's part in the lead (mean − ½)/σ, where σ is found from the units too:
    about 1 where the lead is small. Not taken for less, however well the two errors cancel."""
    with_prior: bool


def spread(counts: Sequence[float]) -> Spread:
    """The distribution of `counts`: units by score, from 0 to 1. ValueError without any."""
    alike = sum(count > 0 for count in counts) == 1
    if alike:
        counts = (counts[0] + 0.5, *counts[1:-1], counts[-1] + 0.5)
    units = sum(counts)
    if not units:
        raise ValueError("a rating needs at least one game or complete pair")
    scored = [(score / (len(counts) - 1), count) for score, count in enumerate(counts)]
    mean = sum(score * count for score, count in scored) / units
    variance = sum((score - mean) ** 2 * count for score, count in scored) / units
    sigma = math.sqrt(variance)
    lead = (mean - 0.5) / sigma
    apart = [((score - mean) / sigma, count) for score, count in scored]
    parts = sum((z - lead / 2 * (z**2 - 1)) ** 2 * count for z, count in apart) / units
    return Spread(units, mean, variance, max(parts, 1.0), with_prior=alike)


def figures(counts: Sequence[float]) -> Count:
    """Elo, normalized Elo and LOS of games lost, drawn and won, or of pairs by the half points
    taken in them, 0 to 4. ValueError without any.
    """
    units, mean, variance, lead_variance, with_prior = spread(counts)
    games_each = (len(counts) - 1) // 2
    error = math.sqrt(variance / units)
    each_side = Z95 if units >= _NORMAL_FROM else student_t95(units - 1)
    return Count(
        elo=elo_of(mean),
        elo_error=_elo_error(mean, each_side * error),
        normalized_elo=(mean - 0.5) / math.sqrt(variance * games_each) * 2 * SCALE,
        normalized_elo_error=each_side * math.sqrt(lead_variance / units / games_each) * 2 * SCALE,
        los=NormalDist().cdf((mean - 0.5) / error),
        with_prior=with_prior,
    )


def elo_of(score: float) -> float:
    """The Elo difference that makes `score` (0 to 1, both excluded) the expected one."""
    return 400 * math.log10(score / (1 - score))


def _elo_error(score: float, margin: float) -> float:
    """Half of the Elo interval of `score` ± `margin`; its tangent where that leaves 0 to 1."""
    if margin < min(score, 1 - score):
        return (elo_of(score + margin) - elo_of(score - margin)) / 2
    return margin * SCALE / (score * (1 - score))


def head_to_head(results: Iterable[Result], player: str, opponent: str) -> HeadToHead:
    """Count the meetings of two players, seen from `player`.

    A pair is complete when its label has exactly two results of theirs, with the first move
    swapped. Results whose scores are not 0, ½ or 1 are refused with ValueError.
    """
    games = [0, 0, 0]
    clusters: dict[str, list[tuple[bool, int]]] = defaultdict(list)
    for result in results:
        if {result.first, result.second} != {player, opponent}:
            continue
        leads = result.first == player
        half_points = 2 * (result.score if leads else 1 - result.score)
        if half_points not in (0, 1, 2):
            raise ValueError(f"a score must be 0, 0.5 or 1 to be counted: {result}")
        games[int(half_points)] += 1
        if result.pair:
            clusters[result.pair].append((leads, int(half_points)))
    pairs, dependent = Counter[tuple[int, ...]](), 0
    for cluster in clusters.values():
        if sorted(leads for leads, _ in cluster) == [False, True]:
            pairs[tuple(sorted(points for _, points in cluster))] += 1
        elif len(cluster) > 1:
            dependent += len(cluster)
    counts = PairCounts(*(pairs[kind] for kind in combinations_with_replacement(range(3), 2)))
    return HeadToHead(tuple(games), counts, sum(games) - 2 * pairs.total(), dependent)
