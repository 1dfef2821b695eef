"""Games on the machines of a Dask cluster, each whole on one machine.

The head places games itself, as it alone knows which belong together: both games of a pair go to
the same machine, and each machine gets what it has cores for. A few more wait at the head, so that
neither the scheduler nor this process ever has the whole schedule. Dask finds the machines, carries
tasks and results, and reports lost machines.
"""

import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from secrets import token_hex
from statistics import median
from typing import Any

from distributed import Client, Future

from arena.bots.prepare import named_files
from arena.errors import ExecutorError
from arena.files.console import PlainConsole
from arena.files.whole_file import contents_digest
from arena.model.contender import Home
from arena.model.record import GameRecord
from arena.sandbox.features import this_host
from arena.tournament.config import TournamentConfig
from arena.tournament.executors import machine
from arena.tournament.executors.base import Lost, Moved, Played, Remark, Report, Task
from arena.tournament.executors.machine import TAKEN, AdmissionRequest
from arena.tournament.executors.places import MachinePlace, Machines

_ADMISSION_S = 900.0
"""The first machine may compile kernels and build bots for that long."""
_OTHERS_S = 5.0
"""How long the others are waited for, before the first game begins."""
_QUIET_S = 10.0
_PREPARING = "No machine is ready yet: they are sent bots, build them and compile kernels"
_SLOW = 3.0
"""A game that takes that many times the median, while cores idle, is also begun elsewhere."""
_IDLE_S = 1.0
_SHORT_S = 5.0
"""Of games that take less, as many as are played wait at their machine, to save the way there."""
_MOST_WITH_MOVES = 64
"""With more games at a time machines send no moves: watchers see results."""
_MOST_HOMES = 10_000


@dataclass(eq=False)
class _SubmittedGame:
    """A game between `submit` and its report."""

    task: Task
    number: int
    since: float
    """When it was submitted, and then when it began."""
    runs: list["_GameRun"] = field(default_factory=list)


@dataclass(eq=False)
class _GameRun:
    """A game on a machine. Dask cannot stop it, so its end is waited for in any case."""

    future: Future
    game: _SubmittedGame
    place: MachinePlace


