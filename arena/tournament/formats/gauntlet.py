"""One player or some against all others, round after round; the others do not meet."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from pydantic import Field

from arena.files.toml_tables import TomlTable, no_such, shown
from arena.model.protocol import Text
from arena.tournament.formats.base import Format, Plan
from arena.tournament.formats.meetings import ALL_MEET_ALL, ListedSchedule, meeting


class GauntletTable(TomlTable):
    players: list[Text] = Field(default_factory=list)
    """Those who meet all, with their later versions; without any, the first of the file."""


class GauntletSchedule(ListedSchedule):
    """The meetings of some with all, those among themselves included."""

    def __init__(self, plan: Plan) -> None:
        named = plan.keys["players"] or plan.players[:1]
        some = [*named, *(each for each in plan.players if plan.version_of.get(each) in named)]
        rank = {player: place for place, player in enumerate(some)}
        pairs = [  # each opponent meets all of `some` before the next one does
            (one, other)
            for other in plan.players
            for one in some
            if rank[one] < rank.get(other, len(some)) and plan.out.isdisjoint((one, other))
        ]
        turns = product(range(1, plan.rounds + 1), pairs)
        games = (game for round_, pair in turns for game in meeting(plan.game, round_, *pair))
        super().__init__(games, 2 * plan.rounds * len(pairs), plan.out)


def _problems(keys: Mapping[str, Any], players: Sequence[str]) -> Iterator[tuple[str, str]]:
    some = keys["players"]
    for name in some:
        if name not in players:
            yield "players", no_such("player", name, players)
    for name in sorted({name for name in some if some.count(name) > 1}):
        yield "players", f"names {shown(name)} twice; leave one of them out"


GAUNTLET = Format(
    "gauntlet", GauntletSchedule, GauntletTable, problems=_problems, alone=ALL_MEET_ALL
)
