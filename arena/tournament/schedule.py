"""Which games are played, in which order: a function of the configuration alone.

Nothing here depends on the machine or the Python version: randomness is drawn by `random.Random`
from texts and by SHA-256. More rounds leave the games of the earlier ones as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle

import rules
from arena.referee.seeds import derive
from arena.referee.spec import GameSpec, PlayerSpec
from arena.tournament.openings import Line, random_openings
from arena.tournament.settings import TournamentConfig


def schedule(config: TournamentConfig) -> tuple[GameSpec, ...]:
    """All games, as `g0001`, `g0002`, …

    Two seats: every round, each pairing plays two games with seats swapped, one after the other,
    on the opening of the round (2048 and 2584 with a placing player: on one seed); the two share
    the label `pair`. One seat: every round is one seed, played by each player; the games of a seed
    share the label.
    """
    game = rules.load(config.rules, **config.variant)
    meetings = _solo(config) if game.seats == 1 else _pairs(config)
    return tuple(
        GameSpec(
            game=f"g{number:04d}",
            round=round_,
            pair=label,
            rules=config.rules,
            variant=config.variant,
            players=seats,
            opening=opening,
            seed=seed,
            clock=config.clock,
            startup_ms=config.startup_ms,
            grace_ms=config.grace_ms,
            on_fault=config.on_fault,
            ponder=config.ponder,
            max_plies=config.max_plies,
        )
        for number, (round_, label, seats, opening, seed) in enumerate(meetings, 1)
    )


def game_count(config: TournamentConfig) -> int:
    """How many games `schedule` has, without drawing their openings."""
    players = len(config.players)
    seats = rules.load(config.rules, **config.variant).seats
    return config.rounds * (players if seats == 1 else players * (players - 1))


_Meeting = tuple[int, str, tuple[PlayerSpec, ...], Line, int]
"""Round, label, players by seat, opening, seed."""


def _solo(config: TournamentConfig) -> Iterator[_Meeting]:
    for round_ in range(1, config.rounds + 1):
        seed = derive(config.seed, f"seed {round_}")
        for player in config.players:
            yield round_, f"s{round_:04d}", (player.spec,), (), seed


def _pairs(config: TournamentConfig) -> Iterator[_Meeting]:
    order = [pairing for day in berger(len(config.players)) for pairing in day]
    same_seed = config.rules in rules.TILE_GAMES
    number = 0
    for round_, opening in zip(range(1, config.rounds + 1), _openings(config), strict=False):
        for one, other in order:
            number += 1
            label = f"p{number:04d}"
            for turn, (first, second) in enumerate(((one, other), (other, one))):
                seats = (config.players[first].spec, config.players[second].spec)
                seed = derive(config.seed, f"{label}" if same_seed else f"{label} game {turn}")
                yield round_, label, seats, opening, seed


def _openings(config: TournamentConfig) -> Iterator[Line]:
    """One for each round, without end."""
    if config.openings.lines:
        return cycle(config.openings.lines)
    game = rules.load(config.rules, **config.variant)
    return random_openings(game, config.openings.plies, config.seed)


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
