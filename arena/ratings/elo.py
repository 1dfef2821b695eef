"""One joint maximum-likelihood rating of a pool of players (Bradley-Terry, on the Elo scale).

The model: `first` scores 1/(1 + 10^(−(d + h)/400)) against `second`, where d is the difference of
their ratings and h the advantage of moving first, fitted with the ratings. A draw is half a point.

The prior: each player also has one pair of games, colours swapped, against a virtual opponent of
average strength, and the pair counts half as won twice and half as lost twice. As points that is
one drawn pair; it keeps ratings finite at 0 % and 100 %, and the pool in one piece. As spread it is
a whole pair of each kind, so that the error of a player who never lost is wide, as it should be;
and the spread of the first move's advantage has a pair that went to the first mover, or the second.
The pull towards the average is about 2(s − ½)/(n·s(1 − s)) of 173.72 Elo for a score s in n games:
1.2 Elo where 200 games between two players gave 75 %, against an error of ±56.

The errors: clusters of dependent results (colour-swapped pairs, games on one seed) are the units of
a sandwich estimator (Huber 1967; Liang & Zeger 1986): the inverse information on both sides of the
summed squares of the clusters' scores. Pairs that cancel an opening's bias narrow the errors, and
games that repeat each other widen them. Simulated pools (tests/ratings) keep the 95 % from five
pairs a pairing upwards, with independent, repeating and cancelling pairs.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.ratings.results import Result

Array = NDArray[np.float64]

SCALE = 400 / math.log(10)
"""Elo in one unit of the logistic function: 173.72."""
Z95 = NormalDist().inv_cdf(0.975)
"""Standard errors on each side of a 95 % interval: 1.96."""
PRIOR = "to keep ratings finite, each player is given two extra draws against an average opponent"
"""The prior, as reports state it."""

_NEWTON_STEPS = 100
_NEWTON_GAIN = 1e-12
"""The likelihood still to be gained at which a fit has settled."""
_CLUSTERS_AT_ONCE = 4096
"""Bounds the memory the error estimate takes, however many results there are."""


class Comparison(NamedTuple):
    """How two ratings of one fit stand to each other."""

    difference: float
    """Elo of the one minus Elo of the other."""
    error: float
    """Half of the 95 % interval of the difference."""
    los: float
    """Likelihood of superiority: the probability that the one is the stronger."""
    separated: bool
    """Whether the 95 % interval of the difference leaves out zero."""


@dataclass(frozen=True, eq=False)
class Fit:
    """Ratings of a pool, fitted together."""

    players: tuple[str, ...]
    """Those with at least one result, by name."""
    elo: Array
    """By player."""
    covariance: Array
    """Of the ratings, players × players, in Elo². The anchor's row is zero."""
    first_mover: float | None
    """Advantage of moving first, in Elo; None when it was not fitted."""
    first_mover_error: float | None
    """Half of its 95 % interval."""
    groups: tuple[tuple[str, ...], ...]
    """Players linked by results. Ratings of two groups are tied together by the prior alone."""

    def error(self, player: str) -> float:
        """Half of the 95 % interval of a rating, in Elo; 0 for the anchor."""
        index = self.players.index(player)
        return Z95 * math.sqrt(self.covariance[index, index])

    def compare(self, one: str, other: str) -> Comparison:
        """Set two different players against each other."""
        a, b = self.players.index(one), self.players.index(other)
        difference = float(self.elo[a] - self.elo[b])
        spread = math.sqrt(
            self.covariance[a, a] + self.covariance[b, b] - 2 * self.covariance[a, b]
        )
        linked = any(one in group and other in group for group in self.groups)
        return Comparison(
            difference=difference,
            error=Z95 * spread,
            los=NormalDist().cdf(difference / spread),
            separated=linked and abs(difference) > Z95 * spread,
        )


