"""How far a run of a tile game is, in memory and in a file."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from players.learning import checkpoints
from players.learning.checkpoints import (
    SUMS as SUMS,
)  # beside TALLIES: all of a checkpoint's arrays
from players.learning.tiles.blocks import Block
from players.learning.tiles.config import TrainConfig
from players.learning.tiles.episodes import Tally
from players.ntuple.temporal import Memory
from players.weights.network_file import Header

TALLIES = ("random", "counts", "scores", "tops")


@dataclass
class Progress:
    """How far a run is. The arrays are written by the kernels alone."""

    memory: Memory
    random: Any
    """uint64[threads]: the state of each thread's random numbers."""
    counts: Any
    """int64[2·threads]: for each thread the games of the current block and their moves."""
    scores: Any
    """uint64[block]: the scores of the current block, a part for each thread."""
    tops: Any
    """uint64[block]: the indices of its largest tiles."""
    blocks: list[Block] = field(default_factory=list)
    """The blocks that are complete."""
    seconds: float = 0.0
    """How long the current block has taken so far."""

    def tally(self, thread: int) -> Tally:
        """The part of one thread, as views."""
        threads, block = len(self.random), len(self.scores)
        games = slice(block * thread // threads, block * (thread + 1) // threads)
        return Tally(
            self.random[thread : thread + 1],
            self.counts[2 * thread : 2 * thread + 2],
            self.scores[games],
            self.tops[games],
        )


def begun(config: TrainConfig) -> Progress:
    """A run that has not played yet. Each thread draws from a stream of its own."""
    streams = [Random(f"{config.seed} {each}").getrandbits(64) for each in range(config.threads)]
    return Progress(
        checkpoints.new_memory(config.header(), coherent=config.rate == "tc"),
        np.array(streams, np.uint64),
        np.zeros(2 * config.threads, np.int64),
        np.zeros(config.block, np.uint64),
        np.zeros(config.block, np.uint64),
    )


def save(path: Path, header: Header, config: TrainConfig, progress: Progress) -> None:
    """Write a checkpoint, as a whole. Raises OSError."""
    arrays = {name: getattr(progress, name) for name in TALLIES}
    blocks = [block.record() for block in progress.blocks]
    found = checkpoints.Found(progress.memory, arrays, blocks, progress.seconds)
    checkpoints.write(path, header, config.settings(), found)


def load(path: Path, config: TrainConfig) -> Progress:
    """The run in a checkpoint. Raises ValueError for a damaged file, and for one of another
    configuration, with the difference.
    """
    found = checkpoints.read(path, config.rules, config.settings(), TALLIES)
    blocks = [Block.of_record(block) for block in found.blocks]
    random, counts, scores, tops = (found.arrays[name] for name in TALLIES)
    return Progress(found.memory, random, counts, scores, tops, blocks, found.seconds)
