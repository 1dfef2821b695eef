"""The trainings of `arena train`: the trainings of each kind of game, and how they are shown."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Generic

import rules as rule_sets
from arena.errors import UserError
from arena.files.toml import read_file
from arena.tournament.file_kinds import table
from arena.training.train_view import Block, BlockView, GameBlockView, TileBlockView
from arena.training.verify_config import Asker, Verification, load_learned
from arena.training.verify_learned import NetworkTrial
from players.games.tiles.boards import TileBoard
from players.learning.games.trainer import GameBlock, GamesConfig, GamesTrainer
from players.learning.tiles import trainer as tiles
from players.learning.tiles.trainer import TileBlock, TileTrainer, TrainConfig
from players.learning.trainer import BlockTrainer
from players.learning.tuning.result import player_entry
from players.ntuple.network import Network
from players.ntuple.temporal import WHOLE_GAME
from players.weights.board_tuples import BOARD_GAMES

_SIZES = 2
"""Of more than two sizes of tuples, the smallest and the largest are shown."""


@dataclass(frozen=True)
class TrainingKind(Generic[Block]):
    """A training of one kind of game."""

    config: TrainConfig | GamesConfig
    about: str
    """The learner and its method, in a line."""
    open: Callable[[Path], BlockTrainer[Any, Block]]
    """The trainer of a run in a folder. Raises ValueError and OSError."""
    view: BlockView[Block]
    against: tuple[str, ...]
    """The yardstick and the unit of margins, where there are any."""
    outcome: Callable[[Block], str]
    """The result of the last block, at the end of a sentence."""
    players: Callable[[str], list[str]]
    """Players with the network of a path, as lines of a tournament file."""
    trial: Callable[[Path, Network, str], NetworkTrial] | None
    """The tests of the network in a folder, with how to have it tested; None where only
    `arena sprt` tests it. Raises UserError."""


def learns_by_td(file: Path) -> bool:
    """Whether a tuning file is one for a training. Raises `arena.files.toml.FileError`."""
    return table(read_file(file)[1], "tuning").get("method") == "td"


def load_training(file: Path) -> TrainingKind[Any]:
    """The training that a file describes. Raises `arena.files.toml.FileError`."""
    _, data = read_file(file)
    rules = table(data, "game").get("rules")
    if rules in rule_sets.tiles.NAMES and "tuning" in data:
        raise UserError(
            f"{file}: {rules} is learned by `arena train`, from a file with [training] in place of "
            "[tuning] and its method. What was learned is tested against the default network by: "
            f"arena sprt expectimax expectimax --rules {rules} --a-option weights=NETWORK.ntuple "
            "--a-option depth=1 --b-option depth=1"
        )
    if rules in BOARD_GAMES or "tuning" in data:
        return _game_training(*load_learned(file))
    return _tile_training(tiles.load_config(file))


def _tile_training(config: TrainConfig) -> TrainingKind[TileBlock]:
    more = f", boards start at {config.initial:g}" if config.initial else ""
    more += f", on from {config.start}" if config.start else ""
    about = _about(config, f"{config.rules}, spawn {config.spawn}", more)
    return TrainingKind(
        config=config,
        about=about,
        open=partial(TileTrainer, config),
        view=TileBlockView(TileBoard(config.rules, config.spawn).values[1:]),
        against=(),
        outcome=lambda block: f"averaged {block.mean:,.0f}",
        players=lambda network: player_entry("expectimax", {"weights": network}),
        trial=None,
    )


def _game_training(
    config: GamesConfig, verification: Verification, asker: Asker
) -> TrainingKind[GameBlock]:
    unit = rule_sets.default(config.rules).unit
    yardstick = {
        "random": "random moves",
        "default": "the fitted evaluation at 1 ply",
        "classic": "the classic evaluation at 1 ply",
    }[config.yardstick]
    view = GameBlockView(yardstick, unit)
    about = _about(
        config, rule_sets.load(config.rules, **config.variant).title, f", ε {config.epsilon:g}"
    )
    return TrainingKind(
        config=config,
        about=about,
        open=partial(GamesTrainer, config),
        view=view,
        against=(yardstick, unit),
        outcome=lambda block: f"brought {view.figure(block)} of the points {view.measure}",
        players=lambda network: [
            *(*player_entry("alphabeta", {"evaluation": network}), ""),
            *player_entry("uct", {"leaf": "mixed", "evaluation": network}),
        ],
        trial=partial(NetworkTrial, config, verification, asker),
    )


def _about(config: TrainConfig | GamesConfig, game: str, more: str) -> str:
    """The learner and its method, as the literature writes it, in a line."""
    sizes = Counter(map(len, config.tuples))
    tuples = " and ".join(f"{count} of {size}" for size, count in sorted(sizes.items()))
    if len(sizes) > _SIZES:
        tuples = f"{len(config.tuples)} of {min(sizes)} to {max(sizes)}"
    stages = f", stages from {', '.join(map(str, config.stages))}" if config.stages else ""
    cells = "edges" if config.rules == "dots" else "cells"
    target = {
        "td0": "TD(0)",
        "td-lambda": f"TD({config.mix:g})"
        + ("" if config.steps == WHOLE_GAME else f", {config.steps} steps"),
        "n-step": f"{config.steps}-step TD",
        "monte-carlo": "Monte Carlo",
    }[config.target]
    rate = {"tc": "temporal coherence", "fixed": "fixed rate"}[config.rate]
    return (
        f"{game} · tuples: {tuples} {cells}{stages}{more} · {target} {config.updates}, {rate}, "
        f"alpha {config.alpha:g} · seed {config.seed}"
    )
