"""What training runs of all games share: games in blocks on threads, stopped and gone on with."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from players.ntuple.network import Network
from players.ntuple.temporal import Memory
from players.weights.network_file import Header, save_network

CHECKPOINT = "checkpoint.ntuple"
"""The file in a run's folder that it goes on from."""


class Size(Protocol):
    """What is asked of a run's configuration."""

    @property
    def games(self) -> int:
        """How many games to learn from."""

    @property
    def block(self) -> int:
        """The games of a block."""

    @property
    def threads(self) -> int:
        """Games at once."""


_Block = TypeVar("_Block")
_Size = TypeVar("_Size", bound=Size)


class Progress(Protocol[_Block]):
    """What is asked of how far a run is. Arrays are written by the kernels alone."""

    memory: Memory
    counts: Any
    """int64[2·threads]: for each thread the games of the current block and their moves."""
    blocks: list[_Block]
    """The blocks that are complete."""
    seconds: float
    """How long the current block has taken so far."""


class BlockTrainer(ABC, Generic[_Size, _Block]):
    """A run in a folder of its own.

    `run_block` is called until it returns None, and `save` between two calls. `finished` tells
    whether all games are played.
    """

    def __init__(self, config: _Size, folder: Path, progress: Progress[_Block]) -> None:
        self.config = config
        self.folder = folder
        self._run = progress
        self._stop = np.zeros(1, np.int64)

    @property
    def blocks(self) -> tuple[_Block, ...]:
        """The blocks so far, those before the checkpoint too."""
        return tuple(self._run.blocks)

    @property
    def finished(self) -> bool:
        """Whether all games are played."""
        return len(self._run.blocks) * self.config.block >= self.config.games

    @property
    def played(self) -> int:
        """The games learned from so far."""
        return len(self._run.blocks) * self.config.block + int(self._run.counts[::2].sum())

    @property
    def network(self) -> Network:
        """What was learned so far."""
        network: Network = self._run.memory.network
        return network

    def interrupt(self) -> None:
        """Let `run_block` return once each thread has ended its game, and from then on at once.
        May be called at any time, by a signal's handler too.
        """
        self._stop[0] = 1

    def load_kernels(self) -> None:
        """Load the kernels or compile them, so that no block's time has it."""
        self._learn(0, np.ones(1, np.int64))  # stopped before it begins

    def run_block(self) -> _Block | None:
        """Play the rest of the current block. None when that was interrupted, or all is played.

        After an interruption, KeyboardInterrupt among them, the part that was played counts: it is
        in the next checkpoint, and the block goes on from there.
        """
        if self.finished:
            return None
        self.load_kernels()
        run, began = self._run, time.monotonic()
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
                run.seconds += time.monotonic() - began
        if run.counts[::2].sum() < self.config.block:
            return None
        block = self._block_of(len(run.blocks) + 1, int(run.counts[1::2].sum()), run.seconds)
        run.blocks.append(block)
        run.counts[:], run.seconds = 0, 0.0
        return block

    @abstractmethod
    def save(self) -> None:
        """Write the checkpoint, as a whole. Raises OSError."""

    def write_network(self, path: Path, found: Mapping[str, Any] | None = None) -> None:
        """Write the network alone, as a whole; `found` are fields of its header. Raises OSError."""
        header = self._header().model_copy(update=dict(found or {}))
        save_network(path, header, self.network)

    @abstractmethod
    def _learn(self, thread: int, stop: Any) -> None:
        """One thread's games of the block."""

    @abstractmethod
    def _block_of(self, number: int, moves: int, seconds: float) -> _Block:
        """What the games of the block came to."""

    @abstractmethod
    def _header(self) -> Header:
        """What the files of the run tell."""
