"""Playing a tournament: what the schedule has and the store has not, until nothing is left."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from arena.files.stop_signals import Stop, stop_signals
from arena.model.game_spec import GameSpec
from arena.model.protocol import Termination
from arena.model.record import GameRecord
from arena.ratings.model import Verdict
from arena.ratings.results import digest
from arena.ratings.trial import Trial
from arena.referee.outcome import void_record
from arena.tournament.config import TournamentConfig
from arena.tournament.estimate import Estimate, estimate
from arena.tournament.executors.base import (
    Executor,
    Lost,
    OpenExecutor,
    Played,
    Progress,
    Report,
    Task,
)
from arena.tournament.executors.local import LocalExecutor
from arena.tournament.formats.round_robin import game_count, games, meetings
from arena.tournament.store import Store

MAX_ATTEMPTS = 3
"""A void game is replayed twice at most; running the tournament again gives it as many more."""

_POLL_S = 0.2


@dataclass(frozen=True)
class RunStarted:
    """Before the first game."""

    config: TournamentConfig
    total: int
    """Games of the tournament."""
    done: int
    """Games that earlier runs have finished."""
    estimate: Estimate
    """For the games that are left."""
    delay: str | None = None
    """A sentence where this machine is too busy for fair clocks; None where it is not."""
    verdict: Verdict | None = None
    """Where the tournament's sequential test stands; None without one."""


@dataclass(frozen=True)
class GameStarted:
    """A game was given to a worker."""

    spec: GameSpec
    attempt: int


@dataclass(frozen=True)
class GameProgress:
    """A game goes on; a few times a second at most."""

    game: str
    plies: int


@dataclass(frozen=True)
class GameFinished:
    """A game has its result, and the store has it for good."""

    record: GameRecord
    done: int
    total: int
    verdict: Verdict | None = None
    """Where the sequential test stands now; None without one."""


@dataclass(frozen=True)
class GameVoid:
    """An attempt was void; the store keeps it."""

    record: GameRecord
    replayed: bool
    """Whether the game is tried again now."""


@dataclass(frozen=True)
class RunFinished:
    """Nothing is left to play, or the sequential test is decided."""

    outcome: Outcome


@dataclass(frozen=True)
class RunInterrupted:
    """Stopped by a signal; the same command goes on."""

    outcome: Outcome


Event = (
    RunStarted | GameStarted | GameProgress | GameFinished | GameVoid | RunFinished | RunInterrupted
)


@dataclass(frozen=True)
class Outcome:
    """How a run ended."""

    total: int
    done: int
    void: tuple[GameRecord, ...] = ()
    """The last attempt of each game that stayed void in this run."""
    interrupted: bool = False
    verdict: Verdict | None = None
    """Of the sequential test; None without one."""

    @property
    def exit_code(self) -> int:
        """0 done, 130 interrupted; 1 games void, or of a sequential test: not decided."""
        if self.interrupted:
            return 130
        if self.verdict is not None:
            return 0 if self.verdict.decision else 1
        return 1 if self.void else 0


def run(
    config: TournamentConfig,
    store: Store,
    *,
    on_event: Callable[[Event], None],
    open_executor: OpenExecutor = LocalExecutor.open,
) -> Outcome:
    """Play what is left of the tournament, `config.concurrency` games at a time; with a sequential
    test, until it is decided. Games in play are cut off then.

    A game is in the store before it is told of, so a kill at any moment loses only games in play.
    SIGINT, SIGTERM and SIGHUP end the run within about 2 s (when called in the main thread, which
    alone may handle signals). Raises ExecutorError when no game can be played, StoreError when one
    cannot be kept.
    """
    total, finished = game_count(config), store.finished()
    left = [meeting for meeting in meetings(config) if meeting.game not in finished]
    progress = _Progress(store, on_event, total, total - len(left), _so_far(config, store))
    to_play = bool(left) and not progress.decided
    executor = open_executor(config, store.files) if to_play else None
    delay = executor.warning() if executor else None
    ahead = estimate(config, left)
    on_event(RunStarted(config, total, progress.done, ahead, delay, progress.verdict))
    interrupted = False
    if executor is not None:
        specs = games(config, left, store.openings())
        with stop_signals() as stop:
            _play(_Queue(specs), progress, executor, stop)
            over = progress.decided or progress.done + len(progress.void) >= total
            interrupted = stop.asked and not over
    void = tuple(progress.void.values())
    outcome = Outcome(total, progress.done, void, interrupted, progress.verdict)
    on_event(RunInterrupted(outcome) if interrupted else RunFinished(outcome))
    return outcome


