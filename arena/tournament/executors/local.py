"""Games side by side in worker processes of this machine, each pinned to cores of its own."""

import errno
import os
import socket
import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import IO

from pydantic import BaseModel

from arena.errors import NO_PROCESS, ExecutorError
from arena.files.imports import module_command
from arena.files.toml_tables import Finding
from arena.model.record import GameRecord
from arena.sandbox.features import available_memory, cpu_quota, usable_cores
from arena.sandbox.overload import DELAY_S, delay_warning, scheduling_delay
from arena.sandbox.processes import become_subreaper, children, kill_strays
from arena.tournament.config import TournamentConfig
from arena.tournament.executors.base import Demand, GameReport, Lost, Moved, Played, Task
from arena.tournament.executors.cores import apart
from arena.tournament.executors.worker import MOVES, READY, RECORD, WorkerSetup

_GRACE_S = 2.0
"""How long idle workers may take to end their players."""
_STARTS = 3
"""Workers in a row that may die before they are up; then none will ever be."""
_PATIENCE_S = 1.0
"""How long a worker that is to end may take, before it is killed."""


@dataclass
class _Worker:
    process: subprocess.Popen[bytes]
    connection: Connection
    stderr: IO[bytes]
    cores: tuple[int, ...]
    task: Task | None = None
    ready: bool = False
    known: set[str] = field(default_factory=set)
    """Players of its games: it may still have their processes."""

    def send(self, message: BaseModel) -> None:
        """Send a message; `LocalExecutor.wait` finds a dead worker."""
        with suppress(BrokenPipeError, ConnectionResetError):
            self.connection.send_bytes(message.model_dump_json().encode())

    def exit_message(self) -> str:
        """How it ended, and the last line of its stderr."""
        code = self.process.wait()
        ended = f"killed by signal {-code}" if code < 0 else f"exit code {code}"
        self.stderr.seek(0)
        lines = self.stderr.read().decode("utf-8", "replace").strip().splitlines()
        return f"{ended}: {lines[-1]}" if lines else ended


