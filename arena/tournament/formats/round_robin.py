"""Everyone meets everyone, round after round.

Two seats: in each round, each pair of players plays two games with seats swapped, on the opening of
the round (2048 and 2584 with a placing player: on one seed). Both have the label of their pair,
`p0001`, `p0002`, … by round and then in Berger's order. One seat: each round is one seed, `s0001`,
`s0002`, …, played by each player.

The label of a pair decides its games: `p0007` has the games `g0013` and `g0014`, with seeds drawn
for `p0007 game 0` and `p0007 game 1`. Runs of all earlier versions have these ids and seeds, and go
on. More rounds leave the games of the earlier ones as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from arena.model.protocol import Termination
from arena.ratings.model import Ranking, Verdict
from arena.ratings.results import GameDigest
from arena.tournament.formats.base import NoKeys, Pairing, Plan


class RoundRobin:
    """The format."""

    name = "round-robin"
    keys = NoKeys
    rounds = 1

    def problems(
        self, keys: Mapping[str, Any], players: Sequence[str]
    ) -> Iterable[tuple[str, str]]:
        """Nothing can be wrong."""
        return ()

    def open(self, plan: Plan) -> RoundRobinSchedule:
        """The schedule before the first game."""
        return RoundRobinSchedule(plan)


class RoundRobinSchedule:
    """All pairings of a plan, in their order."""

    def __init__(self, plan: Plan) -> None:
        players = len(plan.players)
        self.total = plan.rounds * (players if plan.game.seats == 1 else players * (players - 1))
        self._left = _solo(plan) if plan.game.seats == 1 else _pairs(plan)
        self._finished: set[str] = set()

    @property
    def over(self) -> bool:
        """Whether every game has a result."""
        return len(self._finished) >= self.total

    def next(self) -> Pairing | None:
        """The next game without a result."""
        return next((game for game in self._left if game.game not in self._finished), None)

    def add(self, game: GameDigest) -> None:
        """Take note of a result."""
        if game.termination is not Termination.VOID:
            self._finished.add(game.game)

    def ranking(self) -> Ranking | None:
        """Players are ranked by Elo."""
        return None

    @property
    def verdict(self) -> Verdict | None:
        """There is no sequential test."""
        return None


def _solo(plan: Plan) -> Iterator[Pairing]:
    number = 0
    for round_ in range(1, plan.rounds + 1):
        for player in plan.players:
            number += 1
            yield Pairing(f"g{number:04d}", round_, f"s{round_:04d}", (player,), f"seed {round_}")


def _pairs(plan: Plan) -> Iterator[Pairing]:
    order = [pair for day in berger(len(plan.players)) for pair in day]
    number = 0
    for round_ in range(1, plan.rounds + 1):
        for one, other in order:
            number += 1
            players = plan.players[one], plan.players[other]
            yield from swapped_pair(plan, round_, f"p{number:04d}", 2 * number - 1, players)


def swapped_pair(
    plan: Plan, round_: int, label: str, number: int, players: tuple[str, str]
) -> Iterator[Pairing]:
    """Two games of two players with seats swapped; the first has the id of `number`."""
    for turn, seats in enumerate((players, players[::-1])):
        lot = label if plan.same_seed else f"{label} game {turn}"
        yield Pairing(f"g{number + turn:04d}", round_, label, seats, lot)


def berger(players: int) -> tuple[tuple[tuple[int, int], ...], ...]:
    """The days of a round-robin in Berger's order: everyone meets everyone once, no player twice a
    day, and first moves are spread evenly. With an odd number one rests each day.

    The last player stays, the others move round a circle; the circle turns by half its length.
    """
    even = players + players % 2
    circle = even - 1
    days: list[tuple[tuple[int, int], ...]] = []
    for day in range(circle):
        turn = day * (even // 2) % circle
        fixed = (turn, even - 1) if day % 2 == 0 else (even - 1, turn)
        others = [((turn + k) % circle, (turn - k) % circle) for k in range(1, even // 2)]
        days.append(tuple(pair for pair in (fixed, *others) if max(pair) < players))
    return tuple(days)
