"""Schedules and events of runs, for the tests of this room."""

from pathlib import Path

from arena.model.game_spec import GameSpec
from arena.tournament.config import TournamentConfig
from arena.tournament.events import EVENT, Event, events_file
from arena.tournament.formats.base import Pairing
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