class DaskExecutor:
    """Plays games of a tournament wherever the cluster has cores."""

    def __init__(
        self,
        client: Client,
        config: TournamentConfig,
        masked: tuple[str, ...] = (),
        *,
        same_kind: bool = False,
        here: bool = False,
        given_up: Callable[[], bool] = lambda: False,
        runs: Any = machine,
    ) -> None:
        """The files in `masked` are those of the run, and kept from players where the machines are
        all `here`: they know the places of this one, or not. `given_up` says whether machines are
        to be waited for no longer. `runs` has the functions that machines run. Raises
        ExecutorError.
        """
        self._client, self._given_up, self._runs = client, given_up, runs
        self._label = f"{config.name}-{token_hex(4)}"
        request = AdmissionRequest(
            config=config if here else _without_homes(config),
            label=self._label,
            kept_in=next(iter(masked), ""),
            host=this_host(config.terms.rules),
            masked=masked if here else (),
            named={} if here else _named(config),
        )
        self._news: SimpleQueue[Future | dict[str, Any]] = SimpleQueue()
        self._machines = Machines(client, request, config, self._news.put, runs)
        self._waiting: deque[_SubmittedGame] = deque()
        self._playing: dict[int, _SubmittedGame] = {}
        """Begun and without a report, by number."""
        self._by_key: dict[str, _GameRun] = {}
        self._homes: dict[str, str] = {}
        """The machine of each pair, by its address."""
        self._lengths: deque[float] = deque(maxlen=100)
        self._typical_s: float | None = None
        """From a game's begin here to its result."""
        self._durations: deque[float] = deque(maxlen=100)
        self._queued = 0
        """How many games wait at a machine for each that it plays."""
        self._numbers = self._at_a_time = 0
        self._idle_since = 0.0
        client.subscribe_topic(self._label, lambda event: self._news.put(event[1]))
        try:
            with self._machines.reached():
                self._wait_for_machines(same_kind)
        except BaseException:  # Ctrl-C too: others wait for the machines it has
            self.close(now=True)
            raise

    @property
    def capacity(self) -> int:
        """Games it takes at once: those at the machines, and one for each core to wait here, as the
        second game of a pair waits for the machine that plays the first.
        """
        return max(1, self._at_a_time * (2 + self._queued))

    def warning(self) -> str | None:
        return " ".join(self._machines.take_notes()) or None

    def submit(self, task: Task) -> None:
        self._numbers += 1
        self._waiting.append(_SubmittedGame(task, self._numbers, time.monotonic()))

    def wait(self, timeout_s: float) -> Sequence[Report]:
        """The reports since the last call. Raises ExecutorError when the scheduler is gone."""
        with self._machines.reached():
            for place in self._machines.look():
                self._take_back(place)
            self._place_games()
            reports = self._take_news(timeout_s)
            self._place_games()
        return [*reports, *map(Remark, self._machines.take_notes())]

    def close(self, *, now: bool) -> None:
        """Let go of the cluster, which stays as it is."""
        if self._client.status == "running":
            self._client.unsubscribe_topic(self._label)
            self._client.cancel([run.future for run in self._by_key.values()])
            self._machines.leave(self._label)

    def _wait_for_machines(self, same_kind: bool) -> None:
        """Raises ExecutorError where none can play."""
        self._wait_for_one()
        until = time.monotonic() + (_ADMISSION_S if same_kind else _OTHERS_S)
        while self._machines.pending and time.monotonic() < until:
            self._look_at_machines()
        if same_kind:
            self._wait_for_one()  # all that could play may have left meanwhile
            self._machines.choose_kind()
        self._place_games()

    def _wait_for_one(self) -> None:
        began, is_noted = time.monotonic(), False
        say = PlainConsole(stderr=True).print
        while True:
            self._look_at_machines()
            waited = time.monotonic() - began
            if not is_noted and waited > _QUIET_S:
                is_noted = True
                say(_PREPARING, soft_wrap=True)
            if any(self._machines):
                return
            if self._machines.busy and not self._machines.pending:
                began = time.monotonic()  # the other tournament may take hours
                for note in self._machines.take_notes():
                    say(note, soft_wrap=True)
            elif not self._machines.pending and self._machines.notes:
                raise ExecutorError(f"no machine can play: {' '.join(self._machines.notes)}")
            if waited > _ADMISSION_S:
                raise ExecutorError(f"no machine was ready within {_ADMISSION_S / 60:.0f} minutes")

    def _look_at_machines(self) -> None:
        if self._given_up():
            raise ExecutorError("stopped before a machine was ready")
        self._machines.look()
        self._take_news(0.2)

    # Events of machines

    def _take_news(self, timeout_s: float) -> list[Report]:
        reports: list[Report] = []
        try:
            reports += self._take(self._news.get(timeout=timeout_s))
            while True:
                reports += self._take(self._news.get_nowait())
        except Empty:
            return reports

    def _take(self, news: Future | dict[str, Any]) -> Sequence[Report]:
        if isinstance(news, dict) and "asked" in news:
            self._machines.hear(news["asked"], news["said"])
            return ()
        if isinstance(news, dict):
            game = self._playing.get(news["number"])
            return () if game is None else self._reports_of(game, news)
        if news.key in self._by_key:
            self._over(self._by_key.pop(news.key))
        else:
            self._machines.take(news)
        return ()

    def _reports_of(self, game: _SubmittedGame, event: dict[str, Any]) -> Sequence[Report]:
        """The reports in an event of a game that has no result yet."""
        if "ply" in event:
            return (Moved(game.task, event["ply"], tuple(event["moves"])),)
        if "left" in event:
            place = self._machines.get(event["worker"])  # the scheduler adds the sender
            if place is not None and event["left"] == TAKEN:
                self._machines.ask_again(place)
            elif place is not None:
                self._machines.drop(place, event["left"].removesuffix("."))
            return ()
        if "lost" in event:
            self._end(game)
            return (Lost(game.task, event["lost"]),)
        self._lengths.append(time.monotonic() - game.since)
        self._typical_s = median(self._lengths)
        self._end(game)
        text = event["record"]
        record = GameRecord.model_validate_json(text)
        self._durations.append(record.duration_ms / 1000)
        self._queued = int(median(self._durations) < _SHORT_S)
        return (Played(game.task, record, text),)

    def _end(self, game: _SubmittedGame) -> None:
        del self._playing[game.number]
        if game in self._waiting:
            self._waiting.remove(game)

    def _over(self, run: _GameRun) -> None:
        """A machine is done with a game. Its events came first: without a result it was lost."""
        run.place.runs -= 1
        run.game.runs.remove(run)
        self._wait_again(run.game)

    def _take_back(self, place: MachinePlace) -> None:
        """Let the games of a lost machine wait again. Should it come back, the first result
        counts.
        """
        if place.left:
            here = [run.future for run in self._by_key.values() if run.place is place]
            self._client.cancel(here)
        for game in list(self._playing.values()):
            self._wait_again(game)

    def _wait_again(self, game: _SubmittedGame) -> None:
        """Let it wait, unless it is over, waits already or is on a machine that is not lost."""
        there = any(not (run.place.gone or run.place.left) for run in game.runs)
        if game.number in self._playing and not there and game not in self._waiting:
            self._waiting.appendleft(game)

    # Where games are played

    def _place_games(self) -> None:
        """Give waiting games to free machines, those of a pair to the one that has the other."""
        self._at_a_time = sum(place.games for place in self._machines)
        rooms = {
            place.address: room
            for place in self._machines
            if (room := place.games * (1 + self._queued) - place.runs) > 0
        }
        bound: list[_SubmittedGame] = []
        while self._waiting and rooms:
            game = self._waiting.popleft()
            address = self._best(game, rooms)
            if address is None:
                bound.append(game)
                continue
            self._begin(game, address)
            rooms[address] -= 1
            if not rooms[address]:
                del rooms[address]
        self._waiting.extendleft(reversed(bound))
        self._help_slow(rooms)

    def _best(self, game: _SubmittedGame, rooms: dict[str, int]) -> str | None:
        """Where to play it; None where the machine of its pair is there but busy, or has it."""
        free = _elsewhere(game, rooms)
        home = self._homes.get(game.task.spec.pair)
        if self._machines.get(home) is not None:
            return home if home in free else None
        return max(free, key=rooms.__getitem__, default=None)

    def _begin(self, game: _SubmittedGame, address: str) -> None:
        place = self._machines.get(address)
        assert place is not None  # it has room
        future = self._client.submit(
            self._runs.play,
            game.task.model_dump_json(),
            self._label,
            game.number,
            moves=self._at_a_time <= _MOST_WITH_MOVES,
            workers=[address],
            key=(self._label, game.number, token_hex(4)),  # one group: the scheduler keeps groups
        )
        if game.task.spec.pair:
            self._homes[game.task.spec.pair] = address
            if len(self._homes) > _MOST_HOMES:
                del self._homes[next(iter(self._homes))]
        run = _GameRun(future, game, place)
        place.runs += 1
        game.runs.append(run)
        game.since = time.monotonic()
        self._playing[game.number] = game
        self._by_key[future.key] = run
        future.add_done_callback(self._news.put)

    def _help_slow(self, rooms: dict[str, int]) -> None:
        """While cores idle, begin games elsewhere too that take or wait long; the first counts."""
        now = time.monotonic()
        if not rooms or self._typical_s is None:
            self._idle_since = now
        if now - self._idle_since < _IDLE_S or self._typical_s is None:
            return
        for game in (*self._playing.values(), *self._waiting):
            elsewhere = _elsewhere(game, rooms)
            if now - game.since > _SLOW * self._typical_s and len(game.runs) < 2 and elsewhere:
                if game in self._waiting:
                    self._waiting.remove(game)
                self._begin(game, max(elsewhere, key=rooms.__getitem__))
                return


def _elsewhere(game: _SubmittedGame, rooms: Iterable[str]) -> list[str]:
    """The machines that do not have the game: one that was silent may still play it."""
    having = {run.place.address for run in game.runs}
    return [address for address in rooms if address not in having]


def _named(config: TournamentConfig) -> dict[str, dict[str, str | None]]:
    """The files that do not travel, by the player that names them, each with its digest where the
    run has one of them: of networks and evaluations.
    """
    named = dict[str, dict[str, str | None]]()
    for each in config.players:
        if each.plays:
            folder, is_known = Path(each.home.folder or "."), each.builtin and each.digest
            named[each.name] = {
                file: contents_digest([folder / file]) if is_known else None
                for file in named_files(each.contender, folder)
            }
    return named


def _without_homes(config: TournamentConfig) -> TournamentConfig:
    """The tournament as it travels: nothing in it is a place of this machine."""
    players = tuple(each.model_copy(update={"home": Home()}) for each in config.players)
    return config.model_copy(update={"players": players})