def _so_far(config: TournamentConfig, store: Store) -> Trial | None:
    """The sequential test after the games that the store has."""
    trial = config.trial()
    if trial is not None:
        for record in store.records(void=True):
            trial.add(digest(record))
    return trial


class _Queue:
    """The games that are left, made as they come up; replays last: what overloads the host may
    have passed then.
    """

    def __init__(self, games: Iterable[GameSpec]) -> None:
        self._games = iter(games)
        self._replays: deque[GameSpec] = deque()

    def replay(self, spec: GameSpec) -> None:
        self._replays.append(spec)

    def next(self) -> GameSpec | None:
        """None when there is none now."""
        spec = next(self._games, None)
        return self._replays.popleft() if spec is None and self._replays else spec


def _play(queue: _Queue, progress: _Progress, executor: Executor, stop: Stop) -> None:
    playing, complete = 0, False
    try:
        while not (progress.decided or stop.asked):
            while playing < executor.capacity and (spec := queue.next()) is not None:
                executor.submit(progress.begin(spec))
                playing += 1
            if not playing:
                complete = True
                break
            for report in executor.wait(_POLL_S):
                replay = progress.take(report)
                playing -= not isinstance(report, Progress)
                if replay is not None:
                    queue.replay(replay)
    finally:
        executor.close(now=not complete)


class _Progress:
    """Brings reports into the store and tells of them."""

    def __init__(
        self,
        store: Store,
        on_event: Callable[[Event], None],
        total: int,
        done: int,
        trial: Trial | None,
    ) -> None:
        self.total = total
        self.done = done
        self.void: dict[str, GameRecord] = {}
        self.verdict = None if trial is None else trial.verdict
        self._trial = trial
        self._store = store
        self._on_event = on_event
        self._attempts = Counter(store.attempts())
        self._tries: Counter[str] = Counter()

    @property
    def decided(self) -> bool:
        """Whether the sequential test is."""
        return self.verdict is not None and self.verdict.decision is not None

    def begin(self, spec: GameSpec) -> Task:
        """The next attempt of a game."""
        self._attempts[spec.game] += 1
        self._tries[spec.game] += 1
        task = Task(spec=spec, attempt=self._attempts[spec.game])
        self._on_event(GameStarted(spec, task.attempt))
        return task

    def take(self, report: Report) -> GameSpec | None:
        """Keep what is told; the game to be replayed, if one is."""
        match report:
            case Progress(task, plies):
                self._on_event(GameProgress(task.spec.game, plies))
                return None
            case Played(task, record):
                return self._keep(task.spec, record)
            case Lost(task, reason):
                return self._keep(task.spec, void_record(task.spec, task.attempt, reason))

    def _keep(self, spec: GameSpec, record: GameRecord) -> GameSpec | None:
        self._store.add(record)
        if self._trial is not None:
            self._trial.add(digest(record))
            self.verdict = self._trial.verdict
        if record.termination is not Termination.VOID:
            self.done += 1
            self._on_event(GameFinished(record, self.done, self.total, self.verdict))
            return None
        replayed = self._tries[spec.game] < MAX_ATTEMPTS
        self._on_event(GameVoid(record, replayed))
        if replayed:
            return spec
        self.void[spec.game] = record
        return None
