"""What the server of pages gives and costs, measured from outside next to its targets."""

import asyncio
import os
import re
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from arena.bench.browsers import PageLoad, get
from arena.bench.made_runs import made_run
from arena.bench.watched import OPEN_PAGES, PlayedRuns, difference, served, watched_and_not

_LOAD_S = 5.0


class Figure(NamedTuple):
    what: str
    measured: str
    target: str
    reached: bool | None
    """None where there is no target."""


def bench_web(*, games: int = 20_000, rounds: int = 4, repeats: int = 3) -> list[Figure]:
    """Measure it. Raises BenchError."""
    with tempfile.TemporaryDirectory(prefix="arena-bench-", dir=_in_memory()) as name:
        folder = Path(name)
        made_run(folder / "thousand.sqlite", 1_000)
        made_run(folder / "many.sqlite", games)
        figures = [_throughput(folder), *_first_page(folder), _memory(folder, games)]
        return [*figures, *_live(*watched_and_not(folder, rounds, repeats))]


def _in_memory() -> str | None:
    """A folder of memory, where there is one: runs are written at once."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


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
        status = Path(f"/proc/{server.pid}/status").read_text()
    kilobytes = int(status.partition("VmRSS:")[2].split()[0])
    memory = kilobytes * 1024 / 1e6
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
        "Moves/s lost with pages, and half of its 95 % interval",
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
