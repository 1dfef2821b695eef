"""How fast this machine searches, beside the targets: `python -m players.bench`.

The targets are figures for one thread of a machine where a scalar C++ program of the same random
cornerless games plays 241,000 a second.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from rich.console import Console
from rich.table import Table

import rules
from players.endgame import load_endgame
from players.kernels.boards import load_board, load_terms
from players.search import uct
from players.search.alphabeta import AlphaBetaSearch, Limits
from players.search.sampling import total_net

RUNS = 3
"""Each figure is the best of so many runs: other work on the machine only ever slows one down."""


@dataclass(frozen=True)
class Measurement:
    """One figure beside what it should be."""

    name: str
    value: float
    unit: str
    """A rate is better when higher, seconds when lower."""
    target: float | None
    """What it must reach."""
    goal: float | None
    """What it is to reach in the end."""

    @property
    def reached(self) -> bool | None:
        """Whether the target is reached; None without one."""
        if self.target is None:
            return None
        return self.value <= self.target if self.unit == "s" else self.value >= self.target


CORNERLESS = {"preset": "cornerless"}
STANDARD = {"preset": "standard"}
DOTS = {"rows": 5, "cols": 5}


def bench_search() -> list[Measurement]:
    """Measure everything; about twenty seconds once the kernels are compiled."""
    return [
        Measurement(
            "cornerless random playouts",
            playouts_per_second("othello", CORNERLESS, 100_000),
            "playouts/s",
            230_000,
            490_000,
        ),
        Measurement(
            "cornerless UCT, 300,000 iterations from the start",
            iterations_per_second("othello", CORNERLESS, 300_000),
            "iterations/s",
            170_000,
            300_000,
        ),
        Measurement(
            "dots 5×5 random playouts",
            playouts_per_second("dots", DOTS, 400_000),
            "playouts/s",
            None,
            1_200_000,
        ),
        Measurement(
            "dots 5×5 UCT, 300,000 iterations from the start",
            iterations_per_second("dots", DOTS, 300_000),
            "iterations/s",
            None,
            500_000,
        ),
        Measurement(
            "standard Othello alpha-beta, 12 deep",
            nodes_per_second("othello", STANDARD, 12),
            "nodes/s",
            None,
            None,
        ),
        Measurement(
            "dots 5×5 alpha-beta, 6 deep", nodes_per_second("dots", DOTS, 6), "nodes/s", None, None
        ),
        Measurement("start of uct to ready, kernels cached", seconds_to_ready(), "s", None, 1.5),
    ]


def playouts_per_second(name: str, settings: Mapping[str, object], count: int) -> float:
    """Random games from the start."""
    game = rules.load(name, **settings)
    position = load_board(name, game.variant).position(game.start().state())
    total_net(position, 1, np.uint64(0))
    return count / _quickest(lambda run: total_net(position, count, np.uint64(run)))


def iterations_per_second(name: str, settings: Mapping[str, object], count: int) -> float:
    """Iterations of UCT from an empty tree at the start."""
    game = rules.load(name, **settings)
    board = load_board(name, game.variant)
    position = board.position(game.start().state())
    stop = np.zeros(1, np.int64)
    plain = uct.make_settings(uct.most_margin(name, game.variant))
    endgame = load_endgame(name, board, 1)
    searches = [
        uct.UctSearch(board, plain, endgame, memory_mb=512, seed=run) for run in range(RUNS)
    ]
    uct.load_kernels(position, plain, endgame)
    limits = uct.Limits(count)
    return count / _quickest(lambda run: searches[run].think(position, stop, limits))


def nodes_per_second(name: str, settings: Mapping[str, object], depth: int) -> float:
    """Nodes of a search from the start, with an empty table."""
    game = rules.load(name, **settings)
    board = load_board(name, game.variant)
    position = board.position(game.start().state())
    terms = load_terms(name, game.variant)
    stop = np.zeros(1, np.int64)
    endgame, limits = load_endgame(name, board, 1), Limits(depth)
    searches = [AlphaBetaSearch(board, terms=terms, endgame=endgame) for _ in range(RUNS + 1)]
    nodes = searches.pop().think(position, stop, limits).nodes
    return nodes / _quickest(lambda run: searches[run].think(position, stop, limits))


def seconds_to_ready() -> float:
    """From starting the process of `uct` to its answer to `start`."""
    game = rules.load("othello", **CORNERLESS)
    request = {
        "type": "start",
        "protocol": 1,
        "game": "bench",
        "rules": "othello",
        "variant": game.variant,
        "seat": 0,
        "seats": 2,
        "clock": {"move_ms": 1000, "bank_ms": None, "increment_ms": 0},
        "startup_ms": 30_000,
        "seed": 1,
        "options": {},
        "state": game.start().state(),
        "moves": [],
    }

    def run(_: int) -> None:
        command = [sys.executable, "-m", "players.uct"]
        with (
            tempfile.TemporaryFile("w+") as errors,
            subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            ) as process,
        ):
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            if not process.stdout.readline():
                errors.seek(0)
                raise RuntimeError(f"{' '.join(command)} did not start:\n{errors.read()}")
            process.stdin.close()

    return _quickest(run)


def _quickest(work: Callable[[int], object]) -> float:
    seconds = []
    for run in range(RUNS):
        began = time.perf_counter()
        work(run)
        seconds.append(time.perf_counter() - began)
    return min(seconds)


def table(measurements: list[Measurement]) -> Table:
    """The measurements for a terminal."""
    columns = Table(title="Search, one thread", caption=__doc__.split("\n\n")[1].strip())
    columns.add_column("what")
    for heading in ("measured", "target", "goal"):
        columns.add_column(heading, justify="right")
    columns.add_column("")
    for item in measurements:
        mark = {True: "reached", False: "missed", None: ""}[item.reached]
        columns.add_row(
            item.name,
            f"{_figure(item.value)} {item.unit}",
            _figure(item.target),
            _figure(item.goal),
            mark,
        )
    return columns


def _figure(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"


if __name__ == "__main__":
    Console().print(table(bench_search()))
