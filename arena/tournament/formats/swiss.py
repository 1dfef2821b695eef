"""A Swiss tournament: players with equally many points meet, no two twice while that is possible.

In each round those meet whose points differ least, by one matching of the whole field; of equals,
the upper half meets the lower half. With an odd number, one of those with the fewest points has a
bye, no player twice while that is possible; it is worth a meeting won.

Players that join later begin in the round that is played then, where one of them may meet the
player that had the bye. The rounds before it give them no points, nor do those that a player
missed that comes back. Where a player leaves, those that met it have a bye in that round.
"""

from collections import Counter, defaultdict

from arena.ratings import tie_breaks
from arena.ratings.rankings import Placing, Ranking
from arena.ratings.results import results_of
from arena.ratings.tie_breaks import Met
from arena.tournament.formats.base import Format
from arena.tournament.formats.matched import MatchedSchedule, Worth
from arena.tournament.formats.meetings import ALL_MEET_ALL

_COLUMNS = ("Points", "Buchholz", "S-B")
_ORDER = (
    "Ranked by points (a game won 1, drawn ½), then Buchholz (the points of the opponents), then "
    "Sonneborn-Berger (the same, times the points taken from each); equal in all three, the rank "
    "is shared."
)


class SwissSchedule(MatchedSchedule):
    def worth(self, round_: int) -> Worth:
        """The fewer points between two players, the better; above all, they have not met."""
        met = self.met(round_ - 1)
        points = {player: round(2 * sum(each.points for each in met[player])) for player in met}
        order = sorted(met, key=lambda player: -points[player])
        place = {player: at for at, player in enumerate(order)}
        group, field, least = Counter(points.values()), len(order), min(points.values())
        before = {player: Counter(each.opponent for each in met[player]) for player in met}
        for player in self.later.intersection(met):  # none rests in its first round
            before[player][None] += not met[player]
        a_point = field**3  # more than all places of a round together
        a_rematch = a_point * field * (1 + max(points.values()) - least) ** 2

        def worth(one: str, other: str | None) -> int:
            if other is None:
                between, fold = points[one] - least, field - place[one]
            else:
                between = points[one] - points[other]
                half = group[points[one]] // 2
                fold = 0 if between else (abs(place[one] - place[other]) - half) ** 2
            return -(a_rematch * before[one][other] + a_point * between**2 + fold)

        return worth

    def met(self, rounds: int) -> dict[str, list[Met]]:
        """The result of each player in each of the first rounds."""
        met: dict[str, list[Met]] = {player: [] for player in self.players}
        for round_, games in enumerate(self.by_round(rounds), 1):
            taken: defaultdict[tuple[str, str], float] = defaultdict(float)
            for one, other, score, _ in results_of(games):
                taken[one, other] += score
                taken[other, one] += 1 - score
            for (player, opponent), points in taken.items():
                met[player].append(Met(opponent, points))
            if round_ <= self.complete():
                for player in met.keys() - {player for player, _ in taken}:
                    rests = met[player] or player not in self.later
                    rests = rests and round_ not in self.plan.away.get(player, ())
                    if rests or player in self._left_by[round_]:
                        met[player].append(Met(None, self._a_bye))
        return met

    @property
    def _a_bye(self) -> int:
        """The points of a bye: of both games of a pair, or of the one comparison on a seed."""
        return 1 if self.plan.game.decided_by_seed else 2

    def ranking(self) -> Ranking:
        met = self.met(self.plan.rounds)
        breaks = (tie_breaks.totals, tie_breaks.buchholz, tie_breaks.sonneborn_berger)
        figures = [each(met) for each in breaks]
        keys = {player: tuple(each[player] for each in figures) for player in met}
        ranks = tie_breaks.shared_ranks(keys)
        placed = tuple(
            Placing(rank=ranks[player], player=player, figures=keys[player])
            for player in sorted(keys, key=lambda player: keys[player], reverse=True)
        )
        had_byes = {player: sum(each.opponent is None for each in met[player]) for player in met}
        byes = [f"{player} × {n}" if n > 1 else player for player, n in had_byes.items() if n]
        worth = f"{self._a_bye} point{'s' if self._a_bye > 1 else ''} each"
        had = (
            f"Byes ({worth}): {', '.join(byes)}. For tie-breaks a bye is an opponent with the "
            "player's own points."
        )
        return Ranking(columns=_COLUMNS, players=placed, notes=(_ORDER, *([had] if byes else [])))


SWISS = Format(
    "swiss",
    SwissSchedule,
    rounds=5,
    foreseen=False,
    matched=True,
    unstopped="it ends with its last round; give fewer rounds",
    alone=ALL_MEET_ALL,
)
