"""The log-likelihood ratio of a sequential test.

With observed shares p̂ of results of worth a, the likeliest distribution of mean s is
p = p̂/(1 + x·(a − s)), where x solves Σ p̂·(a − s)/(1 + x·(a − s)) = 0. A lead in normalized Elo
fixes (μ − ½)/σ = t in place of the mean; there the condition is replaced by its tangent at the last
distribution found, which is a mean again, until nothing changes. A result that never came counts
as a thousandth of one, so that every distribution is possible.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arena.ratings.matches import Model
from arena.ratings.scale import SCALE
from arena.ratings.sprt import Sprt, t_value

Floats = NDArray[np.float64]

_NEVER = 1e-3
"""The count that stands for 0."""
_STILL = 1e-13
"""A step is none if it is less than this part of the way to the nearest pole."""
_ROUNDING = 1e-15
"""A step is none if it is less than this part of x."""


def log_likelihood_ratio(test: Sprt, counts: ArrayLike) -> Floats:
    """How much likelier the counts are under H1 than under H0, as a natural logarithm.

    counts: (…, 5) pairs of two games by half points (LL, LD, WL or DD, WD, WW), or (…, 3) lone
    results (lost, drawn, won). Returns (…), for each row by itself; 0 for a row without results.
    """
    counts = np.asarray(counts, dtype=np.float64)
    rows = counts.reshape(-1, counts.shape[-1])
    played = rows.sum(axis=1) > 0
    seen = np.where(rows[played] > 0, rows[played], _NEVER)
    shares = seen / seen.sum(axis=1, keepdims=True)
    under_h0, under_h1 = (likeliest(shares, elo, test.model) for elo in (test.elo0, test.elo1))
    ratios = np.zeros(len(rows))
    ratios[played] = (seen * np.log(under_h1 / under_h0)).sum(axis=1)
    return ratios.reshape(counts.shape[:-1])


def likeliest(shares: Floats, elo: float, model: Model) -> Floats:
    """The likeliest distributions with that lead, given the observed shares (rows, results)."""
    worth = np.linspace(0.0, 1.0, shares.shape[1])
    if model == "logistic":
        return _with_mean_zero(shares, worth - 1 / (1 + math.exp(-elo / SCALE)))
    return _with_t_value(shares, worth, t_value(elo, (len(worth) - 1) // 2))


def _with_t_value(shares: Floats, worth: Floats, t: float) -> Floats:
    """The likeliest distributions with (μ − ½)/σ = t, given the observed shares (rows, results)."""
    weights = np.full_like(shares, 1 / shares.shape[1])
    going = np.arange(len(shares))  # rows that still change
    for _ in range(30):  # three or four are enough but for the most lopsided counts
        before = weights[going]
        mean = (before * worth).sum(axis=1)  # unlike @, the same whatever the other rows are
        apart = worth - mean[:, None]
        sigma = np.sqrt((before * apart**2).sum(axis=1))[:, None]
        tangent = worth - 0.5 - t * sigma / 2 * (1 + (apart / sigma) ** 2)
        weights[going] = _with_mean_zero(shares[going], tangent)
        going = going[np.abs(weights[going] - before).max(axis=1) > 1e-9]
        if not len(going):
            break
    return weights


def _with_mean_zero(shares: Floats, worth: Floats) -> Floats:
    """The likeliest distributions (rows, results) with Σ p·worth = 0, given the observed shares.

    worth: (results) or (rows, results), with values on both sides of 0.
    """
    worth = np.broadcast_to(worth, shares.shape)
    # x is where every p is positive; the sum falls from ∞ to −∞ in between
    left, right = -1 / worth.max(axis=1), -1 / worth.min(axis=1)
    low, high, x = left, right, np.zeros(len(shares))
    done = np.zeros(len(shares), dtype=np.bool_)  # these stay: no row's answer depends on another's
    for _ in range(100):  # more of Newton's steps than are needed: the bracket is halved at least
        terms = worth / (1 + x[:, None] * worth)
        value, slope = (shares * terms).sum(axis=1), -(shares * terms**2).sum(axis=1)
        low, high = np.where(value > 0, x, low), np.where(value < 0, x, high)
        room, turn = (x - left) * (right - x), left + right - 2 * x
        newton = x - value * room / (slope * room + value * turn)  # of value·room: without poles
        inside = (newton >= low) & (newton <= high) & (newton > left) & (newton < right)
        after = np.where(inside, newton, (low + high) / 2)
        step, x = np.abs(after - x), np.where(done, x, after)
        done |= step <= _STILL * np.minimum(x - left, right - x) + _ROUNDING * np.abs(x)
        if done.all():
            break
    found: Floats = shares / (1 + x[:, None] * worth)
    found /= found.sum(axis=1, keepdims=True)
    return found
