"""Stores of records that were made up, with the events of a run that might have played them."""

from pathlib import Path
from typing import Any

from arena.model.containment import Held
from arena.model.contender import CommandLine, Contender, Home
from arena.model.protocol import Clock, Termination
from arena.model.record import GameRecord
from arena.ratings.matches import Verdict
from arena.tournament.config import Player, TournamentConfig
from arena.tournament.estimate import Estimate
from arena.tournament.events import GameFinished, GameStarted
from arena.tournament.played_store import PlayedStore


def begun(path: Path, records: list[GameRecord], **settings: Any) -> PlayedStore:
    """The store of a tournament of the players of these records, before their first game."""
    clocks = {seat.player: seat.clock for record in records for seat in record.seats}
    config = TournamentConfig(
        **{
            "name": "cup",
            "concurrency": 1,
            "terms": records[0].terms,
            "players": tuple(
                Player(
                    bot=name, builtin=None, uses_clock=None,
                    contender=Contender(
                        name=name, program=CommandLine(words=("x",)), clock=clock
                    ),
                    home=Home(held=Held()),
                )
                for name, clock in clocks.items()
            ),
            **settings,
        }
    )  # fmt: skip
    return PlayedStore.open_run(path, config)


def keep_games(path: Path, records: list[GameRecord]) -> None:
    """Make a run of these games."""
    with begun(path, records) as store:
        for record in records:
            store.add(record)


def estimate() -> Estimate:
    return Estimate(expected_s=60.0, worst_s=120.0)


def game_started(record: GameRecord) -> GameStarted:
    return GameStarted(
        game=record.game,
        attempt=record.attempt,
        round=record.round,
        pair=record.pair,
        players=tuple(seat.player for seat in record.seats),
        opening=record.opening,
        seed=record.seed,
    )


def ended(
    store: PlayedStore,
    record: GameRecord,
    done: int,
    total: int,
    verdict: Verdict | None = None,
    **clock: float,
) -> None:
    """Keep a game, and let watchers know."""
    store.add(record)
    event = GameFinished(
        game=record.game, attempt=record.attempt, done=done, total=total, verdict=verdict, **clock
    )
    store.append(event)


def with_clock(record: GameRecord, clock: Clock) -> GameRecord:
    """The game as if its first player had this clock of its own."""
    first, *others = record.seats
    return record.model_copy(update={"seats": (first.model_copy(update={"clock": clock}), *others)})


def void(record: GameRecord, detail: str) -> GameRecord:
    """An attempt at the game that was void."""
    return record.model_copy(update={"termination": Termination.VOID, "detail": detail})
