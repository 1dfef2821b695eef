"""Which games are played, in which order: a function of the configuration alone.

Nothing here depends on the machine or the Python version: randomness is drawn by `random.Random`
from texts and by SHA-256. More rounds leave the games of the earlier ones as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import cycle
from typing import NamedTuple

from arena.model.contender import Contender
from arena.model.game_spec import GameSpec, derive
from arena.tournament.config import TournamentConfig
from arena.tournament.openings import Line, random_openings


class Meeting(NamedTuple):
    """A game of the schedule, but for its opening, which may take long to draw."""

    game: str
    """Its id: `g0001`, `g0002`, …"""
    round: int
    pair: str
    """Shared by the games that belong together."""
    players: tuple[Contender, ...]
    """By seat."""
    lot: str
    """What its seed is drawn for."""


def schedule(config: TournamentConfig) -> tuple[GameSpec, ...]:
    """All games."""
    return tuple(games(config, meetings(config)))


def meetings(config: TournamentConfig) -> Iterator[Meeting]:
    """Who meets whom, in order.

    Two seats: every round, each pairing plays two games with seats swapped, one after the other,
    on the opening of the round (2048 and 2584 with a placing player: on one seed); the two share
    the label `pair`. One seat: every round is one seed, played by each player; the games of a seed
    share the label.
    """
    seats = config.terms.game.seats
    together = _solo(config) if seats == 1 else _pairs(config)
    for number, (round_, label, players, lot) in enumerate(together, 1):
        yield Meeting(f"g{number:04d}", round_, label, players, lot)


def games(
    config: TournamentConfig, wanted: Iterable[Meeting], drawn: Sequence[Line] = ()
) -> Iterator[GameSpec]:
    """The games of these meetings, which are in the order of the schedule.

    Openings are drawn as they come up. `drawn` are those of the first rounds, where they are known
    from games played: they are not drawn again.
    """
    round_, openings = 0, _openings(config, drawn)
    for meeting in wanted:
        while round_ < meeting.round:
            round_, opening = round_ + 1, next(openings)
        yield GameSpec(
            game=meeting.game,
            round=meeting.round,
            pair=meeting.pair,
            terms=config.terms,
            players=meeting.players,
            opening=opening,
            seed=derive(config.seed, meeting.lot),
        )


def game_count(config: TournamentConfig) -> int:
    """How many games `schedule` has, without drawing their openings."""
    players = len(config.players)
    seats = config.terms.game.seats
    return config.rounds * (players if seats == 1 else players * (players - 1))


_Together = tuple[int, str, tuple[Contender, ...], str]
"""Round, label, players by seat, lot."""


def _solo(config: TournamentConfig) -> Iterator[_Together]:
    for round_ in range(1, config.rounds + 1):
        for player in config.players:
            yield round_, f"s{round_:04d}", (player.contender,), f"seed {round_}"


def _pairs(config: TournamentConfig) -> Iterator[_Together]:
    order = [pairing for day in berger(len(config.players)) for pairing in day]
    same_seed = config.terms.game.decided_by_seed
    number = 0
    for round_ in range(1, config.rounds + 1):
        for one, other in order:
            number += 1
            label = f"p{number:04d}"
            for turn, (first, second) in enumerate(((one, other), (other, one))):
                seats = (config.players[first].contender, config.players[second].contender)
                yield round_, label, seats, label if same_seed else f"{label} game {turn}"


def _openings(config: TournamentConfig, drawn: Sequence[Line]) -> Iterator[Line]:
    """One for each round, without end."""
    if config.openings.lines:
        return cycle(config.openings.lines)
    game = config.terms.game
    return random_openings(game, config.openings.plies, config.seed, drawn)


def berger(players: int) -> tuple[tuple[tuple[int, int], ...], ...]:
    """The days of a round-robin in Berger's order: everyone meets everyone once, nobody twice a
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
