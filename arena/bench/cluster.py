"""The costs of a cluster: the same games through workers on this machine and without them, and the
head and the scheduler of a large one, whose machines only sleep for the time of a game.
"""

import json
import os
import sqlite3
import subprocess
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import dask
from distributed import Client
from rich.table import Table

from arena.bench import sleeping
from arena.bench.compiling import HERE
from arena.errors import BenchError
from arena.files.imports import module_command
from arena.sandbox.features import usable_cores
from arena.sandbox.overload import cpu_ms
from arena.sandbox.processes import resident_bytes
from arena.tournament.catalogue import CatalogueEntry
from arena.tournament.config import TournamentConfig
from arena.tournament.config_file import read_config
from arena.tournament.events import RunOutcome
from arena.tournament.executors.base import OpenExecutor
from arena.tournament.executors.cluster import LOGS
from arena.tournament.executors.dask import DaskExecutor
from arena.tournament.played_store import PlayedStore
from arena.tournament.ready import ready
from arena.tournament.run import GameSpecs, run
from arena.tournament.site import site

Builtins = Mapping[str, CatalogueEntry]
_PLAYERS = 20
_A_ROUND = _PLAYERS * (_PLAYERS - 1)
_START_S = 600
_LOOK_S = 1.0
_MB = 2**20
OVERHEAD_TARGET = 0.02
"""More wall time than the local executor takes, at most, at 100 ms a move."""


class Simulated(NamedTuple):
    """A tournament on machines that sleep."""

    workers: int
    games: int
    wall_s: float
    ideal_s: float
    """With all machines busy to the end, and games that begin at once."""
    idle: float
    """The share of the machines' time without a game, until the last game began."""
    scheduler_ms: float
    """CPU time a game."""
    head_ms: float
    """CPU time a game; the store's part counts."""
    memory: "tuple[Memory, ...]"
    """Before the first game, after each quarter of the time, and at the end."""


class Memory(NamedTuple):
    """Resident memory, in MB."""

    head: float
    scheduler: float


