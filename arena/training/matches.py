"""The games of a tuning between player processes, through the referee and its local workers."""

import hashlib
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import starmap
from pathlib import Path
from tempfile import TemporaryDirectory

import rules
from arena.errors import ExecutorError, UserError
from arena.model.contender import Contender
from arena.model.game_spec import GameSpec, derive
from arena.model.protocol import Termination
from arena.model.record import GameRecord
from arena.ratings.results import digest, slid
from arena.sandbox import leftovers
from arena.tournament.config import TournamentConfig
from arena.tournament.config_file import Unusable, read_config
from arena.tournament.executors import base as executing
from arena.tournament.openings import Line, OpeningError, random_opening
from arena.tournament.ready import ready
from arena.tournament.run import MAX_ATTEMPTS
from arena.tournament.site import HERE, Site
from arena.training.verify import resources_for
from arena.training.verify_config import AMPLE_MS
from players.catalogue import BUILTINS
from players.learning.tuning.config import TuneConfig
from players.learning.tuning.matches import Aborted, Contestant, MatchTask, PlayedGame
from players.learning.tuning.result import player_options
from players.learning.tuning.space import Space, Vector
from rules.position import PASS

_COMPILING_MS = 900_000
"""The first players compile their kernels."""


class RefereeMatchRunner:
    """A match runner whose players are processes: contained, asked through pipes, judged by the
    referee.

    A game that was void is played again; a move too late loses, as in a tournament. Any other
    forfeit is a mistake in the settings, and ends the tuning with the referee's sentence.
    """

    def __init__(
        self, config: TuneConfig, space: Space, site: Site = HERE, files: tuple[str, ...] = ()
    ) -> None:
        """`files` of the tuning tell machines of a cluster apart tunings of one name. Raises
        UserError and ConfigError where the players cannot be started.
        """
        self._space, self._site, self._files = space, site, files
        self._rules = rules.load(config.rules, **config.variant)
        self._parts = 2 if self._rules.decided_by_seed else 1
        with ExitStack() as held:
            self._folder = Path(held.enter_context(TemporaryDirectory(prefix=leftovers.prefix())))
            self._folder.chmod(0o755)  # for players that run as another user
            base = self._tournament(config, space)
            self._held = held.pop_all()
        games = min(config.threads, base.concurrency) if site.here else base.concurrency
        self._base = base.model_copy(update={"concurrency": games})
        self._thread = ThreadPoolExecutor(1)  # workers end with the thread that started them
        self._stop = threading.Event()
        self._executor: executing.Executor | None = None
        self._contenders: dict[Vector, Contender] = {}

    def _tournament(self, config: TuneConfig, space: Space) -> TournamentConfig:
        """The configuration of a tournament of the start against itself."""
        options = player_options(space, space.start, self._folder / "start.json", {})
        player = {"bot": config.bot, "options": options, "resources": resources_for(options)}
        tables = {
            "tournament": {"keep_alive": True},
            "game": {"rules": config.rules, **config.variant},
            "clock": {"move_ms": AMPLE_MS, "startup_ms": _COMPILING_MS},
            "openings": {"plies": config.plies},
            "player": [player | {"name": "one"}, player | {"name": "other"}],
        }
        try:
            match = read_config(tables, BUILTINS, Path.cwd(), name=config.name, fit=self._site.fit)
        except Unusable as error:
            raise UserError("\n".join(each.message for each in error.findings)) from None
        return ready(match, Path("referee = true")) if self._site.here else match

    def load(self, plies: int) -> None:
        """Raises ValueError when no opening has `plies` moves; players load their own kernels."""
        try:
            random_opening(self._rules, plies, seed="")
        except OpeningError as error:
            raise ValueError(f"openings.plies: {error}") from None

    def play(self, tasks: Sequence[MatchTask]) -> list[PlayedGame]:
        """As every match runner; also raises UserError, where a game cannot be played."""
        return self._thread.submit(self._play, tasks).result()

    def _play(self, tasks: Sequence[MatchTask]) -> list[PlayedGame]:
        self._contenders.clear()
        if self._executor is None:
            try:
                self._executor = self._site.open_executor(self._base, self._files)
            except ExecutorError:
                if self._stop.is_set():
                    raise Aborted from None
                raise
        left = deque(self._games_of(tasks))
        total, played = len(left), dict[str, GameRecord]()

        def take(report: executing.Report) -> None:
            match report:
                case executing.Played(task, record) if record.termination is not Termination.VOID:
                    how = record.termination
                    if how.is_forfeit and how is not Termination.TIMEOUT:
                        raise UserError(f"A player forfeited a game ({how}): {record.detail}")
                    played[task.spec.game] = record
                case executing.Played(task, GameRecord(detail=why)) | executing.Lost(task, why):
                    if task.attempt == MAX_ATTEMPTS:
                        times = f"{MAX_ATTEMPTS} times, the last time for: {why}"
                        raise UserError(f"A game was void {times}")
                    left.append(task.model_copy(update={"attempt": task.attempt + 1}))

        executing.play_through(
            self._executor, lambda: left.popleft() if left else None, take, self._stop.is_set
        )
        if len(played) < total:
            raise Aborted
        records = [played[_name(number)] for number in range(total)]
        if self._parts == 1:
            return list(map(_result, records))
        return list(starmap(_compared, zip(records[::2], records[1::2], strict=True)))

    def _games_of(self, tasks: Sequence[MatchTask]) -> Iterator[executing.Task]:
        """The games as the referee takes them; those of a pair have their opening drawn once. In
        2048 and 2584 each of both slides once.
        """
        openings = dict[str, Line]()
        parts = ((task, part) for task in tasks for part in range(self._parts))
        for number, (task, part) in enumerate(parts):
            if task.opening not in openings:
                line = random_opening(self._rules, task.plies, seed=task.opening, spare="")
                openings[task.opening] = line
            players = tuple(map(self._player, task.contestants[:: -1 if part else 1]))
            spec = GameSpec(
                game=_name(number),
                pair=task.opening,
                terms=self._base.terms,
                players=players[: self._rules.seats],
                opening=openings[task.opening],
                seed=derive(0, task.seed),
            )
            yield executing.Task(spec=spec)

    def _player(self, contestant: Contestant) -> Contender:
        vector = contestant.vector
        if vector not in self._contenders:
            name = hashlib.sha256(repr(vector).encode()).hexdigest()[:12]
            options = player_options(self._space, vector, self._folder / f"{name}.json", {})
            contender = self._base.players[0].contender
            self._contenders[vector] = contender.model_copy(update={"options": options})
        return self._contenders[vector]

    def abort(self) -> None:
        self._stop.set()
        self._site.give_up()

    def close(self) -> None:
        """Let go of the processes; games under way are cut off."""
        if self._executor is not None:
            self._thread.submit(self._executor.close, now=True).result()
            self._executor = None
        self._thread.shutdown()
        self._held.close()


def _name(number: int) -> str:
    return f"t{number:04d}"


def _compared(one: GameRecord, other: GameRecord) -> PlayedGame:
    """The result of two games of 2048 or 2584 on one seed, in which the sliders changed."""
    first, second = slid(digest(one)), slid(digest(other))
    return PlayedGame((), (first > second) - (first < second), (one.scores[0], other.scores[0]))


def _result(record: GameRecord) -> PlayedGame:
    first, second = record.points
    net = first - second if record.offender is not None else record.scores[0] - record.scores[1]
    moves = record.moves[len(record.opening) :]
    chosen = tuple((each.seat, each.move) for each in moves if each.move != PASS)
    return PlayedGame(chosen, int(net))
