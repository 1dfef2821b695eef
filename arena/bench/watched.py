"""Tournaments of 100 ms a move, played without open pages and with many, in turn: no machine is
equally quiet twice.
"""

import asyncio
import math
import os
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import fmean, variance
from typing import NamedTuple

from arena.bench.browsers import OpenPages
from arena.errors import BenchError
from arena.files.imports import module_command
from arena.ratings.tables import student_t95
from arena.sandbox.overload import cpu_ms
from arena.tournament.events import EVENT, MovesPlayed, RunFinished, events_file
from arena.tournament.store import Store

OPEN_PAGES = 300
_PLAYED = """
[tournament]
name = "{name}"
rounds = {rounds}
concurrency = {games}
[game]
rules = "dots"
rows = 5
cols = 5
[clock]
move_ms = 100
[[player]]
bot = "uct"
[[player]]
bot = "uct"
name = "uct-2"
"""


class PlayedRuns(NamedTuple):
    moves_per_s: tuple[float, ...]
    """Of the run, by each of its games."""
    forfeits: int
    delays_s: tuple[float, ...]
    """From each message of moves to each page."""
    server_share: float
    """CPU time of the server by the time that was played, its start left out."""
    pages_share: float
    """The same of the pages, which are here, and not on other machines as those of people are."""


def watched_and_not(folder: Path, rounds: int, repeats: int) -> tuple[PlayedRuns, PlayedRuns]:
    """Runs without open pages, and with them. Raises BenchError."""
    runs: dict[int, list[PlayedRuns]] = {0: [], OPEN_PAGES: []}
    for number in range(repeats):
        for pages, played in sorted(runs.items(), reverse=bool(number % 2)):
            played.append(_play(folder, f"{number}-with-{pages}", rounds, pages))
    return _together(runs[0]), _together(runs[OPEN_PAGES])


def _together(runs: list[PlayedRuns]) -> PlayedRuns:
    return PlayedRuns(
        moves_per_s=tuple(each for run in runs for each in run.moves_per_s),
        forfeits=sum(run.forfeits for run in runs),
        delays_s=tuple(each for run in runs for each in run.delays_s),
        server_share=fmean(run.server_share for run in runs),
        pages_share=fmean(run.pages_share for run in runs),
    )


def difference(alone: Sequence[float], watched: Sequence[float]) -> tuple[float, float]:
    """The share that is lost, and half of its 95 % interval (Student's t)."""
    both, mean = (alone, watched), fmean(alone)
    error = math.sqrt(sum(variance(each) / len(each) for each in both))
    freedom = sum(map(len, both)) - len(both)
    return (mean - fmean(watched)) / mean, student_t95(freedom) * error / mean


@contextmanager
def served(runs: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    command = module_command("arena", "serve", "--port", "0", "--runs", str(runs))
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            address = server.stdout.readline().strip()
            if not address:
                raise BenchError("arena serve ended at once; start it to see why")
            yield server, address
        finally:
            server.kill()


def _play(folder: Path, name: str, rounds: int, pages: int) -> PlayedRuns:
    """A tournament of 100 ms a move, two games at a time where there are two cores."""
    file, store = folder / f"{name}.toml", folder / f"{name}.sqlite"
    at_once = min(2, len(os.sched_getaffinity(0)))
    file.write_text(_PLAYED.format(name=name, rounds=rounds, games=at_once))
    command = module_command("arena", "run", str(file), "--store", str(store))
    with served(folder) as (server, address), (folder / f"{name}.log").open("wb") as log:
        began, pages_began = time.monotonic(), time.process_time()
        server_began = cpu_ms([server.pid])
        run = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            open_pages = OpenPages(f"{address}t/{name}", pages)
            asyncio.run(open_pages.until_over(run.poll))
            run.wait()
        finally:
            run.kill()
        took_s = time.monotonic() - began
        server_share = (cpu_ms([server.pid]) - server_began) / 1000 / took_s
        pages_share = (time.process_time() - pages_began) / took_s
    rates, forfeits = _results(store)
    delays = tuple(_delays(store, open_pages.heard))
    return PlayedRuns(rates, forfeits, delays, server_share, pages_share)


def _results(store: Path) -> tuple[tuple[float, ...], int]:
    """Moves a second of the run by each game, and forfeits. The first games count by these alone:
    they start the players' processes, which load while they play.
    """
    with Store.open(store) as kept:
        at_once = kept.config.concurrency
        records = list(kept.records())
        rates = tuple(
            len(record.moves) / record.duration_ms * 1e3 * at_once for record in records[at_once:]
        )
        return rates, sum(record.offender is not None for record in records)


def _delays(store: Path, heard: list[tuple[str, int, float]]) -> Iterator[float]:
    events = [EVENT.validate_json(line) for line in events_file(store).read_bytes().splitlines()]
    if not any(isinstance(event, RunFinished) for event in events):
        raise BenchError("the tournament that was to be watched did not come to its end")
    written = {
        (event.game, event.ply + len(event.moves)): event.at
        for event in events
        if isinstance(event, MovesPlayed)
    }
    return (at - written[game, ply] for game, ply, at in heard if (game, ply) in written)
