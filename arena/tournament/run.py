"""Playing a tournament: the games its schedule asks for and the store lacks, until none is left."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import cycle

from arena.files.stop_signals import Stop, stop_signals
from arena.model.game_spec import GameSpec, derive
from arena.model.protocol import Termination
from arena.model.record import GameRecord
from arena.ratings.results import GameDigest, digest
from arena.referee.outcome import void_record
from arena.tournament.config import TournamentConfig
from arena.tournament.estimate import estimate
from arena.tournament.events import (
    GameFinished,
    GameStarted,
    GameVoid,
    MovesPlayed,
    Outcome,
    RunFinished,
    RunStarted,
)
from arena.tournament.executors.base import (
    Executor,
    Lost,
    Moved,
    OpenExecutor,
    Played,
    Report,
    Task,
    play_through,
)
from arena.tournament.executors.local import LocalExecutor
from arena.tournament.formats.base import Pairing, Schedule
from arena.tournament.openings import Line, random_openings
from arena.tournament.store import Store

MAX_ATTEMPTS = 3
"""A void game is replayed twice at most; running the tournament again gives it as many more."""


def run(
    config: TournamentConfig, store: Store, *, open_executor: OpenExecutor = LocalExecutor.open
) -> Outcome:
    """Play what is left of the tournament, `config.concurrency` games at a time, until its schedule
    is over. Games in play are cut off then.

    A game is in the store before its event is appended, so a kill at any moment loses only games in
    play. SIGINT, SIGTERM and SIGHUP end the run within about 2 s (when called in the main thread,
    which alone may handle signals). Raises ExecutorError when no game can be played, StoreError
    when one cannot be kept.
    """
    games = [game for _, game in store.digests()]
    state = _Run(config, store, resumed(config, games))
    executor = None if state.schedule.over else open_executor(config, store.files)
    store.append(
        RunStarted(
            total=state.schedule.total,
            done=state.done,
            estimate=estimate(config, iter(resumed(config, games).next, None)),
            delay=executor.warning() if executor else None,
            verdict=state.schedule.verdict,
        )
    )
    interrupted = False
    if executor is not None:
        with stop_signals() as stop:
            _play(state, executor, stop)
            interrupted = stop.asked and not state.over
    outcome = state.outcome(interrupted)
    store.append(RunFinished(outcome=outcome))
    return outcome


def resumed(config: TournamentConfig, games: Iterable[GameDigest]) -> Schedule:
    """The schedule after these games."""
    schedule = config.schedule()
    for game in games:
        schedule.add(game)
    return schedule


class GameSpecs:
    """Makes the games of pairings, each on the opening of its round."""

    def __init__(self, config: TournamentConfig, *, drawn: Sequence[Line] = ()) -> None:
        """`drawn` are openings of the first rounds, where they are known from games played: they
        are not drawn again.
        """
        self._config = config
        self._players = {player.name: player.contender for player in config.players}
        self._openings = _openings(config, drawn)
        self._drawn: list[Line] = []

    def of(self, pairing: Pairing) -> GameSpec:
        """The game of a pairing."""
        return GameSpec(
            game=pairing.game,
            round=pairing.round,
            pair=pairing.pair,
            terms=self._config.terms,
            players=tuple(self._players[name] for name in pairing.players),
            opening=self._opening(pairing.round),
            seed=derive(self._config.seed, pairing.lot),
        )

    def _opening(self, round_: int) -> Line:
        """Openings are drawn in the order of the rounds, in whatever order they are asked for."""
        while len(self._drawn) < round_:
            self._drawn.append(next(self._openings))
        return self._drawn[round_ - 1]


def _openings(config: TournamentConfig, drawn: Sequence[Line]) -> Iterator[Line]:
    """One for each round, without end."""
    if config.openings.lines:
        return cycle(config.openings.lines)
    return random_openings(config.terms.game, config.openings.plies, config.seed, drawn)


def _play(state: _Run, executor: Executor, stop: Stop) -> None:
    playing = 1
    try:
        playing = play_through(
            executor, state.next, state.take, lambda: state.schedule.over or stop.asked
        )
    finally:
        executor.close(now=playing > 0)


class _Run:
    """A run while it is played: hands out its games, and keeps what is reported of them."""

    def __init__(self, config: TournamentConfig, store: Store, schedule: Schedule) -> None:
        self.schedule = schedule
        self.done = len(store.finished())
        self._store = store
        self._specs = GameSpecs(config, drawn=store.openings())
        self._replays: deque[GameSpec] = deque()
        self._void: dict[str, GameVoid] = {}
        self._attempts = Counter(store.attempts())
        self._tries: Counter[str] = Counter()

    @property
    def over(self) -> bool:
        """Whether there is nothing left to play in this run."""
        if self.schedule.over:
            return True
        return self.schedule.total is not None and (
            self.done + len(self._void) >= self.schedule.total
        )

    def outcome(self, interrupted: bool) -> Outcome:
        """How the run ended."""
        return Outcome(
            total=self.schedule.total,
            done=self.done,
            void=tuple(self._void.values()),
            interrupted=interrupted,
            verdict=self.schedule.verdict,
        )

    def next(self) -> Task | None:
        """The next attempt of a game; replays last, as what overloads the host may have passed
        then. None when there is none now.
        """
        pairing = self.schedule.next()
        if pairing is not None:
            spec = self._specs.of(pairing)
        elif self._replays:
            spec = self._replays.popleft()
        else:
            return None
        self._attempts[spec.game] += 1
        self._tries[spec.game] += 1
        task = Task(spec=spec, attempt=self._attempts[spec.game])
        self._store.append(
            GameStarted(
                game=spec.game,
                attempt=task.attempt,
                round=spec.round,
                pair=spec.pair,
                players=tuple(player.name for player in spec.players),
                opening=spec.opening,
                seed=spec.seed,
            )
        )
        return task

    def take(self, report: Report) -> None:
        """Keep what is reported of a game."""
        match report:
            case Moved(task, ply, moves):
                self._store.append(MovesPlayed(game=task.spec.game, ply=ply, moves=moves))
            case Played(task, record, text):
                self._keep(task.spec, record, text)
            case Lost(task, reason):
                self._keep(task.spec, void_record(task.spec, task.attempt, reason))

    def _keep(self, spec: GameSpec, record: GameRecord, text: str | None = None) -> None:
        self._store.add(record, text)
        self.schedule.add(digest(record))
        if record.termination is Termination.VOID:
            self._replay(spec, record)
            return
        self.done += 1
        self._store.append(
            GameFinished(
                game=record.game,
                attempt=record.attempt,
                done=self.done,
                total=self.schedule.total,
                verdict=self.schedule.verdict,
            )
        )

    def _replay(self, spec: GameSpec, record: GameRecord) -> None:
        """Have a void game played again, but not for ever."""
        replayed = self._tries[spec.game] < MAX_ATTEMPTS
        void = GameVoid(
            game=spec.game, attempt=record.attempt, detail=record.detail, replayed=replayed
        )
        self._store.append(void)
        if replayed:
            self._replays.append(spec)
        else:
            self._void[spec.game] = void
