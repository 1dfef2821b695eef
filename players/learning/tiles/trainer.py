"""A training of 2048 or 2584: its file, and its run: games in blocks, the points of a curve."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from arena.files.toml_tables import TomlTable, shown
from players.games.tiles.boards import TileBoard
from players.games.tiles.interface import CELLS
from players.learning.tiles.episodes import ROOM, TileTally, learn, with_more_room
from players.learning.trainer import BlockTrainer
from players.learning.training_file import (
    LearningTable,
    NetworkTable,
    Rate,
    Training,
    TrainingReader,
    TrainingTable,
)
from players.ntuple.temporal import new_trajectory
from players.search.types import Array, Flag
from players.weights.board_tuples import BoardCells
from rules.tiles import SPAWNS


class TileGameTable(TomlTable):
    """`[game]`."""

    rules: Literal["2048", "2584"] | None = None
    spawn: str | None = None


class TileTrainingFile(TomlTable):
    """The whole file. What is required is asked for later, so that all problems come at once."""

    training: TrainingTable = TrainingTable()
    game: TileGameTable = TileGameTable()
    network: NetworkTable = NetworkTable()
    learning: LearningTable = LearningTable()


@dataclass(frozen=True, kw_only=True)
class TrainConfig(Training):
    """What to learn of 2048 or 2584, and how."""

    spawn: str
    board_key = "spawn"


class _TileReader(TrainingReader[TileTrainingFile, TrainConfig]):
    model = TileTrainingFile
    alphas: Mapping[Rate, float] = {"tc": 1.0, "fixed": 0.1}

    def config(self) -> TrainConfig:
        common, rules, spawn = self.common(), self.file.game.rules, self.file.game.spawn
        if rules is None:
            self.report(("game", "rules"), 'is missing: "2048" or "2584"')
            rules = "2048"
        known, cells = SPAWNS[rules], BoardCells(rules, {})
        if spawn is not None and spawn not in known:
            must_be = " or ".join(map(shown, known))
            self.report(("game", "spawn"), f"must be {must_be}, got {shown(spawn)}")
        return TrainConfig(
            **common,
            rules=rules,
            spawn=spawn or next(iter(known)),
            tuples=self.tuples(cells),
            stages=self.stages(cells),
        )


load_config = _TileReader.load


class TileBlock(NamedTuple):
    """What the games of a block came to."""

    number: int
    """Which one it is, from 1."""
    games: int
    """The games played so far, with those of this block."""
    mean: float
    best: int
    moves: int
    """How many slides there were."""
    seconds: float
    reached: dict[int, float]
    """For each tile the share of games that made it, or a larger one; from the smallest that was
    the largest of a game to the largest of all.
    """
    ended: dict[int, float]
    """For each of these tiles the share of games whose largest it was."""


def block_of(
    number: int, scores: Array, tops: Array, moves: int, seconds: float, values: Sequence[int]
) -> TileBlock:
    """The block of these games: the uint64 arrays of their scores and of the indices of their
    largest tiles in `values`.
    """
    ends = np.bincount(tops.astype(np.int64), minlength=len(values)) / len(tops)
    made = np.cumsum(ends[::-1])[::-1]
    seen = range(int(tops.min()), int(tops.max()) + 1)
    return TileBlock(
        number=number,
        games=number * len(scores),
        mean=float(scores.mean()),
        best=int(scores.max()),
        moves=moves,
        seconds=seconds,
        reached={values[tile]: round(float(made[tile]), 9) for tile in seen},
        ended={values[tile]: round(float(ends[tile]), 9) for tile in seen},
    )


class TileTrainer(BlockTrainer[TrainConfig, TileBlock]):
    """A run of 2048 or 2584. `scores` are those of the current block, `tops` the indices of its
    largest tiles.
    """

    block_type = TileBlock
    block_arrays = ("scores", "tops")

    def __init__(self, config: TrainConfig, folder: Path) -> None:
        super().__init__(config, folder)
        self._board = TileBoard(config.rules, config.spawn)
        self._trajectories = [new_trajectory(self._network, ROOM) for _ in range(config.threads)]

    def _learn(self, thread: int, stop: Flag) -> None:
        board, arrays = self._board, self._arrays
        random, counts, games = self._counted(thread)
        tally = TileTally(random, counts, arrays["scores"][games], arrays["tops"][games])
        start, network = board.board([0] * CELLS), self._network
        while learn(
            start, board.laws, network, self._rule, tally, self._trajectories[thread], stop
        ):
            self._trajectories[thread] = with_more_room(self._trajectories[thread])

    def _block_of(self, number: int, moves: int, seconds: float) -> TileBlock:
        scores, tops = (self._arrays[name] for name in self.block_arrays)
        return block_of(number, scores, tops, moves, seconds, self._board.values)

    def _scores(self, block: TileBlock) -> dict[str, float]:
        return {"mean": block.mean, "best": block.best}