def fit(
    results: Iterable[Result],
    *,
    anchor: str | None = None,
    anchor_elo: float = 0.0,
    first_mover: bool = True,
) -> Fit:
    """Rate all players of `results` together.

    `anchor` is the player whose rating is `anchor_elo`; without one, the mean of the pool is.
    `first_mover=False` leaves the advantage of the first move out, for games that have none.
    No results give a fit without players. ValueError: a score outside 0 to 1, a player against
    itself, an anchor without results.
    """
    results = tuple(results)
    _check(results)
    players = tuple(sorted({name for result in results for name in result[:2]}))
    if not players:
        none = np.zeros(0)
        return Fit((), none, np.zeros((0, 0)), None, None, ())
    if anchor is not None and anchor not in players:
        raise ValueError(
            f"the anchor {anchor!r} has no results; it must be one of {', '.join(players)}"
        )
    index = {name: position for position, name in enumerate(players)}
    model = _Model(
        size=len(players),
        first=np.array([index[result.first] for result in results], dtype=np.intp),
        second=np.array([index[result.second] for result in results], dtype=np.intp),
        score=np.array([result.score for result in results], dtype=np.float64),
        first_mover=first_mover,
    )
    strengths = model.maximum()
    bread = np.linalg.inv(model.information(strengths))
    spread = bread @ model.scatter(strengths, cluster_numbers(results)) @ bread * SCALE**2

    origin = np.full(len(players), 1 / len(players))
    if anchor is not None:
        origin = np.array([float(name == anchor) for name in players])
    shift = np.eye(len(players)) - origin
    ratings = slice(len(players))
    return Fit(
        players=players,
        elo=shift @ strengths[ratings] * SCALE + anchor_elo,
        covariance=shift @ spread[ratings, ratings] @ shift.T,
        first_mover=float(strengths[-1]) * SCALE if first_mover else None,
        first_mover_error=Z95 * math.sqrt(spread[-1, -1]) if first_mover else None,
        groups=_groups(players, results),
    )


