"""A run as it stands: its standings, its sequential test, one of its games."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from arena.errors import UserError
from arena.model.record import GameRecord
from arena.ratings.model import Standings, Verdict
from arena.ratings.results import GameDigest, digest
from arena.ratings.standings import standings
from arena.tournament.config import TournamentConfig
from arena.tournament.formats.round_robin import game_count, meetings
from arena.tournament.store import Store


def standings_of(store: Store) -> Standings:
    """The standings of a run as it is now."""
    config = store.config
    games = [digest(record) for record in store.records(void=True)]
    return standings(
        games,
        players=[player.name for player in config.players],
        name=config.name,
        anchor=config.rating.anchor,
        anchor_elo=config.rating.anchor_elo,
        planned=game_count(config),
        sprt=verdict_of(config, games),
    )


def verdict_of(config: TournamentConfig, games: Iterable[GameDigest]) -> Verdict | None:
    """The tournament's sequential test after these games; None without one."""
    trial = config.trial()
    if trial is None:
        return None
    for game in games:
        trial.add(game)
    return trial.verdict


def recorded_game(path: Path, game: str) -> tuple[TournamentConfig, GameRecord]:
    """A game of a run, and the tournament it belongs to. Raises UserError and StoreError."""
    with Store.open(path) as store:
        config, record = store.config, store.record(game)
    if record is not None:
        return config, record
    known = [meeting.game for meeting in meetings(config)]
    if game in known:
        raise UserError(f"{path}: game {game} has not been played yet.")
    raise UserError(f'{path}: there is no game "{game}"; they are {known[0]} to {known[-1]}.')
