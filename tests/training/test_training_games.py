"""`arena train` and `arena tune` with `method = "td"`: an evaluation, and who takes it."""

import csv
import sys
from pathlib import Path
from random import Random

import numpy as np
import pytest

import rules
from arena.errors import UserError
from arena.training.kinds import load_training
from players.weights.network_file import load_network
from tests.command import arena
from tests.players.conftest import Player, play_with

CONFIG = """
[tuning]
method = "td"
games = 90
block = 30
yardstick = "random"
yardstick_games = 20
[game]
rules = "othello"
size = 4
[network]
tuples = ["straight-2"]
"""


@pytest.fixture
def folder(folder: Path) -> Path:
    """With the tuning file `t.toml`."""
    (folder / "t.toml").write_text(CONFIG)
    return folder


@pytest.mark.slow
def test_tune_trains_a_network_that_players_take(folder: Path) -> None:
    told = arena("tune", "t.toml")
    assert told.exit_code == 0, told.output
    assert "60 games: " in told.output
    assert "of the points against random moves" in told.output
    run = folder / "runs/t.train"
    with (run / "curve.csv").open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert [row["games"] for row in rows] == ["30", "60", "90"]
    assert all(0 <= float(row["score"]) <= 1 for row in rows)
    assert (run / "curve.png").read_bytes().startswith(b"\x89PNG")
    assert "share of the points" in (run / "curve.svg").read_text()
    assert load_network(str(run / "network.ntuple"), "othello").header.games == 90

    network = str(run / "network.ntuple")
    game, rng = rules.load("othello", size=4), Random(1)
    for bot, options in (
        ("alphabeta", {"evaluation": network, "depth": 2, "endgame_leaves": 0}),
        ("uct", {"leaf": "evaluation", "evaluation": network, "iterations": 50}),
    ):
        player = Player([sys.executable, "-m", f"players.{bot}"], folder)
        try:
            assert play_with(player, game, 0, rng, options=options)
        finally:
            player.end()


def test_the_cells_of_dots_are_edges(folder: Path) -> None:
    dots = CONFIG.replace("straight-2", "boxes-1x1").replace('"othello"\nsize = 4', '"dots"')
    (folder / "t.toml").write_text(dots)
    assert "· tuples: 6 of 4 edges, " in load_training(folder / "t.toml").about


@pytest.mark.usefixtures("undrawn")
def test_train_takes_the_same_file_and_goes_on(folder: Path) -> None:
    assert arena("train", "t.toml").exit_code == 0
    (folder / "t.toml").write_text(CONFIG.replace("games = 90", "games = 120"))
    again = arena("tune", "t.toml")
    assert again.exit_code == 0, again.output
    assert "90 of 120 games were played before." in again.output
    assert "120 games: " in again.output
    assert "Not tested: no gain is claimed. To test it: arena tune t.toml --verify" in again.output
    (folder / "t.toml").write_text(CONFIG.replace('tuning]\nmethod = "td"', "training]"))
    told = arena("train", "t.toml", "--out", "runs/t.train").output
    assert "To test it: write [tuning]" in told
    assert "then arena tune t.toml --out runs/t.train --verify" in told


def test_a_network_whose_values_are_no_numbers_ends_its_games(tmp_path: Path) -> None:
    (tmp_path / "t.toml").write_text(
        CONFIG.replace("[network]", '[learning]\nepsilon = 0\nrate = "fixed"\n[network]')
    )
    kind = load_training(tmp_path / "t.toml")
    trainer = kind.open(tmp_path)
    trainer.network.weights[:] = np.nan
    block = trainer.run_block()
    assert block is not None
    for others, weights in ((np.nan, np.nan), (0, (np.inf, -np.inf))):
        trainer.network.weights[:] = others
        trainer.network.weights[:2] = weights
        with pytest.raises(UserError, match="weights have grown beyond all numbers"):
            trainer.save()
