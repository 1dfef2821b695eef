"""A knockout: the loser of a match is out. Players are seeded in the order of the file.

A match is `rounds` pairs of games with seats swapped, then extra pairs while it is tied; of a match
that stays tied the better seed goes on. A player that left loses its match, ahead or not. In
the standard bracket the best two seeds can meet in the final alone, the best four in the
semi-finals; where players lack, the best seeds have byes.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import Field

from arena.files.toml_tables import TomlTable
from arena.ratings.rankings import Ranking
from arena.tournament.formats.base import Format, Plan
from arena.tournament.formats.bracket import COLUMNS, Bracket
from arena.tournament.formats.staged import Rounds, StagedSchedule


class KnockoutTable(TomlTable):
    extra: int = Field(default=3, ge=0, le=1000)
    """Pairs of games that a tied match goes on for, at most."""
    third_place: bool = True
    """Whether the losers of the semi-finals meet."""


class KnockoutSchedule(StagedSchedule):
    def __init__(self, plan: Plan) -> None:
        self._bracket = Bracket(plan.players, plan, self.has_left)
        super().__init__(plan, self._bracket.most)

    def rounds(self) -> Rounds:
        return self._bracket.play()

    def ranking(self) -> Ranking:
        return Ranking(
            columns=COLUMNS,
            players=self._bracket.placings(),
            notes=(*self._bracket.notes(), *self.walkovers()),
            bracket=self._bracket.shown(),
        )


def _problems(keys: Mapping[str, Any], players: Sequence[str]) -> Iterator[tuple[str, str]]:
    if len(players) < 2:
        yield "", "needs 2 players at least; give another [[player]] table"


KNOCKOUT = Format(
    "knockout",
    KnockoutSchedule,
    KnockoutTable,
    problems=_problems,
    fixed=False,
    foreseen=False,
    unstopped="it ends with its final",
    grows=False,
    closed=True,
    walkovers=True,
)
