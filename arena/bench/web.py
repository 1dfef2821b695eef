"""What the server of pages gives and costs, measured from outside next to its targets."""

import asyncio
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from arena.bench.browsers import OpenPages, PageLoad, get
from arena.bench.made_runs import made_run
from arena.errors import BenchError
from arena.tournament.events import EVENT, MovesPlayed, RunFinished, events_file
from arena.tournament.run_view import RunView

_OPEN_PAGES = 300
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
    """A figure next to its target."""

    what: str
    measured: str
    target: str
    reached: bool | None
    """None where there is no target."""


class WatchedRun(NamedTuple):
    """A tournament that was played."""

    moves_per_s: float
    forfeits: int
    delays_s: tuple[float, ...] = ()
    """From each message of moves to each page."""


def bench_web(*, games: int = 20_000, rounds: int = 4, seconds: float = 5.0) -> list[Figure]:
    """Measure it. Raises BenchError."""
    with tempfile.TemporaryDirectory(prefix="arena-bench-", dir=_in_memory()) as name:
        folder = Path(name)
        made_run(folder / "thousand.sqlite", 1_000)
        made_run(folder / "many.sqlite", games)
        alone = _play(folder, "alone", rounds, pages=0)
        watched = _play(folder, "watched", rounds, pages=_OPEN_PAGES)
        return [
            _throughput(folder, seconds),
            *_first_page(folder),
            _memory(folder, games),
            *_live(alone, watched),
        ]


def _in_memory() -> str | None:
    """A folder of memory, where there is one: runs are written at once."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


@contextmanager
def _served(runs: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server, and its address."""
    command = [sys.executable, "-P", "-m", "arena", "serve", "--port", "0", "--runs", str(runs)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            address = server.stdout.readline().strip()
            if not address:
                raise BenchError("arena serve ended at once; start it to see why")
            yield server, address
        finally:
            server.kill()


def _throughput(runs: Path, seconds: float) -> Figure:
    with _served(runs) as (server, address):
        os.sched_setaffinity(server.pid, {max(os.sched_getaffinity(0))})
        load = asyncio.run(PageLoad(f"{address}t/thousand").run(seconds))
    what = "Requests/s of the page of a run of 1,000 games, one core"
    return Figure(what, f"{load:,.0f}", "≥ 1,000", load >= 1_000)


def _first_page(runs: Path) -> Iterator[Figure]:
    began = time.monotonic()
    with _served(runs) as (_, address):
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
    with _served(runs) as (server, address):
        for path in ("", "t/many", "t/many/data", "t/many/game/g00000"):
            get(address + path)
        status = Path(f"/proc/{server.pid}/status").read_text()
    kilobytes = int(status.partition("VmRSS:")[2].split()[0])
    memory = kilobytes * 1024 / 1e6
    return Figure(f"Memory with {games:,} games", f"{memory:.0f} MB", "≤ 150 MB", memory <= 150)


def _live(alone: WatchedRun, watched: WatchedRun) -> Iterator[Figure]:
    delays = sorted(watched.delays_s)
    last = delays[-1] if delays else float("inf")
    median = delays[len(delays) // 2] if delays else last
    what = f"Delay of a move on {_OPEN_PAGES} open pages, the longest"
    yield Figure(what, f"{last:.2f} s", "≤ 1 s", last <= 1)
    yield Figure("The median of them", f"{median:.2f} s", "", None)
    for name, played in (("without pages", alone), (f"with {_OPEN_PAGES}", watched)):
        figures = f"{played.moves_per_s:.1f}, {played.forfeits}"
        yield Figure(f"Moves/s and forfeits of the run {name}", figures, "", None)


def _play(folder: Path, name: str, rounds: int, pages: int) -> WatchedRun:
    """A tournament of 100 ms a move, two games at a time where there are two cores."""
    file, store = folder / f"{name}.toml", folder / f"{name}.sqlite"
    at_once = min(2, len(os.sched_getaffinity(0)))
    file.write_text(_PLAYED.format(name=name, rounds=rounds, games=at_once))
    command = [sys.executable, "-P", "-m", "arena", "run", str(file), "--store", str(store)]
    with _served(folder) as (_, address), (folder / f"{name}.log").open("wb") as log:
        run = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            heard = asyncio.run(OpenPages(f"{address}t/{name}", pages).until_over(run.poll))
            run.wait()
        finally:
            run.kill()
    return _outcome(store, heard)


def _outcome(store: Path, heard: list[tuple[str, int, float]]) -> WatchedRun:
    lines = events_file(store).read_bytes().splitlines()
    events = [EVENT.validate_json(line) for line in lines]
    written = {
        (event.game, event.ply + len(event.moves)): event.at
        for event in events
        if isinstance(event, MovesPlayed)
    }
    if not any(isinstance(event, RunFinished) for event in events):
        raise BenchError("the tournament that was to be watched did not come to its end")
    delays = tuple(at - written[game, ply] for game, ply, at in heard if (game, ply) in written)
    with RunView(store) as view:
        moves = sum(game.moves for game in view.games)
        forfeits = sum(game.offender is not None for game in view.games)
        took_s = sum(game.duration_ms for game in view.games) / 1e3 / view.config.concurrency
    return WatchedRun(moves / took_s, forfeits, delays)


def show(figures: list[Figure], console: Console) -> None:
    """Print the figures next to their targets."""
    table = Table("Figure", title="The server of pages", title_justify="left")
    table.add_column("Measured", justify="right")
    table.add_column("Target", justify="right")
    table.add_column("Reached")
    for figure in figures:
        reached = "" if figure.reached is None else "yes" if figure.reached else "no"
        table.add_row(figure.what, figure.measured, figure.target, reached)
    console.print(table)
