"""The likelihood of results under the model of `arena.ratings.elo`, its maximum, and the spread of
the clusters' scores.
"""

from typing import Any, NamedTuple

import numpy as np

from arena.ratings.columns import Array, Columns
from arena.ratings.solving import solve

_NEWTON_STEPS = 100
_NEWTON_GAIN = 1e-12
"""The likelihood still to be gained at which a fit has settled."""

Sparse = Any
"""A sparse array of scipy, by rows; scipy has no types for it."""


class Likelihood:
    """The likelihood of results and prior. Its parameters are the players' ratings and, where it is
    fitted, the advantage of the first move, all in units of `SCALE` Elo.

    A row of `design` is a pairing, the players' sides of it known: the parameters' weights in the
    log odds of the first player. The prior's pairings come last: every player as first against the
    virtual opponent, whose rating is 0, then every player as second.
    """

    def __init__(
        self,
        results: Columns,
        first_mover: bool,
        *,
        weight: float = 1.0,
        spread: float | None = None,
    ) -> None:
        """`weight` is what a result counts for; `spread` the standard deviation of ratings by a
        normal prior, which takes the place of the players' pairs.
        """
        from scipy import sparse  # a quarter of a run's start, which fits nothing yet

        self.size = size = len(results.players)
        self.scores, self.clusters = results.scores, results.clusters
        sides = results.first * size + results.second
        pairings, self.pairing = np.unique(sides, return_inverse=True)
        each = sparse.eye_array(size, format="csr")
        met = each[pairings // size] - each[pairings % size]
        if first_mover:
            met = sparse.hstack((met, np.ones((met.shape[0], 1))), format="csr")
        prior = sparse.eye_array(met.shape[1], format="csr")
        of_players, of_advantage = (size, prior.shape[0] - size)
        pairs = np.repeat((1.0 if spread is None else 0.0, 2.0), (of_players, of_advantage))
        precision = 0.0 if spread is None else spread**-2
        self.precision = np.repeat((precision, 0.0), (of_players, of_advantage))
        self.design = sparse.vstack((met, prior), format="csr")
        self.games = np.append(weight * np.bincount(self.pairing), 2 * pairs)
        points = np.bincount(self.pairing, weights=self.scores)
        self.points = np.append(weight * points, pairs)
        won = np.bincount(results.first, self.scores, size)
        won += np.bincount(results.second, 1 - self.scores, size)
        played = np.bincount(np.append(results.first, results.second), minlength=size)
        self.one_sided = (won == 0) | (won == played)
        """Whether each player won all its results, or lost all."""

    def expected(self, strengths: Array) -> Array:
        """The share of the points that each first player is expected to take, by pairing."""
        return np.asarray(np.exp(-np.logaddexp(0.0, -self.design @ strengths)))

    def log_likelihood(self, strengths: Array) -> float:
        """Of the results and the prior."""
        margins = self.design @ strengths
        won = self.points * np.logaddexp(0.0, -margins)
        lost = (self.games - self.points) * np.logaddexp(0.0, margins)
        return -float(np.sum(won + lost) + self.precision @ strengths**2 / 2)

    def gradient(self, strengths: Array, expected: Array) -> Array:
        """Of the log-likelihood."""
        missed = self.points - self.games * expected
        return np.asarray(missed @ self.design - self.precision * strengths)

    def information(self, expected: Array) -> Sparse:
        """Minus the second derivatives of the log-likelihood: positive definite."""
        from scipy import sparse

        weighted = self.design * (self.games * expected * (1 - expected))[:, None]
        return (self.design.T @ weighted + sparse.diags_array(self.precision)).tocsr()

    def maximum(self, near: Array | None = None) -> Array:
        """The parameters of greatest likelihood: Newton's method, halving bad steps."""
        strengths = np.zeros(self.design.shape[1]) if near is None else near
        likelihood = self.log_likelihood(strengths)
        for _ in range(_NEWTON_STEPS):
            expected = self.expected(strengths)
            gradient = self.gradient(strengths, expected)
            step = solve(self.information(expected), gradient)
            if float(gradient @ step) < _NEWTON_GAIN:
                return strengths + step
            while (better := self.log_likelihood(strengths + step)) < likelihood:
                step /= 2
            strengths, likelihood = strengths + step, better
        raise ArithmeticError(f"the ratings did not settle in {_NEWTON_STEPS} steps")

    def lead(self, at: Array, upper: int, lower: int) -> tuple[float, float]:
        """The lead of one player over another after one Newton step from the parameters `at`, and
        its variance: the same for each `at` near the maximum, as a score test from elsewhere.
        With a normal prior it is that of the posterior.
        """
        between = np.zeros(len(at))
        between[[upper, lower]] = 1, -1
        expected = self.expected(at)
        step = solve(self.information(expected), between)
        if self.precision.any():
            variance = between @ step
        else:
            variance = np.sum((self.score_rows(at) @ step) ** 2)
        return float(between @ at + step @ self.gradient(at, expected)), float(variance)

    def lead_from_level(self, at: Array, upper: int, lower: int) -> tuple[float, float]:
        """The same from "no lead", both players half way between their ratings: sharp where one of
        them won or lost all its games, and the errors of the maximum are wide.
        """
        level = at.copy()
        level[[upper, lower]] = at[[upper, lower]].mean()
        return self.lead(level, upper, lower)

    def score_rows(self, strengths: Array) -> Sparse:
        """Rows whose squares (outer products) add up to the spread of the score: the gradients of
        all clusters and of the prior. Enlarged, as a variance is by n/(n − 1), for the differences
        and the advantage that were fitted to the same results.
        """
        from scipy import sparse

        expected, parameters = self.expected(strengths), len(strengths)
        # Each prior pair counts half as two wins and half as two losses. So where each pair so far
        # fell to one player, the advantage is unknown, not known to be nothing.
        prior, drawn = self.design[-parameters:], 2 * expected[-parameters:]
        rows = [prior * ((won - drawn) * np.sqrt(0.5))[:, None] for won in (2, 0)]
        of_clusters = self.cluster_rows(self.missed(expected))
        units = of_clusters.shape[0] + self.size
        enlarged = np.sqrt(units / (units - (parameters - 1)))
        return sparse.vstack((of_clusters, *rows), format="csr") * enlarged

    def missed(self, expected: Array) -> Array:
        """By how much each result's score is above the expected one."""
        return np.asarray(self.scores - expected[self.pairing])

    def cluster_rows(self, missed: Array) -> Sparse:
        """The gradients of the clusters, results that `missed` the expected score by so much."""
        from scipy import sparse

        shape = int(self.clusters.max()) + 1, self.design.shape[0]
        return sparse.csr_array((missed, (self.clusters, self.pairing)), shape) @ self.design


class Maximum(NamedTuple):
    """Where a likelihood is greatest."""

    likelihood: Likelihood
    parameters: Array
    share: float = 1.0
    """Of the belief, among several likelihoods."""
