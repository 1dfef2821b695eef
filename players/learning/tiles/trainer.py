"""A training run: games in blocks, checkpoints, and the network they end with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from players.games.tiles.boards import TileBoard
from players.games.tiles.interface import CELLS
from players.learning.block_trainer import CHECKPOINT as CHECKPOINT
from players.learning.block_trainer import BlockTrainer
from players.learning.tiles import checkpoint
from players.learning.tiles.blocks import Block, block_of
from players.learning.tiles.checkpoint import Progress
from players.learning.tiles.config import TrainConfig
from players.learning.tiles.episodes import ROOM, learn, with_more_room
from players.ntuple.temporal import Rule, new_desk
from players.weights.network_file import Header


class Trainer(BlockTrainer[TrainConfig, Block]):
    """A run of 2048 or 2584."""

    def __init__(self, config: TrainConfig, folder: Path, progress: Progress) -> None:
        super().__init__(config, folder, progress)
        self._progress = progress
        self._board = TileBoard(config.rules, config.spawn)
        self._rule = Rule(
            np.float64(config.alpha),
            np.float64(config.mix),
            np.int64(config.steps),
            config.rate == "tc",
            config.updates == "forward",
        )
        self._desks = [new_desk(progress.memory.network, ROOM) for _ in range(config.threads)]

    @classmethod
    def open(cls, config: TrainConfig, folder: Path) -> Trainer:
        """A new run, or the one in `folder` where its checkpoint left off.

        Raises ValueError where that is damaged or was begun with other settings (more or fewer
        games, another name, and other checkpoints are no matter), and OSError.
        """
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / CHECKPOINT
        found = path.exists()
        return cls(
            config, folder, checkpoint.load(path, config) if found else checkpoint.begun(config)
        )

    def save(self) -> None:
        """Write the checkpoint, as a whole. Raises OSError."""
        path = self.folder / CHECKPOINT
        checkpoint.save(path, self._header(), self.config, self._progress)

    def _learn(self, thread: int, stop: Any) -> None:
        """One thread's games of the block."""
        board, memory, tally = self._board, self._progress.memory, self._progress.tally(thread)
        start = board.board([0] * CELLS)
        while learn(start, board.laws, memory, self._rule, tally, self._desks[thread], stop):
            self._desks[thread] = with_more_room(self._desks[thread])

    def _block_of(self, number: int, moves: int, seconds: float) -> Block:
        """What the games of the block came to."""
        progress = self._progress
        return block_of(number, progress.scores, progress.tops, moves, seconds, self._board.values)

    def _header(self) -> Header:
        """What the files of the run tell."""
        blocks = self.blocks
        scores = {"mean": blocks[-1].mean, "best": blocks[-1].best} if blocks else {}
        about = f"Learned from {self.played} games with itself by `arena train`."
        update = {"games": self.played, "scores": scores, "about": about}
        return self.config.header().model_copy(update=update)
