"""Rounds in which each player meets one other, chosen by what the rounds before have shown.

A round is made from the games of all rounds before it. Meetings of the round that have begun stay,
and the players left are matched among themselves: a matching of greatest worth is one of greatest
worth for any part of it. So a resumed round is the same one, and players may come and go. A player
that met one that is out now has had its meeting, so a round that was played stays closed.
"""

from abc import abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b

from arena.model.protocol import Termination
from arena.ratings.results import GameDigest
from arena.tournament.formats.base import Pairing, Plan, Schedule
from arena.tournament.formats.meetings import Pair, meeting

Worth = Callable[[str, str | None], int]
"""Of a meeting of two players, or of a bye."""

_LOT_BYTES = 5
_MOST_LOTS = 8 * (_LOT_BYTES + 2)
"""Bits that the lots of 65,536 meetings do not fill together."""


class MatchedSchedule(Schedule):
    """Rounds of meetings, each player once a round."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.players = [name for name in plan.players if name not in plan.out]
        self.later = frozenset(plan.players[plan.later[0] :] if plan.later else ())
        self._full = len(self.players) // 2 * 2
        self._counted = 0
        """Games of complete rounds, and those of players that are out."""
        self._rounds: dict[int, dict[str, GameDigest]] = defaultdict(dict)
        self._left_by: dict[int, set[str]] = defaultdict(set)
        """The opponents of players that are out, by round."""
        self._reached = self._complete = 0
        self._round, self._games = 0, iter(list[Pairing]())

    @property
    def total(self) -> int:  # type: ignore[override] # it follows who is there
        if not (left := self.plan.rounds - self.complete()):
            return self._counted
        return self._counted + self._games_of(self._complete + 1) + (left - 1) * self._full

    @property
    def over(self) -> bool:
        return self.complete() >= self.plan.rounds

    def next(self) -> Pairing | None:
        round_ = self.complete() + 1
        if round_ > self.plan.rounds:
            return None
        if round_ != self._round:
            self._round, self._games = round_, self._deal(round_)
        return next((game for game in self._games if game.game not in self._rounds[round_]), None)

    def add(self, game: GameDigest) -> None:
        """Take note of a result; one of a player that is out comes on top of the schedule."""
        if game.termination is Termination.VOID:
            return
        self._reached = max(self._reached, game.round)
        if self.plan.out.isdisjoint(game.players):
            self._rounds[game.round][game.game] = game
        else:
            self._left_by[game.round].update(game.players)
            self._counted += 1

    def complete(self) -> int:
        """How many rounds are played to their end."""
        while self._complete < self.plan.rounds:
            games = len(self._rounds[self._complete + 1])
            if games < self._games_of(self._complete + 1):
                break
            self._complete += 1
            self._counted += games
        return self._complete

    def _games_of(self, round_: int) -> int:
        begun, free = self._seats(round_)
        return 2 * (len(begun) + len(free) // 2)

    def _seats(self, round_: int) -> tuple[set[Pair], list[str]]:
        """The meetings of a round that have begun, and the players that are left to be matched:
        those that joined later or came back from the round that was played then.
        """
        met = [game.players for game in self._rounds[round_].values()]
        there = self._left_by[round_].union(*met)
        there |= {name for name, rounds in self.plan.away.items() if round_ in rounds}
        if round_ < self._reached:
            there |= self.later
        begun = {(min(pair), max(pair)) for pair in met}
        return begun, [name for name in self.players if name not in there]

    def by_round(self, rounds: int) -> Iterator[list[GameDigest]]:
        """The games of each of the first rounds, by id."""
        for round_ in range(1, rounds + 1):
            yield [game for _, game in sorted(self._rounds[round_].items())]

    def _deal(self, round_: int) -> Iterator[Pairing]:
        begun, free = self._seats(round_)
        pairs = sorted([*begun, *matched(free, self.worth(round_))])
        return (
            game for one, other in pairs for game in meeting(self.plan.game, round_, one, other)
        )

    @abstractmethod
    def worth(self, round_: int) -> Worth:
        """The worth of the meetings of a round, by the games of the rounds before it."""


def matched(players: Sequence[str], worth: Worth) -> Iterator[Pair]:
    """The meetings of greatest worth altogether, where all players have one but the last of an odd
    number. Lots drawn for the names decide between those of equal worth.
    """
    import rustworkx  # not all formats need it

    names: list[str | None] = [*sorted(players)]
    if len(names) % 2:
        names.append(None)
    graph = rustworkx.PyGraph[str | None, int](multigraph=False)
    graph.add_nodes_from(names)
    for at, one in enumerate(names):
        for place, other in enumerate(names[at + 1 :], at + 1):
            assert one is not None
            lot = blake2b(f"{one}:{other}".encode(), digest_size=_LOT_BYTES).digest()
            value = (worth(one, other) << _MOST_LOTS) + int.from_bytes(lot, "big")
            graph.add_edge(at, place, value)
    for pair in rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int):
        one, other = (names[at] for at in sorted(pair))
        if one is not None and other is not None:
            yield one, other
