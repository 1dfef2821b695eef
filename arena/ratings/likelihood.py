"""The likelihood of results under the model of `arena.ratings.elo`, its maximum, and the spread of
the clusters' scores.
"""

from typing import NamedTuple

import numpy as np

from arena.ratings.columns import Array, Columns
from arena.ratings.solving import Matrix, solve

_NEWTON_STEPS = 100
_NEWTON_GAIN = 1e-12
"""The likelihood still to be gained at which a fit has settled."""
PLAYER_PAIRS, SCHEDULE_PAIRS = 0.5, 1.0
"""Pairs that the prior gives each player: for ratings, and for what decides which games are played,
where runs of earlier versions go on as they began.
"""
_ADVANTAGE_PAIRS, _ADVANTAGE_SPREAD = 2.0, 1.0
"""Pairs it gives the first move, as points and as spread."""
_FEW_PLAYERS, _FEW_RESULTS = 30, 10_000
"""Up to that many, arrays are dense: scipy takes longer to import than such a fit."""


def _identity(size: int, *, dense: bool) -> Matrix:
    if dense:
        return np.eye(size)
    from scipy import sparse

    return sparse.eye_array(size, format="csr")


def _stacked(*rows: Matrix) -> Matrix:
    """The rows of one matrix below those of another."""
    if isinstance(rows[0], np.ndarray):
        return np.vstack(rows)
    from scipy import sparse

    return sparse.vstack(rows, format="csr")


class Likelihood:
    """The likelihood of results and prior. Its parameters are the players' ratings and, where it is
    fitted, the advantage of the first move, all in units of `SCALE` Elo.

    A row of `design` is a pairing, the players' sides of it known: the parameters' weights in the
    log odds of the first player. The prior's pairings come last: every player against the virtual
    opponent, whose rating is 0, then the first move between equal players.
    """

    def __init__(
        self,
        results: Columns,
        first_mover: bool,
        *,
        weight: float = 1.0,
        spread: float | None = None,
        player_pairs: float = PLAYER_PAIRS,
    ) -> None:
        """`weight` is what a result counts for; `spread` the standard deviation of ratings by a
        normal prior, which takes the place of the players' pairs.
        """
        self.size = size = len(results.players)
        few = size <= _FEW_PLAYERS and len(results.scores) <= _FEW_RESULTS
        self.scores, self.clusters = results.scores, results.clusters
        sides = results.first * size + results.second
        pairings, self.pairing = np.unique(sides, return_inverse=True)
        of_players, of_advantage = size, int(first_mover)
        each = _identity(size + of_advantage, dense=few)
        met = each[pairings // size] - each[pairings % size]
        if first_mover:
            met = met + each[np.full(len(pairings), size)]
        each_player = player_pairs if spread is None else 0.0
        pairs = np.repeat((each_player, _ADVANTAGE_PAIRS), (of_players, of_advantage))
        precision = 0.0 if spread is None else spread**-2
        self._prior_spread = np.repeat((each_player, _ADVANTAGE_SPREAD), (of_players, of_advantage))
        self.precision = np.repeat((precision, 0.0), (of_players, of_advantage))
        self._identity, self.design = each, _stacked(met, each)
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

    def information(self, expected: Array) -> Matrix:
        """Minus the second derivatives of the log-likelihood: positive definite."""
        weighted = self.design * (self.games * expected * (1 - expected))[:, None]
        return self.design.T @ weighted + self._identity * self.precision[:, None]

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

    def score_rows(self, strengths: Array) -> Matrix:
        """Rows whose squares (outer products) add up to the spread of the score: the gradients of
        all clusters and of the prior. Enlarged, as a variance is by n/(n − 1), for the differences
        and the advantage that were fitted to the same results.
        """
        expected, parameters = self.expected(strengths), len(strengths)
        # Each prior pair counts half as two wins and half as two losses. So where each pair so far
        # fell to one player, the advantage is unknown, not known to be nothing.
        prior, drawn = self.design[-parameters:], 2 * expected[-parameters:]
        half = np.sqrt(self._prior_spread / 2)
        rows = [prior * ((won - drawn) * half)[:, None] for won in (2, 0)]
        of_clusters = self.cluster_rows(self.missed(expected))
        units = of_clusters.shape[0] + self.size
        enlarged = np.sqrt(units / (units - (parameters - 1)))
        return _stacked(of_clusters, *rows) * enlarged

    def missed(self, expected: Array) -> Array:
        """By how much each result's score is above the expected one."""
        return np.asarray(self.scores - expected[self.pairing])

    def cluster_rows(self, missed: Array) -> Matrix:
        """The gradients of the clusters, results that `missed` the expected score by so much."""
        clusters = int(self.clusters.max()) + 1
        if isinstance(self.design, np.ndarray):
            rows = np.zeros((clusters, self.design.shape[1]))
            np.add.at(rows, self.clusters, self.design[self.pairing] * missed[:, None])
            return rows
        from scipy import sparse

        shape = clusters, self.design.shape[0]
        return sparse.csr_array((missed, (self.clusters, self.pairing)), shape) @ self.design


class Maximum(NamedTuple):
    """Where a likelihood is greatest."""

    likelihood: Likelihood
    parameters: Array
    share: float = 1.0
    """Of the belief, among several likelihoods."""
