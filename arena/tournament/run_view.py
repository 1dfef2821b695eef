"""A run as it stands: the only source of every report, live or final, in any process.

A view reads its store and the events next to it, each time only what came since it looked last, so
looking often costs little while thousands of games are played.
"""

import re
import time
from collections import deque
from collections.abc import Collection, Iterable, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from arena.errors import StoreError, UserError
from arena.model.protocol import Termination
from arena.model.record import GameRecord
from arena.ratings.model import Standings
from arena.ratings.results import GameDigest
from arena.ratings.standings import standings
from arena.tournament import events
from arena.tournament.config import TournamentConfig
from arena.tournament.formats import FORMATS
from arena.tournament.machines import PlayedAt
from arena.tournament.store import Store
from arena.tournament.store_faults import DamagedGame, readable, without_result

_RATE_GAMES = 50
"""The speed is that of the last games, this many."""
_QUICK_S = 0.5
"""Standings made in less time are never late."""


@dataclass
class GameInPlay:
    started: events.GameStarted
    moves: list[str] = field(default_factory=list)
    """Those known so far, the opening's included."""

    @property
    def has_begun(self) -> bool:
        """Whether a player has moved."""
        return len(self.moves) > len(self.started.opening)


class RunView(AbstractContextManager["RunView"]):
    """All facts of a run. Close it, or use it in a `with` statement."""

    def __init__(self, path: Path, without: Collection[str] = (), *, patience: float = 0.0) -> None:
        """`without` leaves players out, and their games: of a bot all its versions. While a run is
        played, standings of a large field are made again after `patience` times as long as it took.
        Raises StoreError and UserError.
        """
        self._store = Store.open(path)
        self._patience = patience
        try:
            self.without = self._store.config.called(without)
            """The names of the players that are left out."""
        except UserError:
            self._store.close()
            raise
        self._events = events.EventReader(events.events_file(path))
        self.is_played = False
        """Whether a process played the run at the last look."""
        self.news: list[events.Event] = []
        """The events since the look before."""
        self._begin()
        self.refresh()

    def _begin(self) -> None:
        """Start from the configuration, which a new run may have changed."""
        whole = self._store.config
        self.config: TournamentConfig = whole.without(self.without)
        self.label = self._store.label
        """The run's identity: no other run's games have it."""
        self.games: list[GameDigest] = []
        """Those with a result, in the order they ended."""
        self.void: list[GameDigest] = []
        """Attempts that were void, in the order they ended."""
        self._damaged: list[DamagedGame] = []
        self.playing: dict[str, GameInPlay] = {}
        """Games in play, by their ids."""
        self.started: events.RunStarted | None = None
        """The run that was played when this view looked first, or since."""
        self.schedule = whole.schedule()
        """The games left to play, and the state of a sequential test."""
        self._seen = 0
        self._standings: Standings | None = None
        self._lacks_games, self._late_until = False, 0.0
        self._ends: deque[float] = deque(maxlen=_RATE_GAMES + 1)

    def refresh(self) -> None:
        played, in_play = self._store.is_played, bool(self.playing)
        self.news = self._events.read() if played or self.is_played else []
        self.is_played = played
        for event in self.news:
            self._take(event)
        for seen, found in self._store.digests(after=self._seen):
            self._seen, self._lacks_games = seen, True
            game = readable(found)
            if game is None:
                self._damaged.append(DamagedGame(found.game, None))
                continue
            self.schedule.add(game)
            is_void = game.termination is Termination.VOID
            if self.without.isdisjoint(game.players):
                (self.void if is_void else self.games).append(game)
            if not is_void:
                self.playing.pop(game.game, None)  # its event comes a moment later
        if not played:
            self.playing.clear()
        if in_play and not self.playing:
            self._standings = None  # the run may be over now

    def _take(self, event: events.Event) -> None:
        match event:
            case events.RunStarted():
                self._begin()
                self.started = event
                self._ends.append(event.clock)
            case events.GameStarted() if self.without.isdisjoint(event.players):
                self.playing[event.game] = GameInPlay(event)
            case events.MovesPlayed() if event.game in self.playing:
                self.playing[event.game].moves[event.ply :] = event.moves
            case events.GameFinished():
                self.playing.pop(event.game, None)
                self._ends.append(event.clock)
            case events.GameVoid():
                self.playing.pop(event.game, None)
            case events.RunFinished():
                self.playing.clear()
                self._standings = None

    @property
    def openings(self) -> tuple[tuple[str, ...], ...]:
        """The openings of the first rounds, up to the first of which no game was played."""
        return self._store.openings()

    @property
    def played_at(self) -> list[PlayedAt]:
        """Games by machine and player, of those that a cluster played."""
        played = self._store.played_at()
        return [each for each in played if each.player not in self.without]

    @property
    def rated(self) -> list[GameDigest]:
        """The games that count: those of players that are out stay in the record alone."""
        unrated = self.config.unrated
        return [game for game in self.games if unrated.isdisjoint(game.players)]

    @property
    def damaged(self) -> Sequence[str]:
        """The ids of games without a result that can be read: they are not counted."""
        return without_result([*self.games, *self._damaged]) if self._damaged else ()

    @property
    def is_late(self) -> bool:
        """Whether the standings lack games, and are not made again yet."""
        waits = self.is_played and time.monotonic() < self._late_until
        return self._lacks_games and self._standings is not None and waits

    @property
    def standings(self) -> Standings:
        if self._standings is None or (self._lacks_games and not self.is_late):
            began = time.monotonic()
            self._standings = self._standings_now()
            self._lacks_games, now = False, time.monotonic()
            took = now - began
            self._late_until = now + self._patience * took if took > _QUICK_S else 0.0
        return self._standings

    def _standings_now(self) -> Standings:
        unrated, rated = self.config.unrated, self.rated
        verdict = self.schedule.verdict
        if verdict and self.without & {verdict.player, verdict.opponent}:
            verdict = None
        ranking = self.schedule.ranking()
        over = self.schedule.over and not self.playing
        planned = len(self.games) if over else self.schedule.total
        fewer = len(self.games) - len(rated)
        clocks = {player.name: player.contender.clock for player in self.config.players}
        found = standings(
            as_planned(rated) + [game for game in self.void if unrated.isdisjoint(game.players)],
            players=[name for name in clocks if name not in unrated],
            name=self.config.name,
            anchor=self.config.rating.anchor,
            anchor_elo=self.config.rating.anchor_elo,
            planned=None if self.without else planned - fewer,
            matched=FORMATS[self.config.format].matched,
        )
        rows = (row.model_copy(update={"clock": clocks.get(row.name)}) for row in found.players)
        return found.model_copy(
            update={
                "players": tuple(rows),
                "neighbours": () if verdict else found.neighbours,
                "sprt": verdict,
                "ranking": ranking and ranking.without(self.without),
                "ending": self.schedule.ending(over=over),
                "damaged": tuple(self.damaged),
                "left_out": tuple(sorted(unrated)),
                "replaced": self.config.replaced,
                **self._store.span(),
            }
        )

    @property
    def games_per_s(self) -> float | None:
        """Speed of the last games of this run; None before the first."""
        if len(self._ends) < 2 or self._ends[-1] <= self._ends[0]:
            return None
        return (len(self._ends) - 1) / (self._ends[-1] - self._ends[0])

    @property
    def left_s(self) -> float | None:
        """Time left at that speed; None before the first game, and where results decide."""
        speed, total = self.games_per_s, self.schedule.total
        if speed is None or not self.config.is_fixed:
            return None
        return (total - len(self.games)) / speed

    def record(self, game: str) -> GameRecord | None:
        """The latest attempt of a game; None when it was not played. Raises StoreError."""
        attempts = chain[GameDigest | DamagedGame](self.games, self.void, self._damaged)
        if all(each.game != game for each in attempts):  # the store would read the whole run
            return None
        return self._store.record(game)

    def intact_record(self, game: str) -> GameRecord | None:
        """The same of a game that was played, without a look for it; None where it is damaged."""
        with suppress(StoreError):
            return self._store.record(game)
        return None

    @property
    def lost_records(self) -> list[str]:
        """The ids of games that count, and whose records are damaged. Reads all records."""
        counted = {game.game for game in self.games}
        return [game for game in self._store.unreadable().values() if game in counted]

    def close(self) -> None:
        self._store.close()

    def __exit__(self, *_: object) -> None:
        self.close()


