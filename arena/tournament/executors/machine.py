"""One machine of a cluster: what a Dask worker runs for the head of a tournament.

A Dask worker has cores of its own. It keeps one local executor, which plays each game in a worker
process pinned to some of them; Dask only carries games here and records back.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from multiprocessing import Pipe
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from distributed import get_worker, secede
from pydantic import Field, ValidationError

from arena.bots import parcel
from arena.errors import ArenaError, ExecutorError
from arena.files.cache import cache_root
from arena.files.whole_file import contents_digest
from arena.model import Frozen
from arena.model.contender import Package
from arena.model.record import Host
from arena.sandbox.features import this_host
from arena.tournament.config import TournamentConfig
from arena.tournament.executors.base import GameReport, Lost, Moved, Played, Task
from arena.tournament.executors.cores import reserve, speed_of
from arena.tournament.executors.local import LocalExecutor
from arena.tournament.ready import ready
from arena.tournament.warming import warm_players

_LOOK_S = 0.5
_LULL_S = 600.0
"""A machine that played within this time is in use, unless its tournament has left: another one
waits for it.
"""
TAKEN = "another tournament has it now"
OTHER_VERSION = (
    "its arena and the head's are different versions; install the same version on both, and start "
    "the worker again"
)


class AdmissionRequest(Frozen):
    """The conditions of a head, sent to a machine before any game."""

    config: TournamentConfig
    label: str
    """Of this run of the tournament."""
    kept_in: str = ""
    """A file of the run on the head, which tells it from others of the same name."""
    host: Host
    """The head's: its versions are needed."""
    cores: int = 1
    shared: bool = False
    """Whether other workers may have the same cores: then clocks are not fair."""
    masked: tuple[str, ...] = ()
    """Files of the head that no player may read, where it is on this machine too."""
    named: dict[str, dict[str, str | None]] = Field(default_factory=dict)
    """The files and folders that are needed here too, by the player that names them; each with the
    SHA-256 of its contents, in hex, where they must be the head's.
    """


class Admission(Frozen):
    """A machine's answer to an AdmissionRequest."""

    host: Host
    games: int = 0
    lacking: tuple[str, ...] = ()
    """Digests of packages that are to be sent."""
    refused: str | None = None
    """Why it gets no game, a sentence."""
    busy: str = ""
    """The other tournament that it plays, and its head; it is to be asked again."""
    delay: str | None = None
    """A likely cause of void games here, a sentence."""


_QueuedGame = tuple[Task, SimpleQueue[GameReport]]
"""A game, and where its reports go."""


class _Machine:
    """Plays games of one tournament, in a thread of its own: workers end with the thread that
    started them.
    """

    def __init__(
        self, request: AdmissionRequest, config: TournamentConfig, cores: Sequence[int], host: Host
    ) -> None:
        """Raises ExecutorError."""
        self.label, self.host = request.label, host
        self.tournament, self._kept_in = _tournament(request), request.kept_in
        games = len(cores) // config.threads
        self._config = config.model_copy(update={"concurrency": games})
        self._masked, self._cores = request.masked, tuple(cores)
        self._requests: SimpleQueue[_QueuedGame | None] = SimpleQueue()
        self._woken, self._wake = Pipe(duplex=False)
        self.ended: str | None = None
        """Why it plays no game any more."""
        self._waiting: deque[_QueuedGame] = deque()
        self._playing: dict[int, _QueuedGame] = {}
        """By the identity of the task: the same game may be asked for twice."""
        self._used_at = time.monotonic()
        self._started: Future[str | None] = Future()
        self._thread = threading.Thread(target=self._serve, name="games", daemon=True)
        self._thread.start()
        self.delay = self._started.result()

    def is_kept_from(self, request: AdmissionRequest) -> bool:
        """Whether it plays for another head, or one that was killed may go on: the same command
        gets it back at once.
        """
        asks_again = (self.tournament, self._kept_in) == (_tournament(request), request.kept_in)
        if self.ended is not None or asks_again:
            return False
        return bool(self._playing) or time.monotonic() - self._used_at < _LULL_S

    def play(self, task: Task, on_move: Callable[[Moved], None]) -> Played | Lost:
        """Play a game; called in any thread."""
        reports: SimpleQueue[GameReport] = SimpleQueue()
        self._put((task, reports))
        while True:
            try:
                report = reports.get(timeout=_LOOK_S)
            except Empty:
                if self.ended and reports.empty():
                    return Lost(task, self.ended)
                continue
            if not isinstance(report, Moved):
                return report
            on_move(report)

    def close(self) -> None:
        self._put(None)
        self._thread.join()

    def _put(self, queued: _QueuedGame | None) -> None:
        self._requests.put(queued)
        self._wake.send_bytes(b"+")

    def _serve(self) -> None:
        try:
            executor = LocalExecutor(self._config, self._masked, self._cores)
            self._started.set_result(executor.warning())
        except BaseException as error:  # any error: the other thread waits for the start
            self._started.set_exception(error)
            return
        ended = TAKEN
        try:
            while self._take(executor):
                for report in executor.wait(_LOOK_S, wake=self._woken):
                    key = id(report.task)
                    _, reports = self._playing[key]
                    if not isinstance(report, Moved):
                        self._used_at = time.monotonic()
                        del self._playing[key]
                    reports.put(report)
        except Exception as error:  # any error: games wait for their reports
            ended = str(error) or repr(error)  # an assertion says nothing of itself
        self.ended = ended
        executor.close(now=True)

    def _take(self, executor: LocalExecutor) -> bool:
        """Begin queued games as cores are free; False once the end is queued."""
        while not self._requests.empty():
            queued = self._requests.get()
            if queued is None:
                return False
            self._waiting.append(queued)
        while self._waiting and len(self._playing) < executor.capacity:
            task, reports = self._waiting.popleft()
            self._playing[id(task)] = task, reports
            executor.submit(task)
        return True


