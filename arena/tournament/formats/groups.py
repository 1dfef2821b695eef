"""Groups, each a round-robin, then a knockout of the best of each group.

Players are seeded in the order of the file and spread over the groups to and fro: of two groups the
first has the seeds 1, 4, 5, 8. In the knockout the winners of groups are seeded first, then the
second of each, so that two of one group do not meet in its first round where that can be.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, combinations
from string import ascii_uppercase
from typing import Any

from pydantic import Field

from arena.ratings import tie_breaks
from arena.ratings.rankings import Placing, Ranking
from arena.ratings.tie_breaks import Met
from arena.tournament.formats.base import Plan
from arena.tournament.formats.bracket import COLUMNS, Bracket, places
from arena.tournament.formats.knockout import KNOCKOUT, KnockoutTable
from arena.tournament.formats.meetings import Pair
from arena.tournament.formats.staged import Rounds, StagedSchedule, Taken


class GroupsTable(KnockoutTable):
    """`[groups]`: the keys of the knockout, too."""

    groups: int = Field(default=2, ge=1, le=len(ascii_uppercase))
    advance: int = Field(default=2, ge=1)
    """How many of each group go on."""


class GroupsSchedule(StagedSchedule):
    def __init__(self, plan: Plan) -> None:
        self._groups = dealt(plan.players, plan.keys["groups"])
        self._taken_before: list[Taken] = []
        """The points of each round of the groups that is over."""
        self._bracket = Bracket((), plan, self.has_left)
        pairs = sum(len(group) * (len(group) - 1) // 2 for group in self._groups)
        going = plan.players[: plan.keys["groups"] * plan.keys["advance"]]
        knockout = Bracket(going, plan, self.has_left)
        super().__init__(plan, 2 * plan.rounds * pairs + knockout.most)

    def rounds(self) -> Rounds:
        pairs: list[Pair] = [pair for group in self._groups for pair in combinations(group, 2)]
        for _ in range(self.plan.rounds):
            self._taken_before.append((yield pairs))
        tables = [self._table(group) for group in self._groups]
        best = [[each.player for each in table][: self.plan.keys["advance"]] for table in tables]
        self._bracket = Bracket(seeded(best), self.plan, self.has_left)
        yield from self._bracket.play()

    def _table(self, group: Sequence[str]) -> tuple[Placing, ...]:
        """Its players as they stand, those behind that left before its end; of equals, the better
        seed first.
        """
        taken, met = [*self._taken_before], dict[str, list[Met]]({player: [] for player in group})
        if len(taken) < self.plan.rounds:
            taken.append(self.taken())
        for (one, other), (own, others) in chain.from_iterable(each.items() for each in taken):
            if one in met:
                met[one].append(Met(other, own))
                met[other].append(Met(one, others))
        points, breaks = tie_breaks.totals(met), tie_breaks.sonneborn_berger(met)

        def place(player: str) -> tuple[bool, float, float]:
            gone = self.plan.left.get(player, self.plan.rounds + 1) <= self.plan.rounds
            return gone, -points[player], -breaks[player]

        order = sorted(group, key=place)
        return tuple(
            Placing(rank=rank, player=player, figures=(points[player], breaks[player]))
            for rank, player in enumerate(order, 1)
        )

    def ranking(self) -> Ranking:
        """Those of the bracket as they stand there, then the others by their places in groups."""
        tables = [self._table(group) for group in self._groups]
        placed = self._bracket.placings()
        going = {each.player for each in placed}
        others = [each for table in tables for each in table if each.player not in going]
        ranks = tie_breaks.shared_ranks({each.player: (-each.rank,) for each in others})
        behind = (
            Placing(rank=len(going) + ranks[name], player=name, figures=(0, 0))
            for name in sorted(ranks, key=ranks.__getitem__)
        )
        return Ranking(
            columns=COLUMNS,
            players=(*placed, *behind),
            notes=(*self._bracket.notes(), *self.walkovers()),
            bracket=self._bracket.shown(),
            groups=tuple(
                Ranking(title=f"Group {letter}", columns=("Points", "S-B"), players=table)
                for letter, table in zip(ascii_uppercase, tables, strict=False)
            ),
        )


def dealt(players: Sequence[str], groups: int) -> list[list[str]]:
    """The players over the groups, to and fro."""
    found: list[list[str]] = [[] for _ in range(groups)]
    for place, player in enumerate(players):
        turn, at = divmod(place, groups)
        found[at if turn % 2 == 0 else groups - 1 - at].append(player)
    return found


def seeded(best: Sequence[Sequence[str]]) -> list[str]:
    """The seeds of the knockout, from the best of each group: of all turns of the later places the
    first in which no two of one group meet at once, where there is one.
    """
    group = {player: at for at, players in enumerate(best) for player in players}

    def turned(by: int) -> list[str]:
        later = [*best[by:], *best[:by]]
        return [players[0] for players in best] + [
            players[place] for place in range(1, len(best[0])) for players in later
        ]

    def meet(seeds: Sequence[str]) -> bool:
        order = places(1 << (len(seeds) - 1).bit_length())
        return any(
            max(pair) < len(seeds) and group[seeds[pair[0]]] == group[seeds[pair[1]]]
            for pair in zip(order[::2], order[1::2], strict=True)
        )

    turns = list(map(turned, range(len(best))))
    return next((seeds for seeds in turns if not meet(seeds)), turns[0])


def _problems(keys: Mapping[str, Any], players: Sequence[str]) -> Iterator[tuple[str, str]]:
    groups, advance = keys["groups"], keys["advance"]
    smallest = len(players) // groups
    if smallest < 2:
        yield (
            "groups",
            f"{groups} groups of 2 at least need {2 * groups} players, got {len(players)}",
        )
    elif advance > smallest:
        yield "advance", f"the smallest group has {smallest} players; give no more, got {advance}"
    elif groups * advance < 2:
        yield "advance", "1 player of 1 group has no opponent in the knockout; give more"


GROUPS = KNOCKOUT._replace(
    name="groups",
    open=GroupsSchedule,
    keys=GroupsTable,
    problems=_problems,
    alone='all can play the same seeds; write format = "round-robin", or "knockout"',
)
