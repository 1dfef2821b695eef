"""One machine of a cluster: what a Dask worker runs for the head of a tournament.

A worker has cores of its own, as many as its threads. It keeps one local executor, which plays each
game in a worker process pinned to some of them; Dask only carries games here and records back.
"""

import platform
import socket
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from multiprocessing import Pipe
from pathlib import Path
from queue import SimpleQueue
from random import Random

from arena.bots import parcel
from arena.errors import ArenaError, ExecutorError
from arena.model import Frozen
from arena.model.contender import Package
from arena.sandbox.features import this_host, usable_cores
from arena.tournament.config import TournamentConfig
from arena.tournament.executors.base import Lost, Moved, Played, Report, Task
from arena.tournament.executors.local import LocalExecutor
from arena.tournament.ready import ready
from arena.tournament.warming import warm_kernels
from rules import load

_Asked = tuple[Task, SimpleQueue[Report]]
"""A game, and where its reports go."""
_LOOK_S = 0.5
_SPEED_S = 0.3


class Admission(Frozen):
    """What a machine says before it is given games."""

    host: str
    cpu: str
    games: int = 0
    """How many it plays at a time."""
    speed: float = 0.0
    """Plies of random Othello a second: how its cores compare with others."""
    lacking: tuple[str, ...] = ()
    """Digests of packages that are to be sent."""
    refused: str | None = None
    """Why it gets no game, a sentence."""


class _Machine:
    """Plays games of one tournament. A thread of its own has the worker processes, as they end with
    the thread that started them.
    """

    def __init__(self, config: TournamentConfig, cores: Sequence[int], label: str) -> None:
        self.label = label
        self._asked: SimpleQueue[_Asked | None] = SimpleQueue()
        self._woken, self._wake = Pipe(duplex=False)
        allocations = {"concurrency": max(1, len(cores) // config.threads)}
        self._config = config.model_copy(update=allocations)
        self._cores = tuple(cores)
        self._thread = threading.Thread(target=self._serve, name="games", daemon=True)
        self._thread.start()

    def play(self, task: Task, tell: Callable[[Moved], None]) -> Played | Lost:
        """Play a game; called in any thread."""
        reports: SimpleQueue[Report] = SimpleQueue()
        self._ask((task, reports))
        while isinstance(report := reports.get(), Moved):
            tell(report)
        return report

    def close(self) -> None:
        """Cut off what is played."""
        self._ask(None)
        self._thread.join()

    def _ask(self, asked: _Asked | None) -> None:
        self._asked.put(asked)
        self._wake.send_bytes(b"+")

    def _serve(self) -> None:
        executor = LocalExecutor(self._config, cores=self._cores)
        to: dict[tuple[str, int], _Asked] = {}
        failure = "its machine has left the tournament"
        try:
            while self._take(executor, to):
                for report in executor.wait(_LOOK_S, wake=self._woken):
                    key = _key(report.task)
                    _, reports = to[key] if isinstance(report, Moved) else to.pop(key)
                    reports.put(report)
        except ExecutorError as error:
            failure = str(error)
        executor.close(now=True)
        for task, reports in to.values():
            reports.put(Lost(task, failure))

    def _take(self, executor: LocalExecutor, to: dict[tuple[str, int], _Asked]) -> bool:
        """Begin what was asked for; False once that is the end."""
        while not self._asked.empty():
            asked = self._asked.get()
            if asked is None:
                return False
            to[_key(asked[0])] = asked
            executor.submit(asked[0])
        return True


_lock = threading.Lock()
_machine: _Machine | None = None
_reserved: tuple[tuple[int, ...], ExitStack] | None = None


def admit(config: str, label: str, cores: int) -> str:
    """Get ready for a tournament, an Admission as JSON: find and build its players, try their
    sandboxes, compile kernels, measure the speed. Runs in the worker's process.
    """
    global _machine
    here = this_host()
    said = Admission(host=here.name, cpu=here.cpu)
    read = TournamentConfig.model_validate_json(config)
    packages = (player.contender.program for player in read.players if player.status == "playing")
    lacking = [p.digest for p in packages if isinstance(p, Package) and not parcel.is_here(p)]
    if lacking:
        return said.model_copy(update={"lacking": tuple(lacking)}).model_dump_json()
    try:
        with _lock:
            own = _reserve(cores)
            if read.threads > len(own):
                raise ExecutorError(f"a game needs {read.threads} cores, it has {len(own)}")
            prepared = ready(read, Path(read.name))
            if any(player.builtin for player in read.players):
                warm_kernels([read.terms.rules])
            if _machine is not None:
                _machine.close()
            _machine = _Machine(prepared, own, label)
        games = len(own) // read.threads
        said = said.model_copy(update={"games": games, "speed": _speed()})
    except (ArenaError, OSError) as error:
        said = said.model_copy(update={"refused": str(error)})
    return said.model_dump_json()


def keep(digest: str, packed: bytes) -> str | None:
    """Keep a package that was sent; why it cannot be, a sentence."""
    try:
        parcel.keep(digest, packed)
    except (ArenaError, OSError) as error:
        return str(error)
    return None


def play(task: str, label: str, topic: str | None) -> tuple[str | None, str]:
    """Play a game: the record as JSON and nothing, or None and why there is none. Moves are told
    under the topic.
    """
    machine, read = _machine, Task.model_validate_json(task)
    if machine is None or machine.label != label:
        return None, "its machine was taken by another tournament"
    report = machine.play(read, _teller(topic))
    if isinstance(report, Lost):
        return None, report.reason
    return report.text or report.record.model_dump_json(), ""


def leave(label: str) -> None:
    """End what is played of a tournament that has ended."""
    global _machine
    with _lock:
        if _machine is not None and _machine.label == label:
            _machine.close()
            _machine = None


def _teller(topic: str | None) -> Callable[[Moved], None]:
    if topic is None:
        return lambda moved: None
    from distributed import get_worker

    worker = get_worker()
    return lambda moved: worker.log_event(
        topic, {"game": moved.task.spec.game, "ply": moved.ply, "moves": moved.moves}
    )


def _key(task: Task) -> tuple[str, int]:
    return task.spec.game, task.attempt


def _reserve(cores: int) -> tuple[int, ...]:
    """That many cores that no other worker of this host has. The system frees the names when this
    process ends.
    """
    global _reserved
    if _reserved is not None:
        return _reserved[0]
    own, held = list[int](), ExitStack()
    for core in usable_cores():
        name = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            name.bind(f"\0arena-core-{core}")
        except OSError:
            name.close()
            continue
        held.enter_context(name)
        own.append(core)
        if len(own) == cores:
            break
    if len(own) < cores:
        held.close()
        raise ExecutorError(
            f"it was started with {cores} threads, and only {len(own)} cores of {platform.node()} "
            "are free of other workers"
        )
    _reserved = tuple(own), held
    return _reserved[0]


def _speed() -> float:
    """Plies a second of random Othello, by the plain rules."""
    game, rng, plies = load("othello"), Random(1), 0
    position, began = game.start(), time.perf_counter()
    while (took := time.perf_counter() - began) < _SPEED_S:
        position = game.start() if position.is_over else position
        position = position.play(rng.choice(position.legal_moves()))
        plies += 1
    return plies / took
