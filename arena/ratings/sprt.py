"""Wald's sequential test of two hypotheses about the Elo between two players: play until decided.

H0 says that the first player's lead is `elo0`, H1 that it is `elo1`. After each unit (a colour-
swapped pair, or in tile games a comparison on one seed) the log-likelihood ratio of the two is
formed, and the test stops as soon as it leaves the bounds ln(β/(1 − α)) and ln((1 − β)/α). It is
the *generalised* test: what the hypotheses leave open, how often each result of a unit comes, is
put at its maximum-likelihood value under either; the ratio is exact, no normal approximation: see
`arena.ratings.likelihood_ratio`.

The error rates α and β are those at `elo0` and `elo1`; between them either answer is right enough.

Sources: Van den Bergh, "A practical introduction to the GSPRT" and "Comments on Normalized Elo"
(2020–2021); the definition is that of fishtest and fastchess.
"""

import math

from pydantic import Field

from arena.files.toml_tables import TomlTable
from arena.ratings.matches import Decision, Model
from arena.ratings.scale import SCALE

MOST_ELO = 100.0
"""Hypotheses further from 0 are decided by so few games that likelihoods are no guide to them."""

LEAST_ELO = 0.1
"""Hypotheses closer to each other would take tens of millions of games."""


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
