"""One joint maximum-likelihood rating of a pool of players (Bradley-Terry, on the Elo scale).

The model: `first` scores 1/(1 + 10^(−(d + h)/400)) against `second`, where d is the difference of
their ratings and h the advantage of moving first, fitted with the ratings. A draw is half a point.

The prior: each player also has half a pair of games, colours swapped, against a virtual opponent of
average strength, which counts half as won twice and half as lost twice. As points that is one draw:
ratings are finite at 0% and 100%, and the pool in one piece. As spread it is half a pair that
fell to one side, so that the error of a player who never lost is wide. The first move likewise has
two pairs of equal players, one of them as spread. The players' own pairs leave its advantage out:
those of many players with few games each would hold it near nothing.
The pull towards the average is about (s − ½)/(n·s(1 − s)) of 173.72 Elo for a score s in n games
against average opponents, and about half of that for the lead of two players over each other: 0.6
Elo where 200 games between them gave 75%, against an error of ±56. So there is no key for it: it
is lost in the errors, whose coverage was simulated with this one, where the field spans up to 1,400
Elo. In a wider one the pulls of all players on one side of the average add up: ratings lie too
close together, by more than their errors where there are few rounds.

The errors: clusters of dependent results (colour-swapped pairs, games on one seed) are the units of
a sandwich estimator (Huber 1967; Liang & Zeger 1986): the inverse information on both sides of the
summed squares of the clusters' scores. Pairs that cancel an opening's bias narrow the errors, and
games that repeat each other widen them. Simulated pools (tests/ratings) keep the 95% from five
pairs a pairing upwards, with independent, repeating and cancelling pairs. Pairs of different
players on one opening are not known to share it, so the advantage is that on the openings played.

Whether two players are separated is judged by the fit; and where one of them won or lost all its
results, also by one step from "no lead" (a score test). In simulated pools, from three pairs a
pairing upwards, at most 5% of equal players are separated so.

Where results chose the opponents, `arena.ratings.fitted_prior` has another prior and other errors.

In a field too large to hold the covariance of all players the errors are drawn: see
`arena.ratings.sandwich`.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from statistics import NormalDist

import numpy as np

from arena.ratings.columns import Array, Columns
from arena.ratings.fitted_prior import posterior
from arena.ratings.likelihood import PLAYER_PAIRS, Likelihood, Maximum
from arena.ratings.model import MOST_COMPARED, Advantage, Neighbours
from arena.ratings.results import Result
from arena.ratings.sandwich import Covariance, sandwich
from arena.ratings.scale import SCALE, Z95
from arena.ratings.solving import MOST_DENSE


@dataclass(frozen=True, eq=False)
class Fit:
    """Ratings of a pool, fitted together."""

    players: tuple[str, ...]
    """Names of the players with at least one result, sorted."""
    elo: Array
    """By player."""
    errors: Array
    """Half of the 95% interval of each rating, in Elo; 0 for the anchor."""
    first_mover: Advantage | None
    """Advantage of moving first; None when it was not fitted."""
    groups: tuple[tuple[str, ...], ...]
    """Players linked by results. Ratings of two groups are tied together by the prior alone."""
    anchor: str | None = None
    """The player whose rating is given; None for the mean."""
    spread: Covariance | None = None
    """Of the parameters, in units of SCALE; None without players."""
    maxima: tuple[Maximum, ...] = ()
    """Of the likelihood, or of one for each spread of the fitted prior; none without players."""
    matched: bool = False
    """Whether the prior is fitted, as results chose the opponents."""

    @cached_property
    def covariance(self) -> Array:
        """Of the ratings, players × players, in Elo². The anchor's row is zero."""
        size = len(self.players)
        if self.spread is None:
            return np.zeros((0, 0))
        origin = np.full(size, 1 / size)
        if self.anchor is not None:
            origin = np.eye(size)[self._index[self.anchor]]
        shift = np.eye(size) - origin
        return np.asarray(shift @ self.spread.matrix[:size, :size] @ shift.T * SCALE**2)

    @cached_property
    def _index(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.players)}

    @cached_property
    def _group(self) -> dict[str, int]:
        return {name: place for place, group in enumerate(self.groups) for name in group}

    def error(self, player: str) -> float:
        """Half of the 95% interval of a rating, in Elo; 0 for the anchor."""
        return float(self.errors[self._index[player]])

    def linked(self, one: str, other: str) -> bool:
        """Whether results link two players, directly or through others."""
        return self._group[one] == self._group[other]

    def compare(self, one: str, other: str) -> Neighbours:
        """Set two different players against each other."""
        return self.neighbours((one, other))[0]

    def neighbours(self, players: Sequence[str]) -> tuple[Neighbours, ...]:
        """Set each player against the next."""
        if len(players) < 2 or self.spread is None:
            return ()
        places = np.array([self._index[name] for name in players])
        spreads = np.sqrt(self.spread.of(places[:-1], places[1:])) * SCALE
        differences = -np.diff(self.elo[places])
        both = zip(pairwise(players), differences.tolist(), spreads.tolist(), strict=True)
        return tuple(self._neighbours(*names, *figures) for names, *figures in both)

    def _neighbours(self, upper: str, lower: str, difference: float, spread: float) -> Neighbours:
        linked = self.linked(upper, lower)
        los = NormalDist().cdf(difference / spread)
        if linked and len(self.players) <= MOST_COMPARED:  # each takes an equation of the field
            los = max(los, self._from_level(upper, lower), key=lambda known: abs(known - 0.5))
        return Neighbours(
            upper=upper,
            lower=lower,
            difference=difference,
            error=Z95 * spread,
            los=los,
            separated=linked and abs(los - 0.5) > 0.475,
        )

    def _from_level(self, upper: str, lower: str) -> float:
        """The probability of the lead, with errors as they are where there is none. Those of the
        fit are too wide where a player won or lost all its results; elsewhere it adds nothing.
        """
        places = self._index[upper], self._index[lower]
        if not self.maxima[0].likelihood.one_sided[list(places)].any():
            return 0.5
        known = 0.0
        for likelihood, parameters, share in self.maxima:
            lead, variance = likelihood.lead_from_level(parameters, *places)
            known += share * NormalDist().cdf(lead / math.sqrt(variance))
        return min(known, 1.0)


