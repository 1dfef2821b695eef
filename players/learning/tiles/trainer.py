"""A training run: games in blocks, checkpoints, and the network they end with."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from players.kernels.tile_boards import TileBoard
from players.kernels.tiles import CELLS
from players.learning.tiles import checkpoint
from players.learning.tiles.blocks import Block, block_of
from players.learning.tiles.checkpoint import Progress
from players.learning.tiles.config import TrainConfig
from players.learning.tiles.episodes import Rule, learn, new_desk, with_more_room
from players.weights.network_file import Header, save_network

CHECKPOINT = "checkpoint.ntuple"
"""The file in a run's folder that it goes on from."""


class Trainer:
    """A run in a folder of its own.

    `run_block` is called until it returns None, and `save` between two calls. `finished` tells
    whether all games are played.
    """

    def __init__(self, config: TrainConfig, folder: Path, progress: Progress) -> None:
        self.config = config
        self.folder = folder
        self._progress = progress
        self._board = TileBoard(config.rules, config.spawn)
        self._rule = Rule(
            np.float64(config.alpha),
            np.float64(config.mix),
            np.int64(config.steps),
            config.rate == "tc",
            config.updates == "forward",
        )
        self._desks = [new_desk(progress.memory.network) for _ in range(config.threads)]
        self._stop = np.zeros(1, np.int64)

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

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks so far, those before the checkpoint too."""
        return tuple(self._progress.blocks)

    @property
    def finished(self) -> bool:
        """Whether all games are played."""
        return len(self._progress.blocks) * self.config.block >= self.config.games

    def interrupt(self) -> None:
        """Let `run_block` return once each thread has ended its game, and from then on at once.
        May be called at any time, by a signal's handler too.
        """
        self._stop[0] = 1

    def load_kernels(self) -> None:
        """Load the kernels or compile them, so that no block's time has it."""
        self._learn(0, np.ones(1, np.int64))  # stopped before it begins

    def run_block(self) -> Block | None:
        """Play the rest of the current block. None when that was interrupted, or all is played.

        After an interruption, KeyboardInterrupt among them, the part that was played counts: it is
        in the next checkpoint, and the block goes on from there.
        """
        if self.finished:
            return None
        self.load_kernels()
        progress, began = self._progress, time.monotonic()
        with ThreadPoolExecutor(self.config.threads) as pool:
            try:
                games = [
                    pool.submit(self._learn, each, self._stop)
                    for each in range(self.config.threads)
                ]
                for thread in games:
                    thread.result()
            except BaseException:
                self.interrupt()  # or the pool would wait for the whole block
                raise
            finally:
                progress.seconds += time.monotonic() - began
        if progress.counts[::2].sum() < self.config.block:
            return None
        block = block_of(
            len(progress.blocks) + 1,
            progress.scores,
            progress.tops,
            int(progress.counts[1::2].sum()),
            progress.seconds,
            self._board.values,
        )
        progress.blocks.append(block)
        progress.counts[:], progress.seconds = 0, 0.0
        return block

    def save(self) -> None:
        """Write the checkpoint, as a whole. Raises OSError."""
        path = self.folder / CHECKPOINT
        checkpoint.save(path, self._header(), self.config, self._progress)

    def write_network(self, path: Path) -> None:
        """Write the network alone, as a whole. Raises OSError."""
        save_network(path, self._header(), self._progress.memory.network)

    def _learn(self, thread: int, stop: Any) -> None:
        """One thread's games of the block."""
        board, memory, tally = self._board, self._progress.memory, self._progress.tally(thread)
        start = board.board([0] * CELLS)
        while learn(start, board.laws, memory, self._rule, tally, self._desks[thread], stop):
            self._desks[thread] = with_more_room(self._desks[thread])

    def _header(self) -> Header:
        """What the files of the run tell."""
        blocks, config = self._progress.blocks, self.config
        scores = {"mean": blocks[-1].mean, "best": blocks[-1].best} if blocks else {}
        games = len(blocks) * config.block + int(self._progress.counts[::2].sum())
        about = f"Learned from {games} games with itself by `arena train`."
        update = {"games": games, "scores": scores, "about": about}
        return config.header().model_copy(update=update)
