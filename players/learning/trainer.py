"""The base of training runs of all games: games in blocks on threads, and checkpoints to go on
from.

A checkpoint is a network file with arrays behind the weights: a player can use it as it is, and
with one thread a run that goes on from it ends as one that was never stopped.
"""

import json
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from pydantic import TypeAdapter

from arena.errors import UserError
from arena.files.toml_tables import shown
from players.learning.own_folder import OwnFolder
from players.learning.training_file import Training, as_written
from players.ntuple.network import Network
from players.ntuple.temporal import ERROR, SIZE, Rule, with_sums
from players.search.types import Array, Flag
from players.weights.network_file import load_network, mean_network, save_network
from players.weights.network_header import Header, network_of

CHECKPOINT = "checkpoint.ntuple"
"""The file in a run's folder that it goes on from."""
AVERAGED = "averaged-*.ntuple"
"""Those of which the result is the mean, by the games learned from."""
PROGRESS = "progress"
"""JSON as bytes: the settings, the blocks so far, and the seconds of the one begun."""
SUMS = ("errors", "sizes")

_Block = TypeVar("_Block")
_Config = TypeVar("_Config", bound=Training)


class BlockTrainer(ABC, Generic[_Config, _Block]):
    """A run in a folder of its own: new, or going on where its checkpoint left off.

    `run_block` is called until it returns None, and `save` between two calls. `finished` shows
    whether all games are played.
    """

    block_type: type[_Block]
    block_arrays: ClassVar[tuple[str, ...]] = ()
    """Arrays of a run besides those of every game: uint64[block], a part for each thread."""

    def __init__(self, config: _Config, folder: Path) -> None:
        """Raises ValueError where a checkpoint is damaged or was begun with other settings (more or
        fewer games, another name, and other checkpoints are no matter), and OSError.
        """
        folder.mkdir(parents=True, exist_ok=True)
        self.config = config
        self._path, self._folder = folder / CHECKPOINT, OwnFolder(folder)
        self._blocks: list[_Block] = []
        """The complete blocks."""
        self._seconds = 0.0
        """How long the current block has taken so far."""
        self._learned_before = 0
        """The games that the network it began with had learned from."""
        self._arrays: dict[str, Array]
        """Written by the kernels alone. `random`, uint64[threads]: the state of each thread's
        random numbers, a stream of its own. `counts`, int64[2·threads]: for each thread the games
        of the current block and their moves. Others are the game's."""
        if self._path.exists():
            self._read()
        else:
            self._begin()
        for games, path in self._networks():
            if games > self.played:  # of what came after the checkpoint, and is lost with it
                path.unlink()
        self._stop = np.zeros(1, np.int64)
        self._rule = Rule(
            np.float64(config.alpha),
            np.float64(config.mix),
            np.int64(config.steps),
            config.rate == "tc",
            config.updates == "forward",
        )

    def _begin(self) -> None:
        config = self.config
        streams = [Random(f"{config.seed} {each}") for each in range(config.threads)]
        self._arrays = {
            "random": np.array([stream.getrandbits(64) for stream in streams], np.uint64),
            "counts": np.zeros(2 * config.threads, np.int64),
            **{name: np.zeros(config.block, np.uint64) for name in self.block_arrays},
        }
        self._network = self._new_network()

    def _new_network(self) -> Network:
        """The network of a new run; with its sums, where it learns by temporal coherence."""
        network = network_of(self.config.header())
        return with_sums(network) if self.config.rate == "tc" else network

    def _read(self) -> None:
        """Go on from the checkpoint."""
        names = ("random", "counts", *self.block_arrays)
        try:
            loaded = load_network(str(self._path), self.config.rules, (*names, *SUMS, PROGRESS))
        except ValueError as error:
            raise ValueError(f"{error}. To begin again, move it away") from error
        record = json.loads(loaded.extra[PROGRESS].tobytes())
        was = as_written(record["settings"])
        now = as_written(json.loads(json.dumps(self.config.settings())))
        changed = [
            f"{key} = {shown(was[key]) if key in was else 'none'}, "
            f"not {shown(now[key]) if key in now else 'none'}"
            for key in was | now
            if was.get(key) != now.get(key)
        ]
        if changed:
            raise ValueError(
                f"{self._path} was begun with {'; '.join(changed)}: write that again to continue, "
                "or give the run another name to begin again"
            )
        self._network = loaded.network
        if self.config.rate == "tc":
            self._network = with_sums(loaded.network, *(loaded.extra[name] for name in SUMS))
        self._arrays = {name: loaded.extra[name] for name in names}
        read = TypeAdapter(self.block_type).validate_python  # keys of JSON are texts, tiles are not
        self._blocks += map(read, record["blocks"])
        self._seconds = record["seconds"]
        self._learned_before = record.get("learned_before", 0)  # not in older checkpoints

    @property
    def blocks(self) -> tuple[_Block, ...]:
        """The blocks so far, those before the checkpoint too."""
        return tuple(self._blocks)

    @property
    def finished(self) -> bool:
        return len(self._blocks) * self.config.block >= self.config.games

    @property
    def played(self) -> int:
        """The games learned from so far."""
        counts = self._arrays["counts"]
        return len(self._blocks) * self.config.block + int(counts[::2].sum())

    @property
    def network(self) -> Network:
        """The network learned so far, without the sums of learning."""
        return self._bare._replace(weights=np.ascontiguousarray(self._noted(0)))

    @property
    def _bare(self) -> Network:
        """The same, seen in the memory of learning: large networks are in it once."""
        return self._network._replace(weights=self._noted(0), spread=np.uint64(0))

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
        counts, began, threads = self._arrays["counts"], time.monotonic(), self.config.threads
        with ThreadPoolExecutor(threads) as pool:
            try:
                for game in [pool.submit(self._learn, each, self._stop) for each in range(threads)]:
                    game.result()
            except BaseException:
                self.interrupt()  # or the pool would wait for the whole block
                raise
            finally:
                self._seconds += time.monotonic() - began
        if counts[::2].sum() < self.config.block:
            return None
        number = len(self._blocks) + 1
        block = self._block_of(number, int(counts[1::2].sum()), self._seconds)
        self._blocks.append(block)
        counts[:], self._seconds = 0, 0.0
        return block

    def save(self) -> None:
        """Write the checkpoint, as a whole; where one is due, first the network that the mean takes
        from it. Raises OSError, and UserError where weights are no numbers any more, or the folder
        is another.
        """
        self._folder.check()
        with np.errstate(invalid="ignore"):  # infinities of both signs
            total = np.sum(self._noted(0), dtype=np.float64)
        if not np.isfinite(total):
            raise UserError(
                f"{self._path.parent}: after {self.played:,} games the weights have grown beyond "
                "all numbers: begin again with a lower alpha, under another name"
            )
        blocks: list[Any] = self._blocks
        at_end = blocks and not self._arrays["counts"].any()  # of a block
        if at_end and (len(blocks) % self.config.checkpoint_every == 0 or self.finished):
            self._keep()
        record = {
            "settings": self.config.settings(),
            "blocks": [block._asdict() for block in blocks],
            "seconds": self._seconds,
            "learned_before": self._learned_before,
        }
        sums = [np.zeros(1, np.float32)] * len(SUMS)
        if self.config.rate == "tc":
            sums = [self._noted(int(each)) for each in (ERROR, SIZE)]
        arrays = {**self._arrays, **dict(zip(SUMS, sums, strict=True))}
        arrays[PROGRESS] = np.frombuffer(json.dumps(record).encode(), np.uint8)
        save_network(self._path, self._header(), self._bare, arrays)

    def _keep(self) -> None:
        """Write what was learned so far as one of the networks of which the result is the mean, if
        that is of several; those before the last ones go.
        """
        networks = self._networks()
        if self.config.average > 1:
            self.write_network(self._path.with_name(AVERAGED.replace("*", str(self.played))))
            networks = self._networks()[: -self.config.average]
        for _, path in networks:
            path.unlink()

    def result(self) -> Network:
        """The mean of the networks kept, else the last. Raises ValueError where one is damaged."""
        networks = self._averaged()
        return mean_network([str(path) for _, path in networks]) if networks else self.network

    @property
    def mean(self) -> str:
        """A sentence on the networks averaged in the result; empty where it is the last network."""
        if not (networks := self._averaged()):
            return ""
        return (
            f"The network is the mean of {len(networks)} checkpoints of the {self.config.average} "
            f"asked for, from {networks[0][0]:,} games on."
        )

    def _averaged(self) -> list[tuple[int, Path]]:
        return self._networks()[-self.config.average :] if self.config.average > 1 else []

    def _networks(self) -> list[tuple[int, Path]]:
        """Those networks by the games learned from."""
        found = ((path.stem.partition("-")[2], path) for path in self._path.parent.glob(AVERAGED))
        return sorted((int(games), path) for games, path in found if games.isdecimal())

    def write_network(
        self, path: Path, network: Network | None = None, fields: Mapping[str, Any] | None = None
    ) -> None:
        """Write a network of this run alone, as a whole, or what was learned so far; `fields` are
        some of its header. Raises OSError, and UserError where the folder is another.
        """
        self._folder.check()
        header = self._header()
        if network is not None:
            header = header.model_copy(update={"about": f"{header.about} {self.mean}".rstrip()})
        header = header.model_copy(update=dict(fields or {}))
        save_network(path, header, self._bare if network is None else network)

    def _noted(self, place: int) -> Array:
        """The weights, or the sums in that place next to each."""
        return self._network.weights[place :: 1 << int(self._network.spread)]

    def _header(self) -> Header:
        """The values of the files of the run."""
        games = self._learned_before + self.played
        about = f"Learned from {games} games with itself by `arena train`."
        scores = self._scores(self._blocks[-1]) if self._blocks else {}
        update = {"games": games, "scores": scores, "about": about}
        return self.config.header().model_copy(update=update)

    def _counted(self, thread: int) -> tuple[Array, Array, slice]:
        """(a thread's random numbers, its counts, its games of the block)."""
        config, arrays = self.config, self._arrays
        first, end = (config.block * each // config.threads for each in (thread, thread + 1))
        random, counts = arrays["random"][thread : thread + 1], arrays["counts"]
        return random, counts[2 * thread : 2 * thread + 2], slice(first, end)

    @abstractmethod
    def _learn(self, thread: int, stop: Flag) -> None:
        """One thread's games of the block."""

    @abstractmethod
    def _block_of(self, number: int, moves: int, seconds: float) -> _Block:
        """The results of the games of the block."""

    @abstractmethod
    def _scores(self, block: _Block) -> dict[str, float]:
        """The fields on the last block in a network's file."""