def fit(
    results: Iterable[Result] | Columns,
    *,
    anchor: str | None = None,
    anchor_elo: float = 0.0,
    first_mover: bool = True,
    matched: bool = False,
    player_pairs: float = PLAYER_PAIRS,
) -> Fit:
    """Rate all players of `results` together.

    `anchor` is the player whose rating is `anchor_elo`; without one, the mean of the pool is.
    `first_mover=False` leaves the advantage of the first move out, for games that have none.
    `matched`: results chose the opponents, so the prior is that of `arena.ratings.fitted_prior`,
    in a field whose covariance can be held whole. `player_pairs`: how many pairs the other prior
    gives each player.
    No results give a fit without players. ValueError: a score outside 0 to 1, a player against
    itself, an anchor without results.
    """
    columns = results if isinstance(results, Columns) else Columns.of(tuple(results))
    players = columns.players
    if not players:
        return Fit((), np.zeros(0), np.zeros(0), None, ())
    if anchor is not None and anchor not in players:
        known = ", ".join(players)
        raise ValueError(f"the anchor {anchor!r} has no results; it must be one of {known}")
    model = Likelihood(columns, first_mover, player_pairs=player_pairs)
    strengths = model.maximum()
    matched = matched and len(strengths) <= MOST_DENSE
    maxima: tuple[Maximum, ...] = (Maximum(model, strengths),)
    spread: Covariance
    if matched:
        strengths, spread, maxima = posterior(columns, first_mover, *maxima)
    else:
        information = model.information(model.expected(strengths))
        spread = sandwich(information, model.score_rows(strengths))
    size = len(players)
    ratings = strengths[:size] * SCALE
    if anchor is None:
        origin, variances = float(ratings.mean()), spread.from_mean(size)
    else:
        place = players.index(anchor)
        origin, own = float(ratings[place]), np.full(size, place)
        variances = spread.of(np.arange(size), own)
        variances[place] = 0.0
    return Fit(
        players=players,
        elo=ratings - origin + anchor_elo,
        errors=Z95 * SCALE * np.sqrt(variances),
        first_mover=_advantage(strengths, spread) if first_mover else None,
        groups=_groups(columns),
        anchor=anchor,
        spread=spread,
        maxima=maxima,
        matched=matched,
    )


def _advantage(strengths: Array, spread: Covariance) -> Advantage:
    error = Z95 * SCALE * math.sqrt(spread.single(len(strengths) - 1))
    return Advantage(elo=float(strengths[-1]) * SCALE, error=error)


def _groups(results: Columns) -> tuple[tuple[str, ...], ...]:
    """The players that are linked by results, directly or through others; the largest first."""
    # without scipy: what it needs for this takes 13 MB
    size = len(results.players)
    group = list(range(size))

    def head(player: int) -> int:
        while group[player] != player:
            group[player] = group[group[player]]
            player = group[player]
        return player

    for pair in np.unique(results.first * size + results.second).tolist():
        group[head(pair // size)] = head(pair % size)
    found = defaultdict[int, list[str]](list)
    for player, name in enumerate(results.players):
        found[head(player)].append(name)
    return tuple(sorted(map(tuple, found.values()), key=lambda names: (-len(names), names)))
