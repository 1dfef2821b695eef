"""The speed and cost of the server of pages, measured from outside next to its targets."""

import asyncio
import math
import os
import re
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import fmean, variance
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from arena.bench.browsers import OpenPages, PageLoad, get
from arena.bench.made_runs import made_run
from arena.errors import BenchError
from arena.files.imports import module_command
from arena.ratings.scale import student_t95
from arena.sandbox.overload import cpu_ms
from arena.sandbox.processes import resident_bytes
from arena.tournament.events import EVENT, MovesPlayed, RunFinished, events_file
from arena.tournament.store import Store

_LOAD_S = 5.0
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


class Figure(NamedTuple):
    what: str
    measured: str
    target: str
    reached: bool | None
    """None where there is no target."""


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


def bench_web(*, games: int, rounds: int, repeats: int) -> list[Figure]:
    """Measure it. Runs with open pages and without take turns: no machine is equally quiet twice.
    Raises BenchError.
    """
    in_memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # runs are written at once
    with tempfile.TemporaryDirectory(prefix="arena-bench-", dir=in_memory) as name:
        folder = Path(name)
        made_run(folder / "thousand.sqlite", 1_000)
        made_run(folder / "many.sqlite", games)
        figures = [_throughput(folder), *_first_page(folder), _memory(folder, games)]
        return [*figures, *_live(*watched_and_not(folder, rounds, repeats))]


def _throughput(runs: Path) -> Figure:
    with served(runs) as (server, address):
        os.sched_setaffinity(server.pid, {max(os.sched_getaffinity(0))})
        load = asyncio.run(PageLoad(f"{address}t/thousand").run(_LOAD_S))
    what = "Requests/s of the page of a run of 1,000 games, one core"
    return Figure(what, f"{load:,.0f}", "≥ 1,000", load >= 1_000)


def _first_page(runs: Path) -> Iterator[Figure]:
    began = time.monotonic()
    with served(runs) as (_, address):
        get(address)
        first_s = time.monotonic() - began
        page = get(f"{address}t/thousand")
        linked = re.findall(r'(?:src|href)="(/static/[^"]*)"', page.text)
        parts = [page, *(get(address.rstrip("/") + link) for link in linked)]
        parts.append(get(f"{address}t/thousand/data"))
    weight = sum(part.sent_bytes for part in parts[:-1]) / 1e3
    yield Figure("First page after arena serve", f"{first_s:.2f} s", "≤ 1 s", first_s <= 1)
    yield Figure("Page of a run without games", f"{weight:.0f} kB", "≤ 100 kB", weight <= 100)
    yield Figure("Requests of it, data included", str(len(parts)), "≤ 6", len(parts) <= 6)


def _memory(runs: Path, games: int) -> Figure:
    with served(runs) as (server, address):
        for path in ("", "t/many", "t/many/data", "t/many/game/g00000"):
            get(address + path)
        memory = resident_bytes(server.pid) / 1e6
    return Figure(f"Memory with {games:,} games", f"{memory:.0f} MB", "≤ 150 MB", memory <= 150)


def _live(alone: PlayedRuns, watched: PlayedRuns) -> Iterator[Figure]:
    delays = sorted(watched.delays_s)
    last = delays[-1] if delays else float("inf")
    median = delays[len(delays) // 2] if delays else last
    what = f"Delay of a move on {OPEN_PAGES} open pages, the longest"
    yield Figure(what, f"{last:.2f} s", "≤ 1 s", last <= 1)
    yield Figure("The median of them", f"{median:.2f} s", "", None)
    names = "without pages", f"with {OPEN_PAGES}"
    for name, played in zip(names, (alone, watched), strict=True):
        figures = f"{fmean(played.moves_per_s):.1f}, {played.forfeits}"
        yield Figure(f"Moves/s and forfeits of the run {name}", figures, "", None)
        costs = f"{played.server_share:.1%} and {played.pages_share:.1%}"
        yield Figure(f"CPU of the server and of these pages {name}", costs, "", None)
    lost, margin = difference(alone.moves_per_s, watched.moves_per_s)
    as_without = lost - margin <= 0 and watched.forfeits == alone.forfeits
    yield Figure(
        "Moves/s lost with pages, and half of its 95% interval",
        f"{lost:+.1%} ± {margin:.1%}", "none, within the interval", as_without,
    )  # fmt: skip


def show(figures: list[Figure], console: Console) -> None:
    table = Table("Figure", title="The server of pages", title_justify="left")
    table.add_column("Measured", justify="right")
    table.add_column("Target", justify="right")
    table.add_column("Reached")
    for figure in figures:
        reached = "" if figure.reached is None else "yes" if figure.reached else "no"
        table.add_row(figure.what, figure.measured, figure.target, reached)
    console.print(table)


def watched_and_not(folder: Path, rounds: int, repeats: int) -> tuple[PlayedRuns, PlayedRuns]:
    """Runs without open pages, and with them. Raises BenchError."""
    runs: dict[int, list[PlayedRuns]] = {0: [], OPEN_PAGES: []}
    for number in range(repeats):
        for pages, played in sorted(runs.items(), reverse=bool(number % 2)):
            played.append(_play(folder, f"{number}-with-{pages}", rounds, pages))
    alone, watched = _together(runs[0]), _together(runs[OPEN_PAGES])
    if min(len(alone.moves_per_s), len(watched.moves_per_s)) < 2:  # a spread needs two
        raise BenchError("the tournaments had too few games to measure; raise --rounds")
    return alone, watched


def _together(runs: list[PlayedRuns]) -> PlayedRuns:
    return PlayedRuns(
        moves_per_s=tuple(each for run in runs for each in run.moves_per_s),
        forfeits=sum(run.forfeits for run in runs),
        delays_s=tuple(each for run in runs for each in run.delays_s),
        server_share=fmean(run.server_share for run in runs),
        pages_share=fmean(run.pages_share for run in runs),
    )


def difference(alone: Sequence[float], watched: Sequence[float]) -> tuple[float, float]:
    """The share that is lost, and half of its 95% interval (Student's t)."""
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
    with Store.open(store) as run:
        at_once = run.config.concurrency
        records = list(run.records())
        rates = tuple(
            len(record.moves) / record.duration_ms * 1e3 * at_once for record in records[at_once:]
        )
        return rates, sum(record.offender is not None for record in records)


def _delays(store: Path, heard: list[tuple[str, int, float]]) -> Iterator[float]:
    events = [EVENT.validate_json(line) for line in events_file(store).read_bytes().splitlines()]
    if not any(isinstance(event, RunFinished) for event in events):
        raise BenchError("the tournament that was watched did not end")
    written = {
        (event.game, event.ply + len(event.moves)): event.at
        for event in events
        if isinstance(event, MovesPlayed)
    }
    return (at - written[game, ply] for game, ply, at in heard if (game, ply) in written)
