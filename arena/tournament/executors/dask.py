"""Games on the machines of a Dask cluster, each whole on one machine.

The head places games itself, as it alone knows which belong together: both games of a pair go to
the same machine, each machine gets no more than it has cores for, and a little more waits at the
head, so that neither the scheduler nor this process ever has the whole schedule. Dask finds the
machines, carries tasks and results, and tells who is gone.
"""

import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from secrets import token_hex
from statistics import median
from typing import Any

from distributed import Client, Future

from arena.bots import parcel
from arena.errors import ExecutorError
from arena.model.contender import Home, Package
from arena.model.record import GameRecord
from arena.tournament.config import TournamentConfig
from arena.tournament.executors import machine
from arena.tournament.executors.base import Lost, Moved, Played, Report, Task

_LOOK_S = 1.0
"""How often the head looks which machines there are."""
_SILENT_S = 15.0
"""A machine that has said nothing for that long is taken for lost, until it speaks again."""
_ADMISSION_S = 600.0
"""The first machine may compile kernels and build bots for that long."""
_AHEAD = 1
"""Games that wait at the head for each that is played: a pair stays together."""
_SLOW = 3.0
"""A game that takes that many times the median, while cores idle, is also begun elsewhere."""
_IDLE_S = 1.0
_MOST_TOLD = 64
"""With more games at a time their moves are not told: watchers see results."""


@dataclass(eq=False)
class _Place:
    """A Dask worker that was found."""

    address: str
    threads: int
    host: str = ""
    speed: float = 0.0
    games: int = 0
    """How many it plays at a time; 0 until it is admitted."""
    free: int = 0
    """How many more it can begin now."""
    gone: bool = False
    """Whether it is silent, or gets no game."""


@dataclass(eq=False)
class _Game:
    """A game between `submit` and its report."""

    task: Task
    runs: list["_Run"] = field(default_factory=list)
    began: float = 0.0


@dataclass(eq=False)
class _Run:
    """A game on a machine. What Dask runs cannot be stopped: its end is waited for, even where the
    game has ended elsewhere.
    """

    future: Future
    game: _Game
    place: _Place


