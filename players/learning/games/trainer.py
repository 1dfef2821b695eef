"""A training of Othello or dots: its file and its run, in blocks with games against a yardstick."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Literal, NamedTuple

import numpy as np
from pydantic import Field

import rules as rule_sets
from arena.files.toml_tables import TomlTable, shown
from players.catalogue import BUILTINS
from players.games import interface as game
from players.games.registry import load_board
from players.learning.games.episodes import GameTally, Habits, compare, learn
from players.learning.trainer import BlockTrainer
from players.learning.training_file import (
    METHOD,
    GameTable,
    LearningTable,
    NetworkTable,
    Rate,
    Training,
    TrainingReader,
    TrainingTable,
)
from players.ntuple.temporal import new_trajectory
from players.search.types import Array, Flag
from players.weights.board_tuples import BOARD_GAMES, BoardCells
from players.weights.evaluations import load_terms

Yardstick = Literal["default", "classic", "random"]


class GamesTable(TrainingTable):
    """`[training]`, or `[tuning]` with `method = "td"`."""

    games: int = Field(default=1_000_000, ge=1, le=10**10)
    block: int = Field(default=20_000, ge=1, le=10**7)
    yardstick: Yardstick = "default"
    """The opponent of the network after each block, at 1 ply: an evaluation included, or chance."""
    yardstick_games: int = Field(default=200, ge=2, le=10**6, multiple_of=2)


class TdTable(GamesTable):
    method: Literal["td"] = "td"


class BoardGameTable(GameTable):
    rules: Literal["othello", "dots"] | None = None


class GamesLearningTable(LearningTable):
    plies: int = Field(default=6, ge=0, le=100)
    """Random moves at the start of a game."""
    epsilon: float = Field(default=0.05, ge=0, le=1)
    """How often a later move is random."""


class GamesTrainingFile(TomlTable):
    """The whole file. What is required is asked for later, so that all problems come at once."""

    training: GamesTable = GamesTable()
    tuning: TdTable = TdTable()
    game: BoardGameTable = BoardGameTable()
    network: NetworkTable = NetworkTable()
    learning: GamesLearningTable = GamesLearningTable()
    verify: dict[str, Any] = Field(default_factory=dict)
    """Read by `arena.training.verify_config`."""


@dataclass(frozen=True, kw_only=True)
class GamesConfig(Training):
    """The configuration of a training for Othello or dots."""

    yardstick: Yardstick
    yardstick_games: int
    variant: dict[str, Any]
    """The settings of the rule set, complete."""
    plies: int
    epsilon: float
    board_key = "variant"
    method_keys = (*METHOD, "plies", "epsilon")


class _GamesReader(TrainingReader[GamesTrainingFile, GamesConfig]):
    model = GamesTrainingFile
    alphas: Mapping[Rate, float] = {"tc": 0.2, "fixed": 0.02}  # results of equals are mostly chance

    def __init__(self, data: dict[str, Any], path: Path) -> None:
        self.head = "tuning" if "tuning" in data else "training"
        super().__init__(data, path)

    def config(self) -> GamesConfig | None:
        if {"tuning", "training"} <= self._data.keys():
            self.report(
                ("training",), 'there is [tuning] with method = "td" already; leave one out'
            )
        common, rules = self.common(), self._rules()
        if rules is None:
            return None
        variant = dict(rules.variant)
        try:
            reason = BUILTINS["alphabeta"].unsupported(rules.name, variant)
            if reason is not None:
                raise ValueError(reason)
            cells = BoardCells(rules.name, variant)
        except ValueError as error:
            self.report(("game",), str(error))
            return None
        return GamesConfig(
            **common,
            rules=rules.name,
            variant=variant,
            tuples=self.tuples(cells),
            stages=self.stages(cells),
        )

    def _rules(self) -> rule_sets.Game | None:
        """The game; None where it is not known which board is meant."""
        rules = self.game(self.file.game, " or ".join(map(shown, BOARD_GAMES)))
        wrong = {finding.path for finding in self.findings}
        return None if rules and any(("game", key) in wrong for key in rules.variant) else rules


load_config = _GamesReader.load


class GameBlock(NamedTuple):
    """The results of the games of a block: a point of the learning curve."""

    number: int
    """Which one it is, from 1."""
    games: int
    """The games learned from so far, with those of this block."""
    score: float
    """The share of points that the network then took of the yardstick, 0 to 1."""
    margin: float
    """By how much it won these games, on average."""
    moves: int
    seconds: float


class GamesTrainer(BlockTrainer[GamesConfig, GameBlock]):
    block_type = GameBlock

    def __init__(self, config: GamesConfig, folder: Path) -> None:
        super().__init__(config, folder)
        rule_set = rule_sets.load(config.rules, **config.variant)
        board = load_board(config.rules, config.variant)
        self._start = board.position(rule_set.start().state())
        self._habits = Habits(np.int64(config.plies), np.float64(config.epsilon))
        threads = range(config.threads)
        self._trajectories = [new_trajectory(self._network, game.PLIES) for _ in threads]
        self._moves = [np.zeros(game.MOVES, np.int16) for _ in threads]
        self._greedy = config.yardstick != "random"
        name = config.yardstick if self._greedy else "default"
        self._terms = load_terms(config.rules, config.variant, name)

    def load_kernels(self) -> None:
        super().load_kernels()
        self._compare(0)

    def _learn(self, thread: int, stop: Flag) -> None:
        random, counts, games = self._counted(thread)
        tally = GameTally(random, counts, np.int64(games.stop - games.start))
        own = (self._habits, tally, self._trajectories[thread], self._moves[thread])
        learn(self._start, self._network, self._rule, *own, stop)

    def _compare(self, pairs: int) -> Array:
        """The network's points and margin against the yardstick, on the same openings each time."""
        sums = np.zeros(2)
        random = np.array([Random(f"{self.config.seed} yardstick").getrandbits(64)], np.uint64)
        players = (self._network, self._terms, self._greedy, self._habits)
        compare(self._start, *players, random, np.int64(pairs), self._moves[0], sums)
        return sums

    def _block_of(self, number: int, moves: int, seconds: float) -> GameBlock:
        games = self.config.yardstick_games
        points, margin = self._compare(games // 2) / games
        played = number * self.config.block
        return GameBlock(number, played, float(points), float(margin), moves, seconds)

    def _scores(self, block: GameBlock) -> dict[str, float]:
        return {f"against {self.config.yardstick} at 1 ply": block.score}
