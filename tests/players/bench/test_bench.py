"""The search benchmark: that it solves what it times, and what its table says."""

from io import StringIO

import pytest
from rich.console import Console

import rules
from players.bench.measurement import Measurement, table
from players.bench.speed import (
    dots_median_seconds,
    dots_start_seconds,
    playouts_per_second,
    solve,
)


def test_the_table_says_what_is_reached() -> None:
    rows = [
        Measurement("games", 2e6, "playouts/s", 1e6),
        Measurement("nodes", 123.4, "nodes/s", 200),
        Measurement("start", 0.5, "s", 1.5),
        Measurement("end", 2.0, "s", 1.5),
        Measurement("other", 7.0, "nodes/s", None),
    ]
    written = StringIO()
    Console(file=written, width=100).print(table(rows, "about the targets"))
    lines = written.getvalue().splitlines()
    said = {row.name: next(line for line in lines if f"│ {row.name} " in line) for row in rows}
    assert "2,000,000 playouts/s" in said["games"]
    assert "reached" in said["games"]
    assert "missed" in said["nodes"]
    assert "reached" in said["start"]
    assert "missed" in said["end"]
    assert "reached" not in said["other"]
    assert "missed" not in said["other"]
    assert "about the targets" in written.getvalue()


@pytest.mark.slow
def test_what_is_timed_is_done() -> None:
    state = rules.load("dots", rows=2, cols=2).start().state()
    assert solve("dots", {"rows": 2, "cols": 2}, state).solution.margin == 2
    assert dots_start_seconds(2, 2) > 0
    assert dots_median_seconds(20, 3) > 0


@pytest.mark.slow
@pytest.mark.parametrize("batches", [False, True])
def test_rates_are_of_games_played(batches: bool) -> None:
    assert playouts_per_second("dots", {"rows": 2, "cols": 2}, 8000, batches=batches) > 0
