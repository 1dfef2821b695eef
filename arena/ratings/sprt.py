"""Wald's sequential test of two hypotheses about the Elo between two players: play until decided.

H0 says that the first player's lead is `elo0`, H1 that it is `elo1`. After each unit (a colour-
swapped pair, or in tile games a comparison on one seed) the log-likelihood ratio of the two is
formed, and the test stops as soon as it leaves the bounds ln(β/(1 − α)) and ln((1 − β)/α). It is
the *generalised* test: what the hypotheses leave open, how often each result of a unit comes, is
put at its maximum-likelihood value under either; the ratio is exact, no normal approximation.

With observed shares p̂ of results of worth a, the likeliest distribution of mean s is
p = p̂/(1 + x·(a − s)), where x solves Σ p̂·(a − s)/(1 + x·(a − s)) = 0. A lead in normalized Elo
fixes (μ − ½)/σ = t in place of the mean; there the condition is replaced by its tangent at the last
distribution found, which is a mean again, until nothing changes. A result that never came counts
as a thousandth of one, so that every distribution is possible.

The error rates α and β are those at `elo0` and `elo1`; between them either answer is right enough.

Sources: Van den Bergh, "A practical introduction to the GSPRT" and "Comments on Normalized Elo"
(2020–2021); the definition is that of fishtest and fastchess.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import Field

from arena.files.toml_tables import TomlTable
from arena.ratings.elo import SCALE
from arena.ratings.matches import Decision, Model

Floats = NDArray[np.float64]

MOST_ELO = 100.0
"""Hypotheses further from 0 are decided by so few games that likelihoods are no guide to them."""

LEAST_ELO = 0.1
"""Hypotheses closer to each other would take tens of millions of games."""

_NEVER = 1e-3
"""The count that stands for 0."""
_STILL = 1e-13
"""A step is none if it is less than this part of the way to the nearest pole."""
_ROUNDING = 1e-15
"""A step is none if it is less than this part of x."""


class Sprt(TomlTable):
    """The hypotheses, and the error rates of the answer; `[sprt]` of a tournament file."""

    elo0: float = Field(default=0.0, ge=-MOST_ELO, le=MOST_ELO)
    """The first player's lead under H0."""
    elo1: float = Field(default=5.0, ge=-MOST_ELO, le=MOST_ELO)
    """The first player's lead under H1."""
    alpha: float = Field(default=0.05, ge=0.0001, lt=0.5)
    """Probability of accepting H1 where H0 is true, at most."""
    beta: float = Field(default=0.05, ge=0.0001, lt=0.5)
    """Probability of accepting H0 where H1 is true, at most."""
    model: Model = "normalized"
    """Scale of `elo0` and `elo1`: normalized Elo (in units of a game's spread) or logistic Elo."""

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which H0 and H1 are accepted."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def wrong_elo1(self) -> str | None:
        """Why `elo1` makes no second hypothesis; None where it does."""
        if self.elo1 >= self.elo0 + LEAST_ELO:
            return None
        return (
            f"must be above elo0 = {self.elo0:g} by {LEAST_ELO:g} at least, got {self.elo1:g}: H1 "
            "is the larger lead"
        )

    def decision(self, ratio: float) -> Decision | None:
        """The hypothesis a log-likelihood ratio accepts; None between the bounds."""
        lower, upper = self.bounds
        return "H0" if ratio <= lower else "H1" if ratio >= upper else None


def expected_units(test: Sprt, games_each: int) -> tuple[float, float] | None:
    """Units that a test takes on average, by Wald's approximation: under H0 or H1, the larger
    of the two, and where the lead is half way between them, the longest. None for logistic Elo,
    where the length depends on how drawish the games are. `games_each` is the games of a unit.
    """
    if test.model == "logistic":
        return None
    low, high = test.bounds
    squared = t_value(test.elo1 - test.elo0, games_each) ** 2
    at_h1 = (1 - test.beta) * high + test.beta * low
    at_h0 = -(test.alpha * high + (1 - test.alpha) * low)
    return max(at_h0, at_h1) / (squared / 2), -low * high / squared


def t_value(elo: float, games_each: int) -> float:
    """(μ − ½)/σ of a unit's score, where a lead is `elo` in normalized Elo."""
    return elo / (2 * SCALE) * math.sqrt(games_each)


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
