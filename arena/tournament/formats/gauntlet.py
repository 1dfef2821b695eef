"""One player or some against all others, round after round; the others do not meet."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import Field

from arena.files.toml_tables import TomlTable, no_such, shown
from arena.model.protocol import Text
from arena.tournament.formats.base import Format, Pairing, Plan
from arena.tournament.formats.meetings import ALL_MEET_ALL, ListedSchedule, meeting


class GauntletTable(TomlTable):
    players: list[Text] = Field(default_factory=list)
    """Those who meet all, with their later versions; without any, the first of the file."""


class GauntletSchedule(ListedSchedule):
    """The meetings of some with all, those among themselves included."""

    def __init__(self, plan: Plan) -> None:
        named = plan.keys["players"] or plan.players[:1]
        some = [*named, *(each for each in plan.players if plan.version_of.get(each) in named)]
        pairs = [pair for pair in _pairs(some, plan.players) if plan.out.isdisjoint(pair)]
        super().__init__(_games(plan, pairs), 2 * plan.rounds * len(pairs), plan.out)


def _pairs(some: Sequence[str], players: Sequence[str]) -> list[tuple[str, str]]:
    """Each opponent meets all of `some` before the next one does."""
    rank = {player: place for place, player in enumerate(some)}
    return [
        (one, other) for other in players for one in some if rank[one] < rank.get(other, len(some))
    ]


def _games(plan: Plan, pairs: Sequence[tuple[str, str]]) -> Iterator[Pairing]:
    for round_ in range(1, plan.rounds + 1):
        for pair in pairs:
            yield from meeting(plan.game, round_, *pair)


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
