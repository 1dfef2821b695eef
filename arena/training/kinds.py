"""What `arena train` learns: the trainings of each kind of game, and how they are told."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import rules as rule_sets
from arena.errors import UserError
from arena.files.toml import read_file
from arena.training.game_train_view import GameLook
from arena.training.train_view import Look, TileLook, Timed
from arena.training.verify_config import Asker, Verification, load_learned
from players.games.tiles.boards import TileBoard
from players.learning.block_trainer import BlockTrainer
from players.learning.games.config import GamesConfig
from players.learning.games.trainer import Block as GameBlock
from players.learning.games.trainer import GamesTrainer
from players.learning.tiles import config as tiles
from players.learning.tiles.blocks import Block as TileBlock
from players.learning.tiles.config import TrainConfig
from players.learning.tiles.trainer import Trainer
from players.ntuple.network import Network
from players.ntuple.temporal import WHOLE_GAME
from players.weights.board_tuples import BOARD_GAMES
from rules.othello import PRESETS

if TYPE_CHECKING:
    from arena.training.verify_learned import NetworkTrial

_SIZES = 2
"""Of more sizes of tuples the smallest and the largest are told."""

_Block = TypeVar("_Block", bound=Timed)

Draw = Callable[[Path, Sequence[_Block], str, str], None]
"""Draws the blocks' curve to a folder, with a title and a line about what learns."""


class Settings(Protocol):
    """What every training's configuration has."""

    @property
    def name(self) -> str: ...
    @property
    def games(self) -> int: ...
    @property
    def checkpoint_every(self) -> int: ...


@dataclass(frozen=True)
class Course(Generic[_Block]):
    """A training of one kind of game."""

    config: Settings
    about: str
    """What learns, and how, in a line."""
    open: Callable[[Path], BlockTrainer[Any, _Block]]
    """The trainer of a run in a folder. Raises ValueError and OSError."""
    look: Look[_Block]
    draw: Callable[[], Draw[_Block]]
    """Loads what draws the curve, which takes a second."""
    outcome: Callable[[_Block], str]
    """What the last block came to, at the end of a sentence."""
    players: Callable[[str], list[str]]
    """Players with the network of a path, as lines of a tournament file."""
    trial: Callable[[Path, Network, str], NetworkTrial] | None
    """The tests of the network in a folder, with how to have it tested; None where `arena sprt`
    alone tests it. Raises UserError."""


def learns_by_td(file: Path) -> bool:
    """Whether a tuning file is one for a training. Raises `arena.files.toml.FileError`."""
    _, data = read_file(file)
    table = data.get("tuning")
    return isinstance(table, Mapping) and table.get("method") == "td"


def load_course(file: Path) -> Course[Any]:
    """The training that a file describes. Raises `arena.files.toml.FileError`."""
    _, data = read_file(file)
    table = data.get("game")
    rules = table.get("rules") if isinstance(table, Mapping) else None
    if rules in rule_sets.tiles.NAMES and "tuning" in data:
        raise UserError(
            f"{file}: {rules} is learned by `arena train`, from a file with [training] in place of "
            "[tuning] and its method. What was learned is tested against the default network by: "
            f"arena sprt expectimax expectimax --rules {rules} --a-option weights=NETWORK.ntuple "
            "--a-option depth=1 --b-option depth=1"
        )
    if rules in BOARD_GAMES or "tuning" in data:
        return game_course(*load_learned(file))
    return tile_course(tiles.load_config(file))


def tile_course(config: TrainConfig) -> Course[TileBlock]:
    """A training for 2048 or 2584."""

    def draw() -> Draw[TileBlock]:
        from players.learning.curve import save_curve

        return save_curve

    start = f", boards start at {config.initial:g}" if config.initial else ""
    return Course(
        config,
        _about(config, f"{config.rules}, spawn {config.spawn}", start),
        lambda folder: Trainer.open(config, folder),
        TileLook(TileBoard(config.rules, config.spawn).values[1:]),
        draw,
        lambda block: f"averaged {block.mean:,.0f}",
        lambda network: ["[[player]]", 'bot = "expectimax"', _options("weights", network)],
        None,
    )


def game_course(config: GamesConfig, verification: Verification, asker: Asker) -> Course[GameBlock]:
    """A training for Othello or dots, and how what it learns is tested."""
    unit = rule_sets.default(config.rules).unit
    yardstick = {"random": "random moves", "default": "the fitted evaluation"}.get(
        config.yardstick, f"the {config.yardstick} evaluation"
    )
    if config.yardstick != "random":
        yardstick += " at 1 ply"
    look = GameLook(yardstick, unit)

    def draw() -> Draw[GameBlock]:
        from players.learning.game_curve import save_curve

        def save(folder: Path, blocks: Sequence[GameBlock], title: str, about: str) -> None:
            save_curve(folder, blocks, title, about, yardstick, unit)

        return save

    def players(network: str) -> list[str]:
        return [
            *("[[player]]", 'bot = "alphabeta"', _options("evaluation", network), ""),
            *("[[player]]", 'bot = "uct"', _options('leaf = "mixed", evaluation', network)),
        ]

    def trial(folder: Path, network: Network, test: str) -> NetworkTrial:
        from arena.training.verify_learned import NetworkTrial  # what plays takes a second to load

        return NetworkTrial(config, verification, asker, folder, network, test)

    return Course(
        config,
        _about(config, _board(config), f", ε {config.epsilon:g}"),
        lambda folder: GamesTrainer.open(config, folder),
        look,
        draw,
        lambda block: f"brought {look.figure(block)} of the points {look.measure}",
        players,
        trial,
    )


def _options(before: str, network: str) -> str:
    return f"options = {{ {before} = {json.dumps(network, ensure_ascii=False)} }}"


def _about(config: TrainConfig | GamesConfig, game: str, more: str) -> str:
    sizes = Counter(map(len, config.tuples))
    tuples = " and ".join(f"{count} of {size}" for size, count in sorted(sizes.items()))
    if len(sizes) > _SIZES:
        tuples = f"{len(config.tuples)} of {min(sizes)} to {max(sizes)}"
    starts = ", ".join(map(str, config.stages))
    stages = f", stages from {starts}" if starts else ""
    cells = "edges" if config.rules == "dots" else "cells"
    return " · ".join(
        (
            game,
            f"tuples: {tuples} {cells}{stages}{more}",
            f"{_target(config)} {config.updates}, {_rate(config)}",
            f"seed {config.seed}",
        )
    )


def _board(config: GamesConfig) -> str:
    """The game as people call it."""
    variant = config.variant
    if config.rules == "dots":
        return f"dots {variant['rows']}×{variant['cols']}"
    preset = next(
        (
            f" {name}"
            for name in PRESETS
            if rule_sets.load("othello", preset=name, size=variant["size"]).variant == variant
        ),
        "",
    )
    return f"othello {variant['size']}×{variant['size']}{preset}"


def _target(config: TrainConfig | GamesConfig) -> str:
    """What values are moved towards, as the literature writes it."""
    ahead = "" if config.steps == WHOLE_GAME else f", {config.steps} steps"
    return {
        "td0": "TD(0)",
        "td-lambda": f"TD({config.mix:g}){ahead}",
        "n-step": f"{config.steps}-step TD",
        "monte-carlo": "Monte Carlo",
    }[config.target]


def _rate(config: TrainConfig | GamesConfig) -> str:
    rate = {"tc": "temporal coherence", "fixed": "fixed rate"}[config.rate]
    return f"{rate}, alpha {config.alpha:g}"