class _Model:
    """The likelihood of results and prior. Its parameters are the players' ratings and, where it is
    fitted, the advantage of the first move, all in units of `SCALE` Elo.

    Tables have a row for each player as first and a column for each as second; the last row and
    column are the virtual opponent's, whose rating is 0.
    """

    def __init__(
        self,
        *,
        size: int,
        first: NDArray[np.intp],
        second: NDArray[np.intp],
        score: Array,
        first_mover: bool,
    ) -> None:
        self.size = size
        self.first, self.second, self.score = first, second, score
        self.first_mover = first_mover
        self.parameters = size + first_mover
        self.games = np.zeros((size + 1, size + 1))
        self.points = np.zeros((size + 1, size + 1))
        np.add.at(self.games, (first, second), 1.0)
        np.add.at(self.points, (first, second), score)
        for prior, weight in ((self.games, 1.0), (self.points, 0.5)):
            prior[:-1, -1] = prior[-1, :-1] = weight

    def _margins(self, strengths: Array) -> Array:
        """Log odds of each first player against each second."""
        ratings = np.append(strengths[: self.size], 0.0)
        advantage = strengths[-1] if self.first_mover else 0.0
        return np.asarray(ratings[:, None] - ratings + advantage)

    def _expected(self, strengths: Array) -> Array:
        """Share of the points each first player is expected to take from each second."""
        return np.exp(-np.logaddexp(0.0, -self._margins(strengths)))

    def log_likelihood(self, strengths: Array) -> float:
        """Of the results and the prior."""
        margins = self._margins(strengths)
        won = self.points * np.logaddexp(0.0, -margins)
        lost = (self.games - self.points) * np.logaddexp(0.0, margins)
        return -float(np.sum(won + lost))

    def gradient(self, strengths: Array) -> Array:
        """Of the log-likelihood, by parameter: points taken beyond those expected."""
        surplus = self.points - self.games * self._expected(strengths)
        by_player = (surplus.sum(axis=1) - surplus.sum(axis=0))[:-1]
        return np.append(by_player, surplus.sum()) if self.first_mover else by_player

    def information(self, strengths: Array) -> Array:
        """Minus the second derivatives of the log-likelihood: positive definite."""
        expected = self._expected(strengths)
        weight = self.games * expected * (1 - expected)
        rows, columns = weight.sum(axis=1), weight.sum(axis=0)
        matrix = np.zeros((self.parameters, self.parameters))
        matrix[: self.size, : self.size] = (np.diag(rows + columns) - weight - weight.T)[:-1, :-1]
        if self.first_mover:
            matrix[-1, :-1] = matrix[:-1, -1] = (rows - columns)[:-1]
            matrix[-1, -1] = weight.sum()
        return matrix

    def maximum(self) -> Array:
        """The parameters of greatest likelihood: Newton's method, halving bad steps."""
        strengths = np.zeros(self.parameters)
        likelihood = self.log_likelihood(strengths)
        for _ in range(_NEWTON_STEPS):
            gradient = self.gradient(strengths)
            step = np.linalg.solve(self.information(strengths), gradient)
            gain = float(gradient @ step)
            if gain < _NEWTON_GAIN:
                return strengths + step
            while (better := self.log_likelihood(strengths + step)) < likelihood:
                step /= 2
            strengths, likelihood = strengths + step, better
        raise ArithmeticError(f"the ratings did not settle in {_NEWTON_STEPS} steps")

    def scatter(self, strengths: Array, clusters: NDArray[np.intp]) -> Array:
        """Sum of the squared scores (outer products of gradients) of all clusters.

        `clusters` numbers the cluster of each result. Each prior pair counts half as two wins
        and half as two losses. Enlarged, as a variance is by n/(n − 1), for the differences and
        the advantage that were fitted to the same results.
        """
        expected = self._expected(strengths)
        surplus = self.score - expected[self.first, self.second]
        order = np.argsort(clusters, kind="stable")
        total = int(clusters.max()) + 1
        matrix = np.zeros((self.parameters, self.parameters))
        for low in range(0, total, _CLUSTERS_AT_ONCE):
            high = min(low + _CLUSTERS_AT_ONCE, total)
            part = order[slice(*np.searchsorted(clusters, (low, high), sorter=order))]
            scores = np.zeros((high - low, self.parameters))
            row = clusters[part] - low
            np.add.at(scores, (row, self.first[part]), surplus[part])
            np.add.at(scores, (row, self.second[part]), -surplus[part])
            if self.first_mover:
                np.add.at(scores[:, -1], row, surplus[part])
            matrix += scores.T @ scores

        as_first, as_second = expected[:-1, -1], expected[-1, :-1]
        for won in (1.0, 0.0):
            prior = np.zeros((self.size, self.parameters))
            np.fill_diagonal(prior, (won - as_first) - ((1 - won) - as_second))
            if self.first_mover:
                prior[:, -1] = (won - as_first) + ((1 - won) - as_second)
            matrix += prior.T @ prior / 2
        if self.first_mover:
            # One more pair, half taken by the first mover twice, half by the second: where each
            # pair so far fell to one player, the advantage is unknown, not known to be nothing.
            matrix[-1, -1] += 1.0
        units = total + self.size
        return matrix * units / (units - (self.parameters - 1))


def _check(results: Sequence[Result]) -> None:
    for result in results:
        if not 0 <= result.score <= 1:
            raise ValueError(f"a score must be from 0 to 1: {result}")
        if result.first == result.second:
            raise ValueError(f"a player cannot meet itself: {result}")


def cluster_numbers(results: Sequence[Result]) -> NDArray[np.intp]:
    """A number for each result, the same within a cluster."""
    numbers: dict[str | int, int] = {}
    keys = (result.pair or position for position, result in enumerate(results))
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.intp)


def _groups(players: Sequence[str], results: Sequence[Result]) -> tuple[tuple[str, ...], ...]:
    """The players that are linked by results, directly or through others; the largest first."""
    group = {name: {name} for name in players}
    for first, second in {(result.first, result.second) for result in results}:
        if group[first] is not group[second]:
            joined = group[first] | group[second]
            group.update(dict.fromkeys(joined, joined))
    distinct = {id(members): tuple(sorted(members)) for members in group.values()}
    return tuple(sorted(distinct.values(), key=lambda members: (-len(members), members)))
