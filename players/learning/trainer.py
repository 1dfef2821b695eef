"""What training runs of all games share: games in blocks on threads, and checkpoints to go on from.

A checkpoint is a network file with arrays behind the weights: a player can use it as it is, and
with one thread a run that goes on from it ends as one that was never stopped.
"""

import json
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, ClassVar, Generic, Self, TypeVar

import numpy as np

from arena.files.toml_tables import shown
from players.learning.training_file import Training
from players.ntuple.network import Network
from players.ntuple.temporal import Memory, Rule
from players.search.types import Array, Flag
from players.weights.network_file import Header, load_network, save_network
from players.weights.network_header import network_of

CHECKPOINT = "checkpoint.ntuple"
"""The file in a run's folder that it goes on from."""
PROGRESS = "progress"
"""JSON as bytes: the settings, the blocks so far, and the seconds of the one begun."""
SUMS = ("errors", "sizes")

_Block = TypeVar("_Block")
_Config = TypeVar("_Config", bound=Training)


@dataclass
class TrainingRun(Generic[_Block]):
    """How far a run is: all that it goes on from."""

    memory: Memory
    arrays: dict[str, Array]
    """Written by the kernels alone. `random`, uint64[threads]: the state of each thread's random
    numbers. `counts`, int64[2·threads]: for each thread the games of the current block and their
    moves. Others are the game's."""
    blocks: list[_Block] = field(default_factory=list)
    """The blocks that are complete."""
    seconds: float = 0.0
    """How long the current block has taken so far."""


class BlockTrainer(ABC, Generic[_Config, _Block]):
    """A run in a folder of its own.

    `run_block` is called until it returns None, and `save` between two calls. `finished` tells
    whether all games are played.
    """

    block_arrays: ClassVar[tuple[str, ...]] = ()
    """Arrays of a run besides those of every game: uint64[block], a part for each thread."""

    def __init__(self, config: _Config, folder: Path, run: TrainingRun[_Block]) -> None:
        self.config = config
        self.folder = folder
        self._run = run
        self._stop = np.zeros(1, np.int64)
        self._rule = Rule(
            np.float64(config.alpha),
            np.float64(config.mix),
            np.int64(config.steps),
            config.rate == "tc",
            config.updates == "forward",
        )

    @classmethod
    def open(cls, config: _Config, folder: Path) -> Self:
        """A new run, or the one in `folder` where its checkpoint left off.

        Raises ValueError where that is damaged or was begun with other settings (more or fewer
        games, another name, and other checkpoints are no matter), and OSError.
        """
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / CHECKPOINT
        return cls(config, folder, cls._read(path, config) if path.exists() else cls.begun(config))

    @classmethod
    def begun(cls, config: _Config) -> TrainingRun[_Block]:
        """A run that has not played yet. Each thread draws from a stream of its own."""
        network = network_of(config.header())
        sums = len(network.weights) if config.rate == "tc" else 1
        threads = range(config.threads)
        streams = [Random(f"{config.seed} {each}").getrandbits(64) for each in threads]
        arrays: dict[str, Array] = {
            "random": np.array(streams, np.uint64),
            "counts": np.zeros(2 * config.threads, np.int64),
        }
        arrays |= {name: np.zeros(config.block, np.uint64) for name in cls.block_arrays}
        memory = Memory(network, np.zeros(sums, np.float32), np.zeros(sums, np.float32))
        return TrainingRun(memory, arrays)

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
        counts = self._run.arrays["counts"]
        return len(self._run.blocks) * self.config.block + int(counts[::2].sum())

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
        run, counts, began = self._run, self._run.arrays["counts"], time.monotonic()
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
        if counts[::2].sum() < self.config.block:
            return None
        block = self._block_of(len(run.blocks) + 1, int(counts[1::2].sum()), run.seconds)
        run.blocks.append(block)
        counts[:], run.seconds = 0, 0.0
        return block

    def save(self) -> None:
        """Write the checkpoint, as a whole. Raises OSError."""
        run = self._run
        blocks = [self._record(block) for block in run.blocks]
        settings = self.config.settings()
        record = {"settings": settings, "blocks": blocks, "seconds": run.seconds}
        arrays = {**run.arrays, **{name: getattr(run.memory, name) for name in SUMS}}
        arrays[PROGRESS] = np.frombuffer(json.dumps(record).encode(), np.uint8)
        save_network(self.folder / CHECKPOINT, self._header(), self.network, arrays)

    @classmethod
    def _read(cls, path: Path, config: _Config) -> TrainingRun[_Block]:
        """The run in a checkpoint. Raises ValueError for a damaged file, and for one of another
        configuration, with the difference.
        """
        names = ("random", "counts", *cls.block_arrays)
        try:
            loaded = load_network(str(path), config.rules, (*names, *SUMS, PROGRESS))
        except ValueError as error:
            raise ValueError(f"{error}. To begin again, move it away") from error
        record = json.loads(loaded.extra[PROGRESS].tobytes())
        was, now = record["settings"], json.loads(json.dumps(config.settings()))
        changed = [
            f"{key} = {shown(was.get(key))}, not {shown(now[key])}"
            for key in now
            if was.get(key) != now[key]
        ]
        if changed:
            raise ValueError(
                f"{path} was begun with {'; '.join(changed)}: write that again to go on, or give "
                "the run another name to begin again"
            )
        memory = Memory(loaded.network, *(loaded.extra[name] for name in SUMS))
        arrays = {name: loaded.extra[name] for name in names}
        blocks = [cls._of_record(block) for block in record["blocks"]]
        return TrainingRun(memory, arrays, blocks, record["seconds"])

    def write_network(self, path: Path, found: Mapping[str, Any] | None = None) -> None:
        """Write the network alone, as a whole; `found` are fields of its header. Raises OSError."""
        header = self._header().model_copy(update=dict(found or {}))
        save_network(path, header, self.network)

    def _header(self) -> Header:
        """What the files of the run tell."""
        about = f"Learned from {self.played} games with itself by `arena train`."
        scores = self._scores(self._run.blocks[-1]) if self._run.blocks else {}
        update = {"games": self.played, "scores": scores, "about": about}
        return self.config.header().model_copy(update=update)

    def _counted(self, thread: int) -> tuple[Array, Array, slice]:
        """(a thread's random numbers, its counts, its games of the block)."""
        config, arrays = self.config, self._run.arrays
        first, end = (config.block * each // config.threads for each in (thread, thread + 1))
        random, counts = arrays["random"][thread : thread + 1], arrays["counts"]
        return random, counts[2 * thread : 2 * thread + 2], slice(first, end)

    @abstractmethod
    def _learn(self, thread: int, stop: Flag) -> None:
        """One thread's games of the block."""

    @abstractmethod
    def _block_of(self, number: int, moves: int, seconds: float) -> _Block:
        """What the games of the block came to."""

    @abstractmethod
    def _record(self, block: _Block) -> dict[str, Any]:
        """A block as JSON has it."""

    @classmethod
    @abstractmethod
    def _of_record(cls, record: dict[str, Any]) -> _Block:
        """The block of a record that went through JSON."""

    @abstractmethod
    def _scores(self, block: _Block) -> dict[str, float]:
        """What a network's file tells of the last block."""
