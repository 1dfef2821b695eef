"""`arena bench cluster`: it plays what it says, and shows what it measured."""

import tempfile
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from arena.bench import cluster
from arena.bench.cluster import Compared, Memory, Simulated
from arena.tournament.events import RunOutcome
from players.catalogue import BUILTINS
from tests.command import arena

FOUND = Simulated(
    workers=64,
    games=19_760,
    wall_s=200.4,
    ideal_s=180.2,
    idle=0.1008,
    scheduler_ms=2.0,
    head_ms=2.5,
    memory=(Memory(100.2, 60.0), *(Memory(110.0, 70.0),) * 4),
)


def test_figures_of_a_simulation_and_of_the_same_games_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cluster, "simulate", lambda *asked: FOUND)
    monkeypatch.setattr(cluster, "compare", lambda *asked: Compared(10, 10.1))
    written = StringIO()
    table = cluster.bench_cluster(BUILTINS, 64, 1, 19_760, 1.0, 1)
    Console(file=written, width=120).print(table)
    text = written.getvalue()
    assert "+1.0% time" in text and "≤ 2%" in text
    assert "40 and 40 games/s" in text
    assert "19,760 on 64" in text and "200 s, at least 180 s" in text and "10.1%" in text
    assert "100, 110, 110, 110, 110 MB" in text


def test_a_machine_waits_between_its_games() -> None:
    first = [(10.0, 1.0), (12.0, 8.0), (20.0, 5.0)]
    assert cluster._idle(first, 1) == pytest.approx(0.1)
    assert cluster._idle([*first, (10.0, 20.0)], 2) == pytest.approx(0.05)


def test_a_run_that_ctrl_c_stopped_is_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    stopped = RunOutcome(done=1, total=2, interrupted=True)
    monkeypatch.setattr(cluster, "run", lambda *_, **__: stopped)
    with pytest.raises(KeyboardInterrupt):
        cluster.compare(1, 2, 0, BUILTINS, 1)


@pytest.mark.slow
def test_machines_that_sleep_play_a_tournament(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(cluster, "_PLAYERS", 3)
    monkeypatch.setattr(cluster, "_A_ROUND", 6)
    asked = "--workers 3 --processes 2 --games 12 --seconds 0.01 --repeats 0"
    done = arena("bench", "cluster", *asked.split())
    assert done.exit_code == 0, done.output
    assert "12 on 3" in done.output and "next to no cluster" not in done.output
    found = cluster.compare(1, 2, 0, BUILTINS, 1)
    assert found.here_s > 0 and found.cluster_s > 0
    assert not (tmp_path / "dask-scratch-space").exists(), "others may make it first"