def _tournament(request: AdmissionRequest) -> str:
    return f"{request.config.name} of {request.host.name}"


_lock = threading.Lock()
_machine: _Machine | None = None


def admit(request: str) -> str:
    """Get ready for a tournament: find and build its players, try their sandboxes, compile kernels,
    measure the speed. Takes an AdmissionRequest and gives an Admission, both as JSON; runs in the
    worker's process.
    """
    admission = Admission(host=this_host())
    try:
        read = AdmissionRequest.model_validate_json(request)
        with _lock:
            admission = _admitted(read, admission)
    except ValidationError:
        admission = admission.model_copy(update={"refused": OTHER_VERSION})
    except (ArenaError, OSError, ValueError) as error:
        admission = admission.model_copy(update={"refused": str(error)})
    return admission.model_dump_json()


def _admitted(request: AdmissionRequest, admission: Admission) -> Admission:
    global _machine
    config = request.config
    if _machine is not None and _machine.is_kept_from(request):
        return admission.model_copy(update={"busy": _machine.tournament})
    if _machine is not None and _machine.label == request.label:
        raise ExecutorError("a worker in the same process plays already; give each a process")
    _refuse_others(request.named)
    if lacking := _lacking(config):
        return admission.model_copy(update={"lacking": lacking})
    own = reserve(request.cores, shared=request.shared)
    if config.threads > len(own):
        raise ExecutorError(f"a game needs {config.threads} cores, it has {len(own)}")
    if _machine is not None:
        _machine.close()
        _machine = None
    prepared = ready(config, Path(config.name))
    warm_players(config)
    host = this_host(config.terms.rules).model_copy(update={"speed": speed_of(own[0])})
    _machine = _Machine(request, prepared, own, host)
    known = {"host": host, "games": len(own) // config.threads, "delay": _machine.delay}
    return admission.model_copy(update=known)


def _refuse_others(named: Mapping[str, Mapping[str, str | None]]) -> None:
    """Raise ExecutorError for files that players name and that are not here, or are others."""
    for player, files in named.items():
        for file, digest in files.items():
            if not Path(file).exists():
                wrong = "not there"
            elif digest is not None and contents_digest([Path(file)]) != digest:
                wrong = "another file than the head's"
            else:
                continue
            raise ExecutorError(
                f"{player} names {file}, which is {wrong}, as seen from {Path.cwd()}, where this "
                "worker was started; put the head's there, and start the worker again"
            )


def _lacking(config: TournamentConfig) -> tuple[str, ...]:
    programs = (each.contender.program for each in config.players if each.plays)
    packages = (program for program in programs if isinstance(program, Package))
    return tuple(dict.fromkeys(one.digest for one in packages if not parcel.is_here(one)))


def answer(what: Callable[..., Any], label: str, key: str, *arguments: object) -> None:
    """Answer a question of the head. The result goes there as an event: to fetch each one takes
    longer.
    """
    get_worker().log_event(label, {"asked": key, "said": what(*arguments)})


def keep(digest: str, packed: bytes) -> str | None:
    """Keep a package that was sent; why it cannot be, a sentence."""
    try:
        parcel.keep(digest, packed)
    except (ArenaError, OSError) as error:
        return f"a bot cannot be kept in {cache_root()}: {error}"
    return None


def play(task: str, label: str, number: int, *, moves: bool) -> None:
    """Play a game. Moves and the result go to the head as events under the label, with the number:
    a result that was fetched would be lost with its worker.
    """
    secede()  # the head counts the games; its next question needs the thread
    worker = get_worker()

    def send(**fields: Any) -> None:
        worker.log_event(label, {"number": number, **fields})

    def moved(report: Moved) -> None:
        if moves:
            send(ply=report.ply, moves=report.moves)

    machine, read = _machine, Task.model_validate_json(task)
    if machine is None or machine.label != label:
        send(left=TAKEN)
        return
    report = machine.play(read, moved)
    if isinstance(report, Played):
        send(record=report.record.model_copy(update={"host": machine.host}).model_dump_json())
    elif machine.ended:
        send(left=machine.ended)
    else:
        send(lost=f"{machine.host.name}: {report.reason}")


def leave(label: str) -> None:
    """End the games of a tournament that has ended."""
    global _machine
    with _lock:
        if _machine is not None and _machine.label == label:
            _machine.close()
            _machine = None