class DaskExecutor:
    """Plays games of a tournament wherever the cluster has cores."""

    def __init__(
        self,
        client: Client,
        config: TournamentConfig,
        masked: tuple[str, ...] = (),
        *,
        runs: Any = machine,
    ) -> None:
        """`runs` has the functions that machines run. Raises ExecutorError."""
        self._client, self._config, self._runs = client, config, runs
        self._label = f"{config.name}-{token_hex(4)}"
        self._travelling = _without_homes(config).model_dump_json()
        self._places: dict[str, _Place] = {}
        self._done: SimpleQueue[Future] = SimpleQueue()
        self._moved: SimpleQueue[dict[str, Any]] = SimpleQueue()
        self._waiting: deque[_Game] = deque()
        self._playing: dict[str, _Game] = {}
        self._runs_by_key: dict[str, _Run] = {}
        self._asked: dict[str, _Place] = {}
        self._homes: dict[str, str] = {}
        """The machine of each pair, by its address."""
        self._lengths: deque[float] = deque(maxlen=100)
        self._looked = self._idle_since = 0.0
        self.refused: dict[str, str] = {}
        """Machines that get no game, and why."""
        client.subscribe_topic(self._label, lambda event: self._moved.put(event[1]))
        self._wait_for_first()

    @property
    def capacity(self) -> int:
        """Games it takes at once: those that are played, and some to wait at the head."""
        return max(1, (1 + _AHEAD) * self._cores)

    @property
    def _cores(self) -> int:
        """Games that can be played at the same time."""
        return sum(place.games for place in self._admitted())

    def _admitted(self) -> Iterator[_Place]:
        return (place for place in self._places.values() if place.games and not place.gone)

    def warning(self) -> str | None:
        """The machines that get no game, and those of another speed."""
        said = [f"{name} gets no game: {why}" for name, why in sorted(self.refused.items())]
        speeds = {place.host: place.speed for place in self._admitted()}
        if speeds and max(speeds.values()) > 1.1 * min(speeds.values()):
            told = ", ".join(f"{name} {speed:,.0f}" for name, speed in sorted(speeds.items()))
            said.append(f"The machines differ in speed by more than 10 % (plies/s: {told}).")
        return " ".join(said) or None

    def submit(self, task: Task) -> None:
        """Begin a game, or let it wait for a machine."""
        self._waiting.append(_Game(task))
        self._place_games()

    def wait(self, timeout_s: float) -> Sequence[Report]:
        """What has happened. Raises ExecutorError when the scheduler is gone."""
        self._look()
        self._place_games()
        reports: list[Report] = []
        try:
            reports += self._take(self._done.get(timeout=timeout_s))
            while True:
                reports += self._take(self._done.get_nowait())
        except Empty:
            pass
        self._place_games()
        while not self._moved.empty():
            event = self._moved.get()
            if (game := self._playing.get(event["game"])) is not None:
                reports.append(Moved(game.task, event["ply"], tuple(event["moves"])))
        return reports

    def close(self, *, now: bool) -> None:
        """Let go of the cluster, which stays as it is."""
        self._client.unsubscribe_topic(self._label)
        self._client.cancel([run.future for run in self._runs_by_key.values()])
        addresses = [place.address for place in self._admitted()]
        if addresses and self._client.status == "running":
            leaving = [
                self._client.submit(
                    self._runs.leave, self._label, workers=[address], pure=False, priority=10
                )
                for address in addresses
            ]
            self._client.gather(leaving, errors="skip")

    # Machines

    def _wait_for_first(self) -> None:
        deadline = time.monotonic() + _ADMISSION_S
        while not any(self._admitted()):
            self._look()
            if self._places and not self._asked:
                whys = "; ".join(f"{name}: {why}" for name, why in self.refused.items())
                raise ExecutorError(f"no machine of the cluster can play: {whys}")
            if time.monotonic() > deadline:
                raise ExecutorError("no machine of the cluster was ready in time")
            try:
                self._take(self._done.get(timeout=0.2))
            except Empty:
                pass

    def _look(self) -> None:
        """Find machines that have come, and take back the games of those that are lost."""
        if self._client.status in ("closed", "closing"):
            raise ExecutorError(
                "the scheduler of the cluster is gone; no game that ended is lost, and the same "
                "command goes on once it is there again"
            )
        now = time.monotonic()
        if now - self._looked < _LOOK_S:
            return
        self._looked = now
        found = self._client.scheduler_info(n_workers=-1)["workers"]
        for address, about in found.items():
            silent = time.time() - about["last_seen"] > _SILENT_S
            place = self._places.get(address)
            if place is None and not silent:
                self._places[address] = place = _Place(address, about["nthreads"])
                self._admit(place)
            elif place is not None and silent != place.gone:
                place.gone = silent
                if silent:
                    self._take_back(place)
        for address in self._places.keys() - found.keys():
            self._take_back(self._places.pop(address))

    def _admit(self, place: _Place) -> None:
        self._ask(place, self._runs.admit, self._travelling, self._label, place.threads)

    def _ask(self, place: _Place, function: Callable[..., Any], *arguments: object) -> None:
        future = self._client.submit(
            function, *arguments, workers=[place.address], pure=False, priority=10
        )
        self._asked[future.key] = place
        future.add_done_callback(self._done.put)

    def _answered(self, place: _Place, future: Future) -> None:
        """What a machine says to an admission, or to a package that it was sent."""
        if self._places.get(place.address) is not place:
            return
        if future.status != "finished":
            self.refused[place.address] = f"its admission failed: {future.exception()}"
            return
        answer = future.result()
        if answer is None:
            self._admit(place)  # the package is there now
            return
        try:
            said = machine.Admission.model_validate_json(answer)
        except ValueError:
            self.refused[place.address] = answer
            return
        if said.lacking:
            self._send(place, said.lacking)
        elif said.refused is not None:
            self.refused[f"{said.host} ({place.address})"] = said.refused
        else:
            place.host, place.speed = said.host, said.speed
            place.games = place.free = said.games

    def _send(self, place: _Place, digests: Sequence[str]) -> None:
        """The first package that it lacks; it asks again for the others."""
        player = next(
            each
            for each in self._config.players
            if isinstance(each.contender.program, Package)
            and each.contender.program.digest == digests[0]
        )
        packed = parcel.pack(player.contender, player.home)
        self._ask(place, self._runs.keep, digests[0], packed)

    def _take_back(self, place: _Place) -> None:
        """Let the games of a lost machine wait again. Should it speak again, the first counts."""
        for game in self._playing.values():
            lost = [run for run in game.runs if run.place is place]
            if lost and len(lost) == len(game.runs) and game not in self._waiting:
                self._waiting.appendleft(game)

    # Games

    def _place_games(self) -> None:
        """Give waiting games to free cores, those of a pair to the machine that has the other."""
        free = {place.address: place for place in self._admitted() if place.free > 0}
        busy: list[_Game] = []
        while self._waiting and free:
            game = self._waiting.popleft()
            place = self._best(game, free)
            if place is None:
                busy.append(game)
                continue
            self._begin(game, place)
            if place.free == 0:
                del free[place.address]
        self._waiting.extendleft(reversed(busy))
        self._begin_twice(list(free.values()))

    def _best(self, game: _Game, free: dict[str, _Place]) -> _Place | None:
        """Where to play it; None where its pair's machine is there but busy."""
        pair = game.task.spec.pair
        home = self._homes.get(pair)
        if home in free:
            return free[home]
        if home is not None and home in self._places and not self._places[home].gone:
            return None
        best = max(free.values(), key=lambda place: place.free)
        if pair:
            self._homes[pair] = best.address
        return best

    def _begin(self, game: _Game, place: _Place) -> None:
        topic = None if self._cores > _MOST_TOLD else self._label
        future = self._client.submit(
            self._runs.play, game.task.model_dump_json(), self._label, topic,
            workers=[place.address], pure=False,
        )  # fmt: skip
        place.free -= 1
        run = _Run(future, game, place)
        game.runs.append(run)
        game.began = time.monotonic()
        self._playing[game.task.spec.game] = game
        self._runs_by_key[future.key] = run
        future.add_done_callback(self._done.put)

    def _begin_twice(self, free: Sequence[_Place]) -> None:
        """While cores idle, begin a game that takes long elsewhere too: the first result counts."""
        now = time.monotonic()
        if self._waiting or not free or not self._lengths:
            self._idle_since = now
        if now - self._idle_since < _IDLE_S:
            return
        long = _SLOW * median(self._lengths)
        for game in self._playing.values():
            at = [run.place for run in game.runs]
            elsewhere = [place for place in free if place not in at]
            if now - game.began > long and len(at) == 1 and elsewhere:
                self._begin(game, elsewhere[0])
                return

    def _take(self, future: Future) -> list[Report]:
        """The report of a game that ended somewhere, unless it had ended elsewhere before."""
        if (asked := self._asked.pop(future.key, None)) is not None:
            self._answered(asked, future)
            return []
        run = self._runs_by_key.pop(future.key)
        run.place.free += 1
        game = run.game
        game.runs.remove(run)
        if self._playing.get(game.task.spec.game) is not game:
            return []
        if future.status != "finished":  # the machine was lost with it
            if not game.runs and game not in self._waiting:
                self._waiting.appendleft(game)
            return []
        return [self._ended(game, *future.result())]

    def _ended(self, game: _Game, record: str | None, why: str) -> Report:
        del self._playing[game.task.spec.game]
        if game in self._waiting:
            self._waiting.remove(game)
        self._lengths.append(time.monotonic() - game.began)
        if record is None:
            return Lost(game.task, why)
        return Played(game.task, GameRecord.model_validate_json(record), record)


def _without_homes(config: TournamentConfig) -> TournamentConfig:
    """The tournament as it travels: nothing in it is a place of this machine."""
    players = tuple(each.model_copy(update={"home": Home()}) for each in config.players)
    return config.model_copy(update={"players": players})
