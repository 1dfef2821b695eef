"""All that a training run goes on from, in memory and in a file.

The file is a network file with the arrays named here behind the weights: a player can use it as it
is, and with one thread a run that goes on from it ends as one that was never stopped.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from arena.toml.tables import shown
from players.learning.tiles.blocks import Block
from players.learning.tiles.config import TrainConfig
from players.learning.tiles.episodes import Memory, Tally
from players.weights.network_file import Header, load_network, save_network
from players.weights.network_header import network_of

PROGRESS = "progress"
"""JSON as bytes: the settings, the blocks so far, and the seconds of the one begun."""
TALLIES = ("random", "counts", "scores", "tops")
SUMS = ("errors", "sizes")


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
    network = network_of(config.header())
    sums = len(network.weights) if config.rate == "tc" else 1
    streams = [Random(f"{config.seed} {each}").getrandbits(64) for each in range(config.threads)]
    return Progress(
        Memory(network, np.zeros(sums, np.float32), np.zeros(sums, np.float32)),
        np.array(streams, np.uint64),
        np.zeros(2 * config.threads, np.int64),
        np.zeros(config.block, np.uint64),
        np.zeros(config.block, np.uint64),
    )


def save(path: Path, header: Header, config: TrainConfig, progress: Progress) -> None:
    """Write a checkpoint, as a whole. Raises OSError."""
    record = {
        "settings": config.settings(),
        "blocks": [block.record() for block in progress.blocks],
        "seconds": progress.seconds,
    }
    arrays = {name: getattr(progress, name) for name in TALLIES}
    arrays |= {name: getattr(progress.memory, name) for name in SUMS}
    arrays[PROGRESS] = np.frombuffer(json.dumps(record).encode(), np.uint8)
    save_network(path, header, progress.memory.network, arrays)


def load(path: Path, config: TrainConfig) -> Progress:
    """The run in a checkpoint. Raises ValueError for a damaged file, and for one of another
    configuration, with the difference.
    """
    loaded = load_network(str(path), config.rules, (*TALLIES, *SUMS, PROGRESS))
    record = json.loads(loaded.extra[PROGRESS].tobytes())
    was, now = record["settings"], json.loads(json.dumps(config.settings()))
    changed = [
        f"{key} = {shown(was.get(key))}, not {shown(now[key])}"
        for key in now
        if was.get(key) != now[key]
    ]
    if changed:
        raise ValueError(
            f"{path} was begun with {'; '.join(changed)}: write that again to go on, or give the "
            "run another name to begin anew"
        )
    memory = Memory(loaded.network, *(loaded.extra[name] for name in SUMS))
    blocks = [Block.of_record(block) for block in record["blocks"]]
    random, counts, scores, tops = (loaded.extra[name] for name in TALLIES)
    return Progress(memory, random, counts, scores, tops, blocks, record["seconds"])