def fit(demand: Demand, cores: int | None = None) -> tuple[int, Sequence[Finding]]:
    """The games that this machine, or that many cores of it, can play at a time."""
    cores = cores or len(usable_cores())
    most = max(1, cores // demand.a_game)
    games = demand.concurrency
    findings = [
        Finding(
            ("player", index, "resources", "threads"),
            f"asks for {threads} cores, this machine has {cores}",
        )
        for index, threads in enumerate(demand.threads)
        if threads > cores
    ]
    if demand.a_game > cores:
        if demand.ponder and not findings:
            what = f"{demand.a_game} a game, this machine has {cores}; leave ponder out"
            message = f"with ponder = true every player needs its own cores: {what}"
            findings.append(Finding(("tournament", "ponder"), message))
    elif games is not None and games > most:
        each = "1 core" if demand.a_game == 1 else f"{demand.a_game} cores"
        message = (
            f"{games} games of {each} each need {games * demand.a_game} cores, this machine has "
            f"{cores}; at most {most}"
        )
        findings.append(Finding(("tournament", "concurrency"), message))
    return most if games is None else games, findings


class LocalExecutor:
    """Plays `config.concurrency` games of a tournament at a time, each on cores of its own.

    While it is open, orphans among this process's descendants are handed to this process, and
    new children of other sessions are taken for what a killed worker left, and killed.
    """

    def __init__(
        self,
        config: TournamentConfig,
        masked: tuple[str, ...] = (),
        cores: tuple[int, ...] | None = None,
    ) -> None:
        """`masked` files are kept from players; `cores` are those to play on, else any. Raises
        ExecutorError.
        """
        games, threads = config.concurrency, config.threads
        wanted, there = games * threads, len(cores or usable_cores())
        if wanted > there:
            raise ExecutorError(
                f"{games} games of {threads} cores each need {wanted} cores, there are {there}"
            )
        self._cores, self._held = (cores[:wanted], ()) if cores else apart(wanted)
        self.capacity = games
        self._free = [self._cores[i * threads : (i + 1) * threads] for i in range(games)]
        homes = {player.name: player.home for player in config.players}
        self._setup = WorkerSetup(
            keep_alive=config.keep_alive,
            idle_bytes=available_memory() // (2 * games),
            homes=homes,
            masked=masked,
        )
        self._workers: list[_Worker] = []
        self._failed_starts = 0
        self._failure: ExecutorError | None = None
        self._others = children()
        become_subreaper()

    def warning(self) -> str | None:
        """A sentence where the cores lose much to other programs. Raises ExecutorError."""
        try:
            return delay_warning(scheduling_delay(self._cores, DELAY_S), cpu_quota())
        except OSError as error:
            full = error.errno == errno.EAGAIN
            why = NO_PROCESS if full else f"no process can be started: {error.strerror}"
            raise ExecutorError(why) from None

    def submit(self, task: Task) -> None:
        """Begin a game in the idle worker that knows most of its players, or in a new one."""
        players = {player.name for player in task.spec.players}
        idle = [worker for worker in self._workers if worker.task is None]
        most = max(idle, key=lambda worker: len(worker.known & players), default=None)
        worker = most or self._start(self._free.pop(0))
        worker.task = task
        worker.known |= players
        worker.send(task)

    def _start(self, cores: tuple[int, ...]) -> _Worker:
        ours, theirs = socket.socketpair()
        stderr = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the worker
        arguments = (str(theirs.fileno()), str(os.getpid()), ",".join(map(str, cores)))
        with theirs:
            process = subprocess.Popen(
                module_command("arena.tournament.executors.worker", *arguments),
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=stderr,
                process_group=0,  # Ctrl-C in the terminal reaches the run alone
            )
        worker = _Worker(process, Connection(ours.detach()), stderr, cores)
        worker.send(self._setup)
        self._workers.append(worker)
        return worker

    def wait(self, timeout_s: float, wake: Connection | None = None) -> Sequence[GameReport]:
        """The reports of the workers; a message on `wake` ends the wait. Raises ExecutorError."""
        by_connection = {worker.connection: worker for worker in self._workers}
        reports: list[GameReport] = []
        for connection in wait([*by_connection, *([wake] if wake else [])], timeout_s):
            if connection is wake:
                wake.recv_bytes()
                continue
            worker = by_connection[connection]  # type: ignore[index] # waited for these only
            try:
                report = self._take(worker, worker.connection.recv_bytes())
            except (EOFError, OSError):  # perhaps in the middle of a message
                report = self._reap(worker)
            if report is not None:
                reports.append(report)
        if self._failure is not None and not reports:  # what was played comes first
            raise self._failure
        return reports

    def _take(self, worker: _Worker, message: bytes) -> GameReport | None:
        kind, body, task = message[:1], message[1:], worker.task
        if kind == READY:
            worker.ready = True
            self._failed_starts = 0
            return None
        assert task is not None  # a worker speaks only while it plays
        text = body.decode("utf-8", "replace")
        if kind == MOVES:
            ply, *moves = text.split("\n")
            return Moved(task, int(ply), tuple(moves))
        worker.task = None
        if kind == RECORD:
            return Played(task, GameRecord.model_validate_json(body), text)
        return Lost(task, text)

    def _reap(self, worker: _Worker) -> GameReport | None:
        """A worker has died: free its cores, end what it left, report its game."""
        self._workers.remove(worker)
        self._free.append(worker.cores)
        worker.process.kill()  # it may only have closed the socket
        exit_message = worker.exit_message()
        kill_strays(self._others)
        worker.connection.close()
        worker.stderr.close()
        if worker.ready:
            return Lost(worker.task, f"its worker ended ({exit_message})") if worker.task else None
        self._failed_starts += 1
        if self._failed_starts < _STARTS and worker.task is not None:
            self.submit(worker.task)  # something may have killed just this one
        else:
            self._failure = ExecutorError(f"a worker process did not start ({exit_message})")
        return None

    def close(self, *, now: bool) -> None:
        """End the workers and all they started, within about 2 s."""
        for worker in self._workers:
            if now:
                worker.process.terminate()
            worker.connection.close()
        deadline = time.monotonic() + (_PATIENCE_S if now else _GRACE_S)
        for worker in self._workers:
            with suppress(subprocess.TimeoutExpired):
                worker.process.wait(max(0.0, deadline - time.monotonic()))
        for worker in self._workers:
            worker.process.kill()
            worker.process.wait()
            worker.stderr.close()
        self._workers.clear()
        kill_strays(self._others)
        for core in self._held:
            core.close()
