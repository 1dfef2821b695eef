"""One joint maximum-likelihood rating of a pool of players (Bradley-Terry, on the Elo scale).

The model: `first` scores 1/(1 + 10^(−(d + h)/400)) against `second`, where d is the difference of
their ratings and h the advantage of moving first, fitted with the ratings. A draw is half a point.

The prior: each player also has one pair of games, colours swapped, against a virtual opponent of
average strength, which counts half as won twice and half as lost twice. As points that is one drawn
pair: ratings are finite at 0 % and 100 %, and the pool in one piece. As spread it is a whole pair
of each kind, so that the error of a player who never lost is wide; likewise the spread of the first
move's advantage has a pair that went to the first mover, or the second.
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

import numpy as np
from numpy.typing import NDArray

from arena.ratings.model import Advantage, Neighbours
from arena.ratings.results import Result

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

SCALE = 400 / math.log(10)
"""Elo in one unit of the logistic function: 173.72."""
Z95 = NormalDist().inv_cdf(0.975)
"""Standard errors on each side of a 95 % interval: 1.96."""

_NEWTON_STEPS = 100
_NEWTON_GAIN = 1e-12
"""The likelihood still to be gained at which a fit has settled."""


@dataclass(frozen=True, eq=False)
class Fit:
    """Ratings of a pool, fitted together."""

    players: tuple[str, ...]
    """Names of the players with at least one result, sorted."""
    elo: Array
    """By player."""
    covariance: Array
    """Of the ratings, players × players, in Elo². The anchor's row is zero."""
    first_mover: Advantage | None
    """Advantage of moving first; None when it was not fitted."""
    groups: tuple[tuple[str, ...], ...]
    """Players linked by results. Ratings of two groups are tied together by the prior alone."""

    def error(self, player: str) -> float:
        """Half of the 95 % interval of a rating, in Elo; 0 for the anchor."""
        index = self.players.index(player)
        return Z95 * math.sqrt(self.covariance[index, index])

    def compare(self, one: str, other: str) -> Neighbours:
        """Set two different players against each other."""
        a, b = self.players.index(one), self.players.index(other)
        difference = float(self.elo[a] - self.elo[b])
        both = self.covariance[a, b]
        spread = math.sqrt(self.covariance[a, a] + self.covariance[b, b] - 2 * both)
        linked = any(one in group and other in group for group in self.groups)
        return Neighbours(
            upper=one,
            lower=other,
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
    for result in results:
        if not 0 <= result.score <= 1:
            raise ValueError(f"a score must be from 0 to 1: {result}")
        if result.first == result.second:
            raise ValueError(f"a player cannot meet itself: {result}")
    players = tuple(sorted({name for result in results for name in result[:2]}))
    if not players:
        return Fit((), np.zeros(0), np.zeros((0, 0)), None, ())
    if anchor is not None and anchor not in players:
        known = ", ".join(players)
        raise ValueError(f"the anchor {anchor!r} has no results; it must be one of {known}")
    model = Likelihood(players, results, first_mover)
    strengths = model.maximum()
    bread = np.linalg.inv(model.information(model.expected(strengths)))
    spread = bread @ model.scatter(strengths, cluster_numbers(results)) @ bread * SCALE**2

    origin = np.full(len(players), 1 / len(players))
    if anchor is not None:
        origin = np.array([float(name == anchor) for name in players])
    shift = np.eye(len(players)) - origin
    ratings = slice(len(players))
    error = Z95 * math.sqrt(spread[-1, -1])
    advantage = Advantage(elo=float(strengths[-1]) * SCALE, error=error)
    return Fit(
        players=players,
        elo=shift @ strengths[ratings] * SCALE + anchor_elo,
        covariance=shift @ spread[ratings, ratings] @ shift.T,
        first_mover=advantage if first_mover else None,
        groups=_groups(players, results),
    )


class Likelihood:
    """The likelihood of results and prior. Its parameters are the players' ratings and, where it is
    fitted, the advantage of the first move, all in units of `SCALE` Elo.

    A row of `design` is a pairing, the players' sides of it known: the parameters' weights in the
    log odds of the first player. The prior's pairings come last: every player as first against the
    virtual opponent, whose rating is 0, then every player as second.
    """

    def __init__(
        self, players: Sequence[str], results: Sequence[Result], first_mover: bool
    ) -> None:
        from scipy import sparse  # a quarter of a run's start, which fits nothing yet

        index = {name: position for position, name in enumerate(players)}
        self.size = size = len(players)
        sides = np.array([(index[first], index[second]) for first, second, *_ in results])
        self.scores = np.array([result.score for result in results], dtype=np.float64)
        pairings, self.pairing = np.unique(sides @ (size, 1), return_inverse=True)
        each = sparse.eye_array(size, format="csr")
        met = each[pairings // size] - each[pairings % size]
        self.design = sparse.vstack((met, each, -each), format="csr")
        if first_mover:
            advantage = np.ones((self.design.shape[0], 1))
            self.design = sparse.hstack((self.design, advantage), format="csr")
        self.games = np.append(np.bincount(self.pairing), np.ones(2 * size))
        points = np.bincount(self.pairing, weights=self.scores)
        self.points = np.append(points, np.full(2 * size, 0.5))

    def expected(self, strengths: Array) -> Array:
        """The share of the points that each first player is expected to take, by pairing."""
        return np.asarray(np.exp(-np.logaddexp(0.0, -self.design @ strengths)))

    def log_likelihood(self, strengths: Array) -> float:
        """Of the results and the prior."""
        margins = self.design @ strengths
        won = self.points * np.logaddexp(0.0, -margins)
        lost = (self.games - self.points) * np.logaddexp(0.0, margins)
        return -float(np.sum(won + lost))

    def information(self, expected: Array) -> Array:
        """Minus the second derivatives of the log-likelihood: positive definite."""
        weighted = self.design * (self.games * expected * (1 - expected))[:, None]
        return np.asarray((self.design.T @ weighted).toarray())

    def maximum(self) -> Array:
        """The parameters of greatest likelihood: Newton's method, halving bad steps."""
        strengths = np.zeros(self.design.shape[1])
        likelihood = self.log_likelihood(strengths)
        for _ in range(_NEWTON_STEPS):
            expected = self.expected(strengths)
            gradient = (self.points - self.games * expected) @ self.design
            step = np.linalg.solve(self.information(expected), gradient)
            if float(gradient @ step) < _NEWTON_GAIN:
                return strengths + step
            while (better := self.log_likelihood(strengths + step)) < likelihood:
                step /= 2
            strengths, likelihood = strengths + step, better
        raise ArithmeticError(f"the ratings did not settle in {_NEWTON_STEPS} steps")

    def scatter(self, strengths: Array, clusters: Indices) -> Array:
        """Sum of the squared scores (outer products of gradients) of all clusters; `clusters` has
        the number of each result's. Enlarged, as a variance is by n/(n − 1), for the differences
        and the advantage that were fitted to the same results.
        """
        from scipy import sparse

        expected = self.expected(strengths)
        surplus = self.scores - expected[self.pairing]
        total, parameters = int(clusters.max()) + 1, len(strengths)
        cells = surplus, (clusters, self.pairing)
        scores = sparse.csr_array(cells, (total, len(expected))) @ self.design
        matrix = (scores.T @ scores).toarray()

        size = self.size  # each prior pair counts half as two wins and half as two losses
        for won in (1.0, 0.0):
            taken = np.repeat((won, 1 - won), size) - expected[-2 * size :]
            gradients = self.design[-2 * size :] * taken[:, None]
            scores = gradients[:size] + gradients[size:]
            matrix += (scores.T @ scores).toarray() / 2
        if parameters > size:
            # One more pair, half taken by the first mover twice, half by the second: where each
            # pair so far fell to one player, the advantage is unknown, not known to be nothing.
            matrix[-1, -1] += 1.0
        units = total + size
        return np.asarray(matrix * units / (units - (parameters - 1)))


def cluster_numbers(results: Sequence[Result]) -> Indices:
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
