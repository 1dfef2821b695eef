"""Everyone meets everyone, round after round.

Two seats: in each round, each pair of players plays two games with seats swapped, on the opening of
the round (2048 and 2584 with a placing player: on one seed). The label of a pair decides its games:
`p0007`, counted by round and then in Berger's order, has `g0013` and `g0014`, with seeds drawn for
`p0007 game 0` and `p0007 game 1`. Runs of all earlier versions have these ids and seeds.

One seat: each round is one seed, `s0001`, `s0002`, …, played by each player.
"""

from collections.abc import Iterator

from arena.model.protocol import Termination
from arena.ratings.results import GameDigest
from arena.tournament.formats.base import Format, Pairing, Plan, Schedule


class RoundRobinSchedule(Schedule):
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


ROUND_ROBIN = Format("round-robin", RoundRobinSchedule)


def _solo(plan: Plan) -> Iterator[Pairing]:
    games = ((round_, each) for round_ in range(1, plan.rounds + 1) for each in plan.players)
    for number, (round_, player) in enumerate(games, 1):
        yield Pairing(f"g{number:04d}", round_, f"s{round_:04d}", (player,), f"seed {round_}")


def _pairs(plan: Plan) -> Iterator[Pairing]:
    order = [pair for day in berger(len(plan.players)) for pair in day]
    pairs = ((round_, pair) for round_ in range(1, plan.rounds + 1) for pair in order)
    for number, (round_, (one, other)) in enumerate(pairs, 1):
        label, players = f"p{number:04d}", (plan.players[one], plan.players[other])
        for turn, seats in enumerate((players, players[::-1])):
            lot = label if plan.game.decided_by_seed else f"{label} game {turn}"
            yield Pairing(f"g{2 * number - 1 + turn:04d}", round_, label, seats, lot)


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
