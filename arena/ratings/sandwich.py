"""The covariance of fitted parameters, by the sandwich estimator: whole where the field is small,
else known by draws.

The covariance is B·S·B, where B is the inverse of the information and S the sum of the squares of
the score's rows (Huber 1967; Liang & Zeger 1986). Where B would be too large to hold, `DRAWS` times
the rows are added up with random signs and multiplied by B: each time one draw of an error with
that covariance (Hutchinson 1990). The same draws with the diagonal in place of the information have
a known variance, and correct what the draws themselves have too much or too little.
"""

import numpy as np

from arena.ratings.columns import Array, Indices
from arena.ratings.solving import MOST_DENSE, Matrix, solve, whole

DRAWS = 1024
"""Draws in a large field: errors are about 1% from those of the whole covariance, and up to
5% where players met few others."""
_AT_ONCE = 32
_PRECISION = 1e-4
"""Of a draw."""


class Whole:
    """A covariance as a matrix, parameters × parameters."""

    def __init__(self, matrix: Array) -> None:
        self.matrix = matrix

    def of(self, one: Indices, other: Indices) -> Array:
        """The variance of the difference of each of `one` to its partner in `other`."""
        own = np.diag(self.matrix)
        return np.asarray(own[one] + own[other] - 2 * self.matrix[one, other])

    def single(self, parameter: int) -> float:
        """The variance of one parameter."""
        return float(self.matrix[parameter, parameter])

    def from_mean(self, size: int) -> Array:
        """The variance of the differences of the first `size` parameters to their mean."""
        among = self.matrix[:size, :size]
        means = among.mean(axis=0)
        return np.asarray(np.diag(among) - 2 * means + means.mean())


class ErrorDraws:
    """A covariance by draws of the error, a column each; answers what `Whole` does."""

    def __init__(self, information: Matrix, rows: Matrix) -> None:
        rng = np.random.default_rng(DRAWS)
        self._scale = 1 / information.diagonal()
        self._squares = (rows.T @ rows).tocsr()
        draws, plain = [], []
        turned = rows.T.tocsr()
        for _ in range(DRAWS // _AT_ONCE):
            signs = rng.integers(0, 2, (rows.shape[0], _AT_ONCE), np.int8) * 2.0 - 1
            drawn = turned @ signs
            plain.append(self._scale[:, None] * drawn)
            draws.append(solve(information, drawn, _PRECISION))
        self._draws, self._plain = np.hstack(draws), np.hstack(plain)

    @property
    def matrix(self) -> Array:
        """The mean product of the draws."""
        return np.asarray(self._draws @ self._draws.T / self._draws.shape[1])

    def of(self, one: Indices, other: Indices) -> Array:
        """From the differences of the draws."""
        scale, squares = self._scale, self._squares
        own = scale**2 * squares.diagonal()
        both = scale[one] * scale[other] * np.asarray(squares[one, other]).ravel()
        known = own[one] + own[other] - 2 * both
        draws = self._draws[one] - self._draws[other]
        return _corrected(draws, self._plain[one] - self._plain[other], known)

    def single(self, parameter: int) -> float:
        """From the draws of the parameter."""
        at = slice(parameter, parameter + 1)
        known = self._scale[at] ** 2 * self._squares.diagonal()[at]
        return float(_corrected(self._draws[at], self._plain[at], known)[0])

    def from_mean(self, size: int) -> Array:
        """From the differences of the draws to their means."""
        draws = self._draws[:size] - self._draws[:size].mean(axis=0)
        known = (self._scale**2 * self._squares.diagonal())[:size]
        return _corrected(draws, self._plain[:size], known)


Covariance = Whole | ErrorDraws


def sandwich(information: Matrix, rows: Matrix) -> Covariance:
    """The covariance, from the information and the rows of the score."""
    if information.shape[0] > MOST_DENSE:
        return ErrorDraws(information, rows)
    bread = np.linalg.inv(whole(information))
    return Whole(bread @ whole(rows.T @ rows) @ bread)


def _corrected(draws: Array, plain: Array, known: Array) -> Array:
    """The mean squares of the `draws`, less what those of `plain` are above the `known` ones, as
    far as the two go together (a control variate).
    """
    found, control = draws**2, plain**2
    surplus = control - control.mean(axis=1)[:, None]
    together = (found * surplus).mean(axis=1) / np.maximum((surplus**2).mean(axis=1), 1e-300)
    corrected = found.mean(axis=1) - together * (control.mean(axis=1) - known)
    return np.asarray(np.maximum(corrected, found.mean(axis=1) / 2))
