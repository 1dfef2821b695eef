"""Everyone meets everyone, round after round.

Two seats: in each round, each pair of players plays two games with seats swapped, on the opening of
the round (2048 and 2584 with a placing player: on one seed). The label of a pair decides its games:
`p0007`, counted by round and then in Berger's order, has `g0013` and `g0014`, with seeds drawn for
`p0007 game 0` and `p0007 game 1`. Runs of all earlier versions have these ids and seeds.

One seat: each round is one seed, `s0001`, `s0002`, …, played by each player.

Players that join later meet everyone there was before, and each other. Their pairs are counted for
each group that joined together, `p2-0001` with `g2-0001` for the first of them: no game that was
there before changes. A player that is out is skipped, and nothing is counted differently for it.
"""

from collections.abc import Iterator
from itertools import pairwise

from arena.tournament.formats.base import Format, Pairing, Plan
from arena.tournament.formats.meetings import ListedSchedule


class RoundRobinSchedule(ListedSchedule):
    """All pairings of a plan, in their order."""

    def __init__(self, plan: Plan) -> None:
        players = len(plan.players) - len(plan.out)
        number = plan.rounds * (players if plan.game.seats == 1 else players * (players - 1))
        games = _solo(plan) if plan.game.seats == 1 else _pairs(plan)
        left = (game for game in games if plan.out.isdisjoint(game.players))
        super().__init__(left, number, plan.out)


ROUND_ROBIN = Format("round-robin", RoundRobinSchedule)


def _groups(plan: Plan) -> Iterator[tuple[str, int, int]]:
    """Of each group that joined: the prefix of its counts, its first index, the players by then."""
    for number, (first, end) in enumerate(pairwise((0, *plan.later, len(plan.players))), 1):
        yield "" if number == 1 else f"{number}-", first, end


def _solo(plan: Plan) -> Iterator[Pairing]:
    for round_ in range(1, plan.rounds + 1):
        for group, first, end in _groups(plan):
            before = (round_ - 1) * (end - first) + 1
            for number, player in enumerate(plan.players[first:end], before):
                game, label = f"g{group}{number:04d}", f"s{round_:04d}"
                yield Pairing(game, round_, label, (player,), f"seed {round_}")


def _pairs(plan: Plan) -> Iterator[Pairing]:
    orders = {
        group: [pair for day in berger(end) for pair in day if max(pair) >= first]
        for group, first, end in _groups(plan)
    }
    for round_ in range(1, plan.rounds + 1):
        for group, order in orders.items():
            for number, (one, other) in enumerate(order, (round_ - 1) * len(order) + 1):
                label, players = f"p{group}{number:04d}", (plan.players[one], plan.players[other])
                for turn, seats in enumerate((players, players[::-1])):
                    lot = label if plan.game.decided_by_seed else f"{label} game {turn}"
                    game = f"g{group}{2 * number - 1 + turn:04d}"
                    yield Pairing(game, round_, label, seats, lot)


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
