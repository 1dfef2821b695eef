"""Playing a tournament: what the schedule has and the store has not, until nothing is left."""

from __future__ import annotations

import signal
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

from arena.protocol import Termination
from arena.referee.record import GameRecord
from arena.referee.sandbox.overload import scheduling_delay
from arena.referee.spec import GameSpec
from arena.tournament.estimate import Estimate, estimate
from arena.tournament.executor import (
    Executor,
    ExecutorError,
    Lost,
    Played,
    Progress,
    Report,
    Task,
)
from arena.tournament.local import LocalExecutor
from arena.tournament.machine import DELAY_S, delay_warning, usable_cores
from arena.tournament.schedule import schedule
from arena.tournament.settings import TournamentConfig
from arena.tournament.store import Store
from arena.tournament.void import void_record

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


@dataclass(frozen=True)
class GameVoid:
    """An attempt was void; the store keeps it."""

    record: GameRecord
    replayed: bool
    """Whether the game is tried again now."""


@dataclass(frozen=True)
class RunFinished:
    """Nothing is left to play."""

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

    @property
    def exit_code(self) -> int:
        """0 done, 1 games void, 130 interrupted."""
        return 130 if self.interrupted else 1 if self.void else 0


def run(
    config: TournamentConfig,
    store: Store,
    *,
    on_event: Callable[[Event], None],
    executor: Executor | None = None,
) -> Outcome:
    """Play what is left of the tournament, `config.concurrency` games at a time.

    A game is in the store before it is told of, so a kill at any moment loses only games in play.
    SIGINT, SIGTERM and SIGHUP end the run within about 2 s (when called in the main thread, which
    alone may handle signals). Raises ExecutorError when no game can be played, StoreError when one
    cannot be kept.
    """
    games = schedule(config)
    finished = store.finished()
    left = tuple(_masking(spec, store.files) for spec in games if spec.game not in finished)
    progress = _Progress(store, on_event, len(games), len(games) - len(left))
    delay = _delay(config) if left and executor is None else None
    on_event(RunStarted(config, len(games), progress.done, estimate(config, left), delay))
    if left:
        with _stop_signals() as stop:
            _play(left, progress, executor or _local(config), stop)
            interrupted = stop.is_set() and progress.done + len(progress.void) < len(games)
    else:
        interrupted = False
    outcome = Outcome(len(games), progress.done, tuple(progress.void.values()), interrupted)
    on_event(RunInterrupted(outcome) if interrupted else RunFinished(outcome))
    return outcome


def _masking(spec: GameSpec, files: tuple[str, ...]) -> GameSpec:
    """The game with these files kept from its players, who may lie in the same folder."""
    players = []
    for player in spec.players:
        policy = player.sandbox.model_copy(update={"masked": files})
        players.append(player.model_copy(update={"sandbox": policy}))
    return spec.model_copy(update={"players": tuple(players)})


def _delay(config: TournamentConfig) -> str | None:
    """What the cores of the run lose to others before it begins, where that is too much."""
    cores = usable_cores()[: config.concurrency * config.threads]
    try:
        return delay_warning(scheduling_delay(cores, DELAY_S))
    except OSError as error:
        raise ExecutorError(f"no process can be started: {error.strerror}") from None


def _local(config: TournamentConfig) -> LocalExecutor:
    """Raises ValueError for players that were to be contained and are not: see `ready`."""
    for player in config.players:
        if player.sandbox != "none" and player.spec.sandbox.mode == "none":
            raise ValueError(f"{player.name} is to be contained ({player.sandbox}) and is not")
    return LocalExecutor(config.concurrency, config.threads, usable_cores(), config.keep_alive)


def _play(
    left: tuple[GameSpec, ...], progress: _Progress, executor: Executor, stop: threading.Event
) -> None:
    queue, playing = deque(left), 0
    complete = False
    try:
        while (queue or playing) and not stop.is_set():
            while queue and playing < executor.capacity:
                executor.submit(progress.begin(queue.popleft()))
                playing += 1
            for report in executor.wait(_POLL_S):
                replay = progress.take(report)
                playing -= not isinstance(report, Progress)
                if replay is not None:
                    queue.append(replay)  # last: what overloads the host may have passed then
        complete = not (queue or playing)
    finally:
        executor.close(now=not complete)


class _Progress:
    """Brings reports into the store and tells of them."""

    def __init__(
        self, store: Store, on_event: Callable[[Event], None], total: int, done: int
    ) -> None:
        self.total = total
        self.done = done
        self.void: dict[str, GameRecord] = {}
        self._store = store
        self._on_event = on_event
        self._attempts = Counter(store.attempts())
        self._tries: Counter[str] = Counter()

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
        if record.termination is not Termination.VOID:
            self.done += 1
            self._on_event(GameFinished(record, self.done, self.total))
            return None
        replayed = self._tries[spec.game] < MAX_ATTEMPTS
        self._on_event(GameVoid(record, replayed))
        if replayed:
            return spec
        self.void[spec.game] = record
        return None


@contextmanager
def _stop_signals() -> Iterator[threading.Event]:
    """An event that SIGINT, SIGTERM and SIGHUP set, in place of what they do otherwise."""
    stop = threading.Event()

    def on_signal(number: int, frame: FrameType | None) -> None:
        stop.set()

    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, on_signal) for number in numbers}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