def simulate(
    workers: int, games: int, game_s: float, builtins: Builtins, processes: int
) -> Simulated:
    """Play about that many games of about `game_s` seconds each. Raises BenchError."""
    rounds = max(1, games // _A_ROUND)
    config = _sleepers(rounds, game_s, builtins)
    with TemporaryDirectory(prefix="arena-bench-") as folder, ExitStack() as stack:
        address, scheduler = stack.enter_context(_scheduler(Path(folder)))
        serve = module_command("arena.bench.sleeping", address, folder)
        for number in range(processes):
            machines = len(range(number, workers, processes))
            stack.enter_context(_process((*serve, str(machines))))
        stack.enter_context(dask.config.set(LOGS))
        client = stack.enter_context(Client(address))
        client.wait_for_workers(workers, timeout=_START_S)
        path = Path(folder, "run.sqlite")
        store = stack.enter_context(PlayedStore.open_run(path, config))
        scheduler_ms, began, used = cpu_ms([scheduler]), time.monotonic(), time.process_time()
        with _watched(os.getpid(), scheduler) as memory:
            sleepers = partial(DaskExecutor, client, runs=sleeping)
            outcome = _run(config, store, sleepers)
        wall_s, head_s = time.monotonic() - began, time.process_time() - used
        if outcome.done < outcome.total:
            raise BenchError(f"{outcome.total - outcome.done} games were not played")
        specs, planned = GameSpecs(config), iter(config.schedule().next, None)
        slept_s = sum(sleeping.time_of(specs.of(each)) for each in planned)
        return Simulated(
            workers=workers,
            games=outcome.done,
            wall_s=wall_s,
            ideal_s=slept_s / workers,
            idle=_idle(_times(path), workers),
            scheduler_ms=(cpu_ms([scheduler]) - scheduler_ms) / outcome.done,
            head_ms=1000 * head_s / outcome.done,
            memory=tuple(memory[(len(memory) - 1) * part // 4] for part in range(5)),
        )


@contextmanager
def _watched(head: int, scheduler: int) -> Iterator[list[Memory]]:
    """The memory of two processes, second by second."""
    seen, over = list[Memory](), threading.Event()

    def look() -> None:
        while not over.wait(_LOOK_S if seen else 0):
            seen.append(Memory(*(resident_bytes(each) / _MB for each in (head, scheduler))))

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield seen
    finally:
        over.set()
        thread.join()


def _sleepers(rounds: int, game_s: float, builtins: Builtins) -> TournamentConfig:
    players = [{"bot": "monkey", "name": f"m{number}"} for number in range(_PLAYERS)]
    tables = {"clock": {"move_ms": max(1, round(1000 * game_s))}, "player": players}
    return _config({**tables, "tournament": {"rounds": rounds, "sandbox": "none"}}, builtins)


def _config(tables: dict[str, Any], builtins: Builtins) -> TournamentConfig:
    whole = {"game": {"rules": "dots", "rows": 2, "cols": 2}, **tables}
    return read_config(whole, builtins, Path.cwd(), name="cluster")


@contextmanager
def _scheduler(folder: Path) -> Iterator[tuple[str, int]]:
    """The address and the process of a scheduler of its own."""
    scheduler_file = folder / "scheduler.json"
    command = module_command(
        "distributed.cli.dask_scheduler", "--host", "127.0.0.1",
        "--port", "0", "--dashboard-address", ":0", "--scheduler-file", str(scheduler_file),
    )  # fmt: skip
    settings = {  # as the page recommends
        "DASK_TEMPORARY_DIRECTORY": str(folder),
        "DASK_DISTRIBUTED__ADMIN__LOW_LEVEL_LOG_LENGTH": "20",
    }
    with _process(command, **settings) as pid:
        deadline = time.monotonic() + _START_S
        while not scheduler_file.exists() or not scheduler_file.read_text():
            if time.monotonic() > deadline:
                raise BenchError("the scheduler did not start")
            time.sleep(0.05)
        yield json.loads(scheduler_file.read_text())["address"], pid


@contextmanager
def _process(command: tuple[str, ...], **environment: str) -> Iterator[int]:
    with subprocess.Popen(
        command, env=os.environ | environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            yield process.pid
        finally:
            process.kill()


class Compared(NamedTuple):
    """The same games here, and through workers that have the cores of this machine."""

    here_s: float
    """From the first game to the end of the last, the quickest of the repeats."""
    cluster_s: float

    @property
    def overhead(self) -> float:
        return self.cluster_s / self.here_s - 1


def compare(workers: int, games: int, think_ms: int, builtins: Builtins, repeats: int) -> Compared:
    """Play them, in turn here and on `local:N`, between players that only sleep for each move."""
    player = {"bot": str(HERE / "instant.py"), "options": {"think_ms": think_ms}}
    tables = {
        "tournament": {"rounds": games // 2, "keep_alive": True},
        "game": {"rules": "dots", "rows": 3, "cols": 3},
        "player": [player | {"name": name} for name in ("one", "other")],
    }
    config = ready(_config(tables, builtins), Path("arena bench cluster"))
    here, there = list[float](), list[float]()
    for _ in range(repeats):
        here.append(_played_s(config, None))
        there.append(_played_s(config, f"local:{workers}"))
    return Compared(min(here), min(there))


def _run(config: TournamentConfig, store: PlayedStore, open_executor: OpenExecutor) -> RunOutcome:
    """Play it all. Raises KeyboardInterrupt where Ctrl-C stopped it: a part is no measurement."""
    outcome = run(config, store, open_executor=open_executor)
    if outcome.interrupted:
        raise KeyboardInterrupt
    return outcome


def _played_s(config: TournamentConfig, on: str | None) -> float:
    with ExitStack() as stack:
        path = Path(stack.enter_context(TemporaryDirectory(prefix="arena-bench-")), "run.sqlite")
        at = stack.enter_context(site(on))
        store = stack.enter_context(PlayedStore.open_run(path, config))
        _run(config, store, at.open_executor)
        times = _times(path)
    return max(began + took for began, took in times) - min(times)[0]


def _times(path: Path) -> list[tuple[float, float]]:
    """When each game began and how long it took, in seconds."""
    with closing(sqlite3.connect(path)) as database:
        rows = list(database.execute("SELECT started_at, duration_ms FROM games"))
    return [(datetime.fromisoformat(began).timestamp(), took / 1000) for began, took in rows]


def _idle(times: Sequence[tuple[float, float]], workers: int) -> float:
    first, last = min(times)[0], max(times)[0]
    busy = sum(min(took, last - began) for began, took in times)
    return 1 - busy / (workers * (last - first))


_GAMES = 20
_INSTANT = 400


def bench_cluster(
    builtins: Builtins, workers: int, processes: int, games: int, game_s: float, repeats: int
) -> Table:
    """No comparison without repeats, no simulation without games. Raises BenchError."""
    table = Table("", "measured", "target", title="A cluster", box=None)
    for workers_here in range(1, 1 + min(2, len(usable_cores()))) if repeats else ():
        name = f"local:{workers_here}"
        found = compare(workers_here, _GAMES, 100, builtins, repeats)
        title = f"{name} next to no cluster, 100 ms a move"
        table.add_row(title, f"{found.overhead:+.1%} time", f"≤ {OVERHEAD_TARGET:.0%}")
        fast = compare(workers_here, _INSTANT, 0, builtins, repeats)
        rates = f"{_INSTANT / fast.cluster_s:,.0f} and {_INSTANT / fast.here_s:,.0f} games/s"
        table.add_row(f"{name} and no cluster, instant players", rates)
    if games:
        for row in _rows(simulate(workers, games, game_s, builtins, processes)):
            table.add_row(*row)
    return table


def _rows(simulated: Simulated) -> Iterator[tuple[str, str]]:
    yield "games on machines that sleep", f"{simulated.games:,} on {simulated.workers:,}"
    yield "time", f"{simulated.wall_s:,.0f} s, at least {simulated.ideal_s:,.0f} s"
    yield "time in which a machine waited for a game", f"{simulated.idle:.1%}"
    yield "scheduler", f"{simulated.scheduler_ms:.2f} ms CPU a game"
    yield "head", f"{simulated.head_ms:.2f} ms CPU a game"
    heads, schedulers = zip(*simulated.memory, strict=True)
    yield "memory of the scheduler, quarter by quarter", _megabytes(schedulers)
    yield "memory of the head, quarter by quarter", _megabytes(heads)


def _megabytes(figures: Iterable[float]) -> str:
    return ", ".join(f"{figure:,.0f}" for figure in figures) + " MB"