def as_planned(games: Iterable[GameDigest]) -> list[GameDigest]:
    """Games by round and name, as `Store.records` has them, whenever they ended."""
    return sorted(games, key=lambda game: (game.round, len(game.game), game.game))


def recorded_game(path: Path, typed: str) -> tuple[TournamentConfig, GameRecord]:
    """A run's configuration and a game, by its id or number. Raises UserError, StoreError."""
    with Store.open(path) as store:
        config, played = store.config, list(store.attempts())
        game = _full_id(path, typed, played)
        if (record := store.record(game)) is not None:
            return config, record
        schedule = store.schedule()
    planned = [pairing.game for pairing in iter(schedule.next, None)]
    if game in planned:
        raise UserError(f"{path}: game {game} has not been played yet.")
    known = sorted({*planned, *played}, key=lambda each: (len(each), each))
    there = f"they are {known[0]} to {known[-1]}" if known else "none has been played"
    raise UserError(f'{path}: there is no game "{typed}"; {there}.')


def _full_id(path: Path, typed: str, played: Iterable[str]) -> str:
    """The id of the game that was typed: a number alone is that of the one game that has it."""
    if not typed.isdecimal() or typed in played:
        return typed
    fitting = [game for game in played if re.fullmatch(rf"\D*0*{int(typed)}", game)]
    if len(fitting) > 1:
        raise UserError(f"{path}: game {typed} may be {', '.join(fitting)}; give one of them")
    return fitting[0] if fitting else f"g{typed:0>4}"
