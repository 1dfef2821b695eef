"""Whether the first of a field are separated from all below them, as often as one looks.

Looking again and again at 95% intervals finds a gap sooner or later where there is none. A gap
counts here once the likelihood ratio of "some lead, normally distributed with `LEAD_ELO`" to "no
lead" passes 1/α: under "no lead" it is a martingale that does so with probability α at most, as
often as it is looked at (Robbins 1970; Johari, Pekelis & Walsh 2015). α is 5%, shared by the
`first` gaps.

Ratings are taken as normal around the truth, with clusters of dependent results as units. A lead is
judged by the fit, or by one step from "no lead" (`Likelihood.lead_from_level`).
"""

import math
from collections.abc import Collection, Sequence

import numpy as np

from arena.ratings.columns import Columns
from arena.ratings.likelihood import SCHEDULE_PAIRS, Likelihood
from arena.ratings.results import Result
from arena.ratings.scale import ERROR_RATE, SCALE

LEAD_ELO = 100.0
"""Leads that are looked for, about."""


def separated(
    results: Sequence[Result], players: Collection[str], first: int, *, first_mover: bool
) -> int:
    """How many players from the top, `first` at most, lead the next one by more than luck; the last
    of them, each player below.
    """
    columns = Columns.of(results)
    met = columns.players
    if not met or set(players) - set(met):
        return 0
    pool = Likelihood(columns, first_mover, player_pairs=SCHEDULE_PAIRS)
    strengths = pool.maximum()
    order = np.argsort(-strengths[: len(met)], kind="stable")
    bound = math.log(first / ERROR_RATE)
    for place, upper in enumerate(order[:first]):
        for lower in order[place + 1 :][: None if place == first - 1 else 1]:
            leads = (
                pool.lead(strengths, upper, lower),
                pool.lead_from_level(strengths, upper, lower),
            )
            in_elo = ((lead * SCALE, variance * SCALE**2) for lead, variance in leads)
            if not any(lead > 0 and log_ratio(lead, spread) > bound for lead, spread in in_elo):
                return place
    return first


def log_ratio(lead: float, variance: float) -> float:
    """Of some lead to no lead, after a lead with that variance was found."""
    spread = variance + LEAD_ELO**2
    return (math.log(variance / spread) + lead**2 * LEAD_ELO**2 / (variance * spread)) / 2
