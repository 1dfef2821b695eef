"""`arena tune`: from a file to a player, stopped and resumed."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner, Result

import rules
from arena.cli import app
from arena.cli.tuning import measured
from arena.reports.tuning import (
    Plan,
    Progress,
    comparison_line,
    parameter_table,
    progress_line,
    trend,
)
from players.kernels.boards import load_board
from players.learning.tuning.result import PICTURES
from players.learning.tuning.tuner import CHECKPOINT, Comparison, Point, Tuner
from players.weights import load_weights

FILE = """
[tuning]
method = "selfplay"
games = {games}
compare_every = 16
compare_games = 4
measure_games = 4
threads = 2
[game]
rules = "othello"
preset = "cornerless"
[player]
bot = "weighted-uct"
options = {{ iterations = 16, playouts = 1, endgame_mb = 1, memory_mb = 8 }}
[weights]
[selfplay]
batch = 8
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def tune(folder: Path, games: int = 32, text: str = FILE) -> Result:
    (folder / "it.toml").write_text(text.format(games=games))
    return CliRunner().invoke(app, ["tune", "it.toml"])


def test_from_a_file_to_a_player(folder: Path) -> None:
    result = tune(folder)
    assert result.exit_code == 0, result.output
    assert "after 32 games" in result.output
    assert "In 4 fresh games against the start:" in result.output
    run = folder / "runs" / "it.tune"
    names = {path.name for path in run.iterdir()}
    assert {CHECKPOINT, "weights.json", "player.toml", *PICTURES} <= names
    assert not any(name.endswith(".part") for name in names)
    for name in PICTURES:
        head = (run / name).read_bytes()[:5]
        assert head == (b"\x89PNG\r" if name.endswith("png") else b"<?xml")
    how = json.loads((run / "weights.json").read_text())["tuning"]
    assert (how["rules"], how["method"], how["games"], how["seed"]) == (
        "othello",
        "selfplay",
        32,
        1,
    )
    assert how["settings"] == {"constant": 0.001, "batch": 8}
    assert how["measured"]["games"] == 4
    assert set(how["versions"]) == {"bot-arena", "numba"}
    board = load_board("othello", rules.load("othello", preset="cornerless").variant)
    weights = load_weights(str(run / "weights.json"), "othello", board.moves)
    assert weights.min() >= 0.9
    assert len(set(weights.flat)) > 2
    tournament = run / "tournament.toml"
    tournament.write_text(
        '[game]\nrules = "othello"\npreset = "cornerless"\n[[player]]\nbot = "monkey"\n'
        + (run / "player.toml").read_text()
    )
    checked = CliRunner().invoke(app, ["run", str(tournament), "--dry-run"])
    assert checked.exit_code == 0, checked.output
    again = tune(folder)
    assert again.exit_code == 0
    assert "32 of 32 games were played before." in again.output


KILLED = """
import os, signal
from arena.cli import app
from players.learning.tuning.tuner import Tuner

learn = Tuner.run_batch

def run_batch(self):
    learn(self)
    if self.counts["batches"] == 3:
        os.kill(os.getpid(), signal.SIGKILL)

Tuner.run_batch = run_batch
app(["tune", "it.toml"])
"""
"""Dies once the third batch is learned; the first alone is in a checkpoint."""


def test_killed_and_stopped_it_goes_on_as_if_nothing_had_happened(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "it.toml").write_text(FILE.format(games=40))
    checkpoint = folder / "runs" / "it.tune" / CHECKPOINT
    killed = subprocess.run([sys.executable, "-c", KILLED], capture_output=True, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert games_in(checkpoint) == 8
    learn = Tuner.run_batch

    def interrupted(tuner: Tuner) -> None:
        learn(tuner)
        if tuner.counts["batches"] == 4:
            os.kill(os.getpid(), signal.SIGINT)

    with monkeypatch.context() as patch:
        patch.setattr(Tuner, "run_batch", interrupted)
        stopped = tune(folder, games=40)
    assert stopped.exit_code == 130
    assert "8 of 40 games were played before." in stopped.output
    assert "Stopped; the best so far is in runs/it.tune/player.toml. Go on with:" in stopped.output
    assert games_in(checkpoint) == 32
    assert tune(folder, games=40).exit_code == 0
    resumed = kept(checkpoint)
    shutil.rmtree(folder / "runs")
    assert tune(folder, games=40).exit_code == 0
    assert kept(checkpoint) == resumed


def games_in(checkpoint: Path) -> int:
    return int(json.loads(checkpoint.read_text())["counts"]["games"])


def kept(checkpoint: Path) -> tuple[object, str]:
    """All that a checkpoint has but the time taken, and the table beside it."""
    content = json.loads(checkpoint.read_text())
    assert content["counts"].pop("seconds") > 0
    return content, checkpoint.with_name("weights.json").read_text()


def test_mistakes_are_told(folder: Path) -> None:
    wrong = tune(folder, text=FILE.replace("constant", "batch").replace("batch = 8", "bach = 8"))
    assert wrong.exit_code == 2
    assert 'it.toml:17: selfplay.bach: unknown key; did you mean "batch"?' in wrong.output
    assert tune(folder, games=8).exit_code == 0
    other = tune(folder, text=FILE.replace("batch = 8", "batch = 4"))
    assert other.exit_code == 2
    assert "method_settings.batch: 8 → 4" in other.output
    no_opening = FILE.replace("[player]", "[openings]\nplies = 40\n[player]")
    again = CliRunner().invoke(app, ["tune", "none.toml"])
    assert again.exit_code == 2
    assert "none.toml: cannot be read" in again.output
    (folder / "long.toml").write_text(no_opening.format(games=8).replace("40", "41"))
    long = CliRunner().invoke(app, ["tune", "long.toml"])
    assert long.exit_code == 2
    assert "openings.plies" in long.output


POINTS = [Point(games, (1.0 - games / 1000, 1.0)) for games in range(0, 101, 10)]
PLAN = Plan("it", "self-play", 200, ("black b1", "c"), (0.9, 0.0), (1.1, 2.0))


def test_the_live_view_shows_values_trends_and_the_score() -> None:
    console = Console(record=True, width=110, force_terminal=False)
    console.print(parameter_table(PLAN, POINTS, 110, 20))
    shown = console.export_text()
    assert "black b1" in shown
    assert "0.9000" in shown
    assert "↓ 0.0100" in shown
    assert "· 0.0000" in shown
    assert trend(POINTS, 0) == pytest.approx(-0.01)
    progress = Progress(100, 50.0, POINTS, [Comparison(80, (2.0, 1.0, 0.0, 1.0))])
    line = progress_line(PLAN, progress)
    assert line == "100 of 200 games, 50 games/s, 2 s left"
    assert comparison_line(progress.comparisons[-1]).startswith("after 80 games 50.0 % ± ")


def test_pairs_become_counts_and_a_gain_with_its_interval() -> None:
    scores = [2.0] * 30 + [1.0] * 50 + [0.5] * 10 + [0.0] * 10
    gain = measured(scores)
    assert gain["games"] == 200
    assert gain["score"] == pytest.approx(0.575)
    assert gain["elo"] == pytest.approx(52.5, abs=0.1)
    assert 40 < gain["elo_error_95"] < 70
    assert measured([])["games"] == 0
