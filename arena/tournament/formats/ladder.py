"""A ladder stands open: in each round those meet whose game is most informative about their order.

A meeting's worth is the information expected on the difference of the two ratings, in nats: of a
difference with variance v, known from the rounds before, a pair of games leaves 1/(1/v + i), where
i = 2·p(1 − p) is the information of two games that one wins with probability p. So close players
meet, and those of whom little is known. With an odd number one of those rests who played most.

The ratings are one fit of all results (`arena.ratings.elo`), whatever their order, and with a prior
of its own (`SCHEDULE_PAIRS`): with that of the standings the meetings of ladders played so far
would change.
"""

import math
from collections import Counter

from arena.ratings.results import results_of
from arena.ratings.scale import SCALE
from arena.tournament.formats.base import Format
from arena.tournament.formats.matched import MatchedSchedule, Worth
from arena.tournament.formats.meetings import ALL_MEET_ALL

_UNKNOWN_ELO = 400.0
"""Standard error of a rating without results, about the pool's mean."""
_FINE = 1e9
"""Units of worth in a nat."""


class LadderSchedule(MatchedSchedule):
    def worth(self, round_: int) -> Worth:
        """The information expected of a meeting, by the ratings after the rounds before."""
        import numpy as np  # here: most commands read formats and rate nothing

        from arena.ratings.elo import fit as fit_results
        from arena.ratings.likelihood import SCHEDULE_PAIRS

        games = [game for played in self.by_round(round_ - 1) for game in played]
        paired = not self.plan.game.decided_by_seed
        fit = fit_results(results_of(games), first_mover=paired, player_pairs=SCHEDULE_PAIRS)
        unknown = [player for player in self.players if player not in fit.players]
        at = {player: place for place, player in enumerate((*fit.players, *unknown))}
        ratings = np.append(fit.elo, np.zeros(len(unknown))) / SCALE
        covariance = np.diag(np.full(len(at), _UNKNOWN_ELO**2))
        covariance[: len(fit.elo), : len(fit.elo)] = fit.covariance
        covariance /= SCALE**2
        played = Counter(name for game in games for name in game.players)

        def worth(one: str, other: str | None) -> int:
            if other is None:
                return round(_FINE * 1000) * (played[one] - len(games))
            a, b = at[one], at[other]
            variance = covariance[a, a] + covariance[b, b] - 2 * covariance[a, b]
            expected = 1 / (1 + math.exp(ratings[b] - ratings[a]))
            information = (1 + paired) * expected * (1 - expected)
            return round(_FINE * math.log1p(variance * information))

        return worth


LADDER = Format(
    "ladder", LadderSchedule, rounds=50, foreseen=False, matched=True, alone=ALL_MEET_ALL
)
