"""Schedules and events of runs, for the tests of this room."""

from pathlib import Path
from typing import Any

import rules
from arena.model.game_spec import GameSpec
from arena.tournament.config import TournamentConfig
from arena.tournament.events import EVENT, Event, events_file
from arena.tournament.formats.base import Format, Pairing, Plan
from arena.tournament.run import GameSpecs


def pairings(config: TournamentConfig) -> list[Pairing]:
    """All pairings of a schedule that can be foreseen."""
    return list(iter(config.schedule().next, None))


def schedule(config: TournamentConfig) -> tuple[GameSpec, ...]:
    """Their games."""
    specs = GameSpecs(config)
    return tuple(specs.of(pairing) for pairing in pairings(config))


def events_of(store: Path) -> list[Event]:
    """All events of the last run."""
    return [EVENT.validate_json(line) for line in events_file(store).read_bytes().splitlines()]


def opened(
    format_: Format, players: int, rounds: int = 1, rules_: str = "dots", **keys: Any
) -> Any:
    """The schedule of a format for players `m0`, `m1`, …"""
    names = tuple(f"m{number}" for number in range(players))
    all_keys = format_.keys(**keys).model_dump()
    return format_.open(Plan(names, rounds, rules.default(rules_), all_keys))


def stronger_first(game: Pairing) -> float:
    """The player of the lower number wins; where one plays alone, it has the higher score."""
    own, *other = (int(name[1:]) for name in game.players)
    return float(own < other[0]) if other else 1 - own / 100
