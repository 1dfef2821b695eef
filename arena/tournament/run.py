"""Playing a tournament: the games its schedule asks for and the store lacks, until none is left."""

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from itertools import cycle, islice
from typing import Any

from arena.files.stop_signals import stop_signals
from arena.model.game_spec import GameSpec, derive
from arena.model.protocol import INFO_A_RUN, Termination
from arena.model.record import GameRecord
from arena.ratings.results import digest
from arena.referee.outcome import void_record
from arena.tournament import events
from arena.tournament.config import TournamentConfig, continued
from arena.tournament.estimate import estimate_left
from arena.tournament.executors import base as executing
from arena.tournament.executors.local import LocalExecutor
from arena.tournament.formats.base import Pairing, Schedule
from arena.tournament.openings import Line, random_openings
from arena.tournament.played_store import PlayedStore

MAX_ATTEMPTS = 3
"""A void game is replayed twice at most; running the tournament again gives it as many more."""
HOPELESS = 20
"""A run ends where its first attempts, as many as that, are void for one reason: the host fails."""


def run(
    config: TournamentConfig,
    store: PlayedStore,
    *,
    open_executor: executing.OpenExecutor = LocalExecutor,
    replay_damaged: bool = False,
) -> events.RunOutcome:
    """Play what is left of the tournament, `config.concurrency` games at a time, until its schedule
    is over. Games in play are cut off then.

    A game is in the store before its event is appended, so a kill at any moment loses only games in
    play. SIGINT, SIGTERM and SIGHUP end the run within about 2 s (when called in the main thread,
    which alone may handle signals). Raises ExecutorError when no game can be played, StoreError
    when one cannot be kept, or is damaged and not to be played again (`replay_damaged`).
    """
    config = continued(store.config, config)
    schedule, ahead = config.schedule(), config.schedule()
    for game in store.whole(replay=replay_damaged):
        schedule.add(game)
        ahead.add(game)
    state = _Run(config, store, schedule)
    executor = None if schedule.over else open_executor(config, store.files)
    with stop_signals() as stop:
        playing = 1
        try:
            store.append(
                events.RunStarted(
                    total=state.done if schedule.over else schedule.total,
                    done=state.done,
                    estimate=estimate_left(config, ahead, state.done),
                    delay=executor.warning() if executor else None,
                    verdict=schedule.verdict,
                )
            )
            if executor is not None:
                playing = executing.play_through(
                    executor, state.next, state.take, lambda: state.over or stop.requested
                )
        finally:
            if executor is not None:
                executor.close(now=playing > 0)
        interrupted = stop.requested and not state.over
    outcome = events.RunOutcome(
        total=schedule.total,
        done=state.done,
        void=tuple(state.void.values()),
        interrupted=interrupted,
        verdict=schedule.verdict,
    )
    store.append(events.RunFinished(outcome=outcome))
    return outcome


class GameSpecs:
    """Makes the games of pairings, each on the opening of its round."""

    def __init__(self, config: TournamentConfig, *, drawn: Sequence[Line] = ()) -> None:
        """`drawn` are openings of the first rounds, known from games played."""
        self._config = config
        self._players = {player.name: player.contender for player in config.players}
        openings, game = config.openings, config.terms.game
        self._openings: Iterator[Line] = (
            cycle(openings.lines)
            if openings.lines
            else random_openings(game, openings.plies, config.seed, drawn)
        )
        self._drawn: list[Line] = []

    def of(self, pairing: Pairing) -> GameSpec:
        # Openings are drawn in the order of the rounds, in whatever order they are asked for.
        missing = max(0, pairing.round - len(self._drawn))
        self._drawn += islice(self._openings, missing)
        return GameSpec(
            game=pairing.game,
            round=pairing.round,
            pair=pairing.pair,
            terms=self._config.terms,
            players=tuple(self._players[name] for name in pairing.players),
            opening=self._drawn[pairing.round - 1],
            seed=derive(self._config.seed, pairing.lot),
        )


class _Run:
    """A run while it is played: hands out its games, and keeps what is reported of them."""

    def __init__(self, config: TournamentConfig, store: PlayedStore, schedule: Schedule) -> None:
        self.schedule = schedule
        self._store = store
        self._specs = GameSpecs(config, drawn=store.openings())
        self._replays: deque[tuple[GameSpec, events.GameVoid]] = deque()
        self.void: dict[str, events.GameVoid] = {}
        finished = store.finished()
        self.done = len(finished)
        tried = store.attempts().items()
        self._attempts = Counter({game: n for game, n in tried if game not in finished})
        self._tries: Counter[str] = Counter()
        self._info = Counter(store.info_kept())  # characters kept of each player's
        self._reasons: list[str] | None = []  # of void attempts; None once a game was played
        self._hopeless = False

    @property
    def over(self) -> bool:
        all_tried = self.done + len(self.void) >= self.schedule.total
        return self.schedule.over or all_tried or self._hopeless

    def next(self) -> executing.Task | None:
        """The next attempt of a game; replays last, as an overload may have passed by then."""
        if (pairing := self.schedule.next()) is not None:
            spec = self._specs.of(pairing)
        elif self._replays:
            spec, _ = self._replays.popleft()
        else:
            return None
        self._attempts[spec.game] += 1
        self._tries[spec.game] += 1
        task = executing.Task(spec=spec, attempt=self._attempts[spec.game])
        self._store.append(
            events.GameStarted(
                **spec.model_dump(include={"game", "round", "pair", "opening", "seed"}),
                attempt=task.attempt,
                players=tuple(player.name for player in spec.players),
            )
        )
        return task

    def take(self, report: executing.Report) -> None:
        match report:
            case executing.Moved(task, ply, moves):
                self._store.append(events.MovesPlayed(game=task.spec.game, ply=ply, moves=moves))
            case executing.Played(task, record, text):
                self._keep(task.spec, record, text)
            case executing.Remark(text):
                self._store.append(events.Noted(text=text))
            case executing.Lost(task, reason):
                self._keep(task.spec, void_record(task.spec, task.attempt, reason))

    def _keep(self, spec: GameSpec, record: GameRecord, text: str | None = None) -> None:
        """Store a game; a void one is played again, but not for ever."""
        for seat in record.seats:
            self._info[seat.player] += seat.info_kept
        full = [seat.player for seat in record.seats if self._info[seat.player] > INFO_A_RUN]
        if full:
            record, text = record.without_info(full), None
        self._store.add(record, text)
        self.schedule.add(digest(record))
        attempt: dict[str, Any] = {"game": spec.game, "attempt": record.attempt}
        if record.termination is not Termination.VOID:
            self.done += 1
            self._reasons = None
            del self._attempts[spec.game], self._tries[spec.game]  # there may be very many games
            total, verdict = self.schedule.total, self.schedule.verdict
            self._store.append(
                events.GameFinished(**attempt, done=self.done, total=total, verdict=verdict)
            )
            return
        replayed = self._tries[spec.game] < MAX_ATTEMPTS and not self._hopeless
        void = events.GameVoid(**attempt, detail=record.detail, replayed=replayed)
        self._store.append(void)
        if replayed:
            self._replays.append((spec, void))
        else:
            self.void[spec.game] = void
        if self._reasons is not None:
            self._reasons.append(record.detail)
            if len(self._reasons) == HOPELESS and len(set(self._reasons)) == 1:
                self._give_up()

    def _give_up(self) -> None:
        self._hopeless = True
        why = f"The first {HOPELESS} attempts failed for one reason: the run ends here."
        self._store.append(events.Noted(text=why))
        for spec, void in self._replays:
            self.void[spec.game] = void.model_copy(update={"replayed": False})
