"""Two players head to head: Elo, normalized Elo and likelihood of superiority, from the counts of
game results (trinomial) and of the results of colour-swapped pairs (pentanomial).

With mean score s, variance σ² of one unit (a game, or a pair's mean score) and N units:
Elo = −400·log10(1/s − 1), its error half of Elo(s ± 1.96σ/√N); LOS = Φ((s − ½)/(σ/√N));
nElo = (s − ½)/σ · 800/ln 10, with √2·σ in place of σ for pairs, so that both count a game's spread.
Sources: fishtest and fastchess (formulas), Van den Bergh, "Normalized Elo" (2021).

Where all units are alike σ is 0 and there is nothing to measure a spread by: then half a unit lost
and half a unit won are added (`with_prior`): a 100 % score has a finite Elo and a wide error.
"""

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

from arena.ratings.elo import SCALE, Z95
from arena.ratings.results import Result


class GameCounts(NamedTuple):
    """Games by result, seen from one player."""

    wins: int
    draws: int
    losses: int


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


@dataclass(frozen=True)
class Spread:
    """How the score of one unit is distributed: what every figure here is computed from."""

    units: float
    """How many games or pairs."""
    games_each: int
    """Games in a unit: 1, or 2 for pairs."""
    mean: float
    """Score a game, 0 to 1."""
    variance: float
    """Of a unit's mean score, around `mean`."""
    with_prior: bool
    """Whether half a lost and half a won unit were added."""


@dataclass(frozen=True)
class Figures:
    """What one way of counting says about a player against another. Errors are 95 %."""

    score: float
    """Share of the points, 0 to 1."""
    elo: float
    elo_error: float
    normalized_elo: float
    """Elo in units of a game's spread: comparable across drawish and decisive games."""
    normalized_elo_error: float
    los: float
    """Probability of being the stronger."""
    with_prior: bool
    """Whether all units were alike, so that the prior took part."""


@dataclass(frozen=True)
class HeadToHead:
    """All that two players' meetings say about the first named."""

    player: str
    opponent: str
    games: GameCounts
    pairs: PairCounts
    """Complete pairs; the games of any other cluster count as games alone."""
    unpaired: int
    """Games that are not part of a complete pair."""

    @property
    def trinomial(self) -> Figures:
        """By games. ValueError without any."""
        return figures(of_games(self.games))

    @property
    def pentanomial(self) -> Figures | None:
        """By complete pairs; None without any."""
        return figures(of_pairs(self.pairs)) if any(self.pairs) else None


def of_games(counts: GameCounts) -> Spread:
    """The distribution of a game's score. ValueError without games."""
    return _spread({0.0: counts.losses, 0.5: counts.draws, 1.0: counts.wins}, games_each=1)


def of_pairs(counts: PairCounts) -> Spread:
    """The distribution of a pair's mean score. ValueError without pairs."""
    scores = (0.0, 0.25, 0.5, 0.75, 1.0)
    return _spread(dict(zip(scores, counts.by_half_points, strict=True)), games_each=2)


def _spread(counts: dict[float, float], games_each: int) -> Spread:
    if not any(counts.values()):
        raise ValueError("a rating needs at least one game or complete pair")
    alike = sum(count > 0 for count in counts.values()) == 1
    if alike:
        counts = {**counts, 0.0: counts[0.0] + 0.5, 1.0: counts[1.0] + 0.5}
    units = sum(counts.values())
    mean = sum(score * count for score, count in counts.items()) / units
    variance = sum((score - mean) ** 2 * count for score, count in counts.items()) / units
    return Spread(units, games_each, mean, variance, with_prior=alike)


def figures(spread: Spread) -> Figures:
    """Elo, normalized Elo and LOS of a distribution."""
    sigma = math.sqrt(spread.variance)
    error = sigma / math.sqrt(spread.units)
    game_sigma = sigma * math.sqrt(spread.games_each)
    return Figures(
        score=spread.mean,
        elo=elo_of(spread.mean),
        elo_error=_elo_error(spread.mean, Z95 * error),
        normalized_elo=(spread.mean - 0.5) / game_sigma * 2 * SCALE,
        normalized_elo_error=Z95 / math.sqrt(spread.units * spread.games_each) * 2 * SCALE,
        los=NormalDist().cdf((spread.mean - 0.5) / error),
        with_prior=spread.with_prior,
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

    A pair is complete when its label holds exactly two results of theirs, with the first move
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
        games[2 - int(half_points)] += 1
        if result.pair:
            clusters[result.pair].append((leads, int(half_points)))
    pairs = dict.fromkeys(_PAIR_OF_HALF_POINTS.values(), 0)
    for cluster in clusters.values():
        if sorted(leads for leads, _ in cluster) == [False, True]:
            pairs[_PAIR_OF_HALF_POINTS[tuple(sorted(points for _, points in cluster))]] += 1
    return HeadToHead(
        player=player,
        opponent=opponent,
        games=GameCounts(*games),
        pairs=PairCounts(**pairs),
        unpaired=sum(games) - 2 * sum(pairs.values()),
    )


_PAIR_OF_HALF_POINTS: dict[tuple[int, ...], str] = {
    (0, 0): "ll",
    (0, 1): "ld",
    (0, 2): "wl",
    (1, 1): "dd",
    (1, 2): "wd",
    (2, 2): "ww",
}
