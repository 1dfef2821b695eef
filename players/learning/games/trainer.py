"""A training run of Othello or dots: games in blocks, each with games against a yardstick."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np

import rules as rule_sets
from players.games import interface as game
from players.games.registry import load_board
from players.learning import checkpoints
from players.learning.block_trainer import CHECKPOINT, BlockTrainer
from players.learning.games.config import GamesConfig
from players.learning.games.episodes import Habits, Tally, compare, learn, new_room
from players.ntuple.temporal import Memory, Rule, new_desk
from players.weights.evaluations import load_terms
from players.weights.network_file import Header

TALLIES = ("random", "counts")


class Block(NamedTuple):
    """What the games of a block came to: a point of the learning curve."""

    number: int
    """Which one it is, from 1."""
    games: int
    """The games learned from so far, with those of this block."""
    score: float
    """The share of points that the network then took of the yardstick, 0 to 1."""
    margin: float
    """By how much it won these games, on average."""
    moves: int
    """The moves of the games it learned from."""
    seconds: float
    """How long these took."""


@dataclass
class Progress:
    """How far a run is. The arrays are written by the kernels alone."""

    memory: Memory
    random: Any
    """uint64[threads]: the state of each thread's random numbers."""
    counts: Any
    """int64[2·threads]: for each thread the games of the current block and their moves."""
    blocks: list[Block] = field(default_factory=list)
    """The blocks that are complete."""
    seconds: float = 0.0
    """How long the current block has taken so far."""


def begun(config: GamesConfig) -> Progress:
    """A run that has not played yet. Each thread draws from a stream of its own."""
    streams = [Random(f"{config.seed} {each}").getrandbits(64) for each in range(config.threads)]
    return Progress(
        checkpoints.new_memory(config.header(), coherent=config.rate == "tc"),
        np.array(streams, np.uint64),
        np.zeros(2 * config.threads, np.int64),
    )


def load(path: Path, config: GamesConfig) -> Progress:
    """The run in a checkpoint. Raises ValueError for a damaged file, and for one of another
    configuration, with the difference.
    """
    found = checkpoints.read(path, config.rules, config.settings(), TALLIES)
    random, counts = (found.arrays[name] for name in TALLIES)
    blocks = [Block(**block) for block in found.blocks]
    return Progress(found.memory, random, counts, blocks, found.seconds)


class GamesTrainer(BlockTrainer[GamesConfig, Block]):
    """A run of Othello or dots."""

    def __init__(self, config: GamesConfig, folder: Path, progress: Progress) -> None:
        super().__init__(config, folder, progress)
        self._progress = progress
        rule_set = rule_sets.load(config.rules, **config.variant)
        board = load_board(config.rules, config.variant)
        self._start = board.position(rule_set.start().state())
        self._rule = Rule(
            np.float64(config.alpha),
            np.float64(config.mix),
            np.int64(config.steps),
            config.rate == "tc",
            config.updates == "forward",
        )
        self._habits = Habits(np.int64(config.plies), np.float64(config.epsilon))
        network, threads = progress.memory.network, config.threads
        self._desks = [(new_desk(network, game.PLIES), new_room()) for _ in range(threads)]
        self._greedy = config.yardstick != "random"
        name = config.yardstick if self._greedy else "default"
        self._terms = load_terms(config.rules, config.variant, name)

    @classmethod
    def open(cls, config: GamesConfig, folder: Path) -> GamesTrainer:
        """A new run, or the one in `folder` where its checkpoint left off.

        Raises ValueError where that is damaged or was begun with other settings (more or fewer
        games, another name, and other checkpoints are no matter), and OSError.
        """
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / CHECKPOINT
        return cls(config, folder, load(path, config) if path.exists() else begun(config))

    def load_kernels(self) -> None:
        """Load the kernels or compile them, so that no block's time has it."""
        super().load_kernels()
        self._compare(0)

    def save(self) -> None:
        """Write the checkpoint, as a whole. Raises OSError."""
        progress = self._progress
        arrays = {name: getattr(progress, name) for name in TALLIES}
        blocks = [block._asdict() for block in progress.blocks]
        found = checkpoints.Found(progress.memory, arrays, blocks, progress.seconds)
        path = self.folder / CHECKPOINT
        checkpoints.write(path, self._header(), self.config.settings(), found)

    def _learn(self, thread: int, stop: Any) -> None:
        """One thread's games of the block."""
        progress, config = self._progress, self.config
        first, end = (config.block * each // config.threads for each in (thread, thread + 1))
        tally = Tally(
            progress.random[thread : thread + 1],
            progress.counts[2 * thread : 2 * thread + 2],
            np.int64(end - first),
        )
        desk, room = self._desks[thread]
        learn(self._start, progress.memory, self._rule, self._habits, tally, desk, room, stop)

    def _compare(self, pairs: int) -> Any:
        """The network's points and margin in so many pairs against the yardstick, from the same
        openings after each block.
        """
        sums = np.zeros(2)
        random = np.array([Random(f"{self.config.seed} yardstick").getrandbits(64)], np.uint64)
        compare(
            self._start,
            self._progress.memory.network,
            self._terms,
            self._greedy,
            self._habits,
            random,
            np.int64(pairs),
            self._desks[0][1],
            sums,
        )
        return sums

    def _block_of(self, number: int, moves: int, seconds: float) -> Block:
        """What the games of the block came to."""
        games = self.config.yardstick_games
        points, margin = self._compare(games // 2) / games
        return Block(
            number, number * self.config.block, float(points), float(margin), moves, seconds
        )

    def _header(self) -> Header:
        """What the files of the run tell."""
        config, blocks = self.config, self.blocks
        scores = {f"against {config.yardstick} at 1 ply": blocks[-1].score} if blocks else {}
        about = f"Learned from {self.played} games with itself by `arena train`."
        update = {"games": self.played, "scores": scores, "about": about}
        return config.header().model_copy(update=update)
