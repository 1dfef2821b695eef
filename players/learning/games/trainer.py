"""A training run of Othello or dots: games in blocks, each with games against a yardstick."""

from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np

import rules as rule_sets
from players.games import interface as game
from players.games.registry import load_board
from players.learning.games.config import GamesConfig
from players.learning.games.episodes import GameTally, Habits, compare, learn, new_room
from players.learning.trainer import BlockTrainer, TrainingRun
from players.ntuple.temporal import new_trajectory
from players.search.types import Array, Flag
from players.weights.evaluations import load_terms


class GameBlock(NamedTuple):
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


class GamesTrainer(BlockTrainer[GamesConfig, GameBlock]):
    """A run of Othello or dots."""

    def __init__(self, config: GamesConfig, folder: Path, run: TrainingRun[GameBlock]) -> None:
        super().__init__(config, folder, run)
        rule_set = rule_sets.load(config.rules, **config.variant)
        board = load_board(config.rules, config.variant)
        self._start = board.position(rule_set.start().state())
        self._habits = Habits(np.int64(config.plies), np.float64(config.epsilon))
        network, threads = run.memory.network, config.threads
        self._trajectories = [
            (new_trajectory(network, game.PLIES), new_room()) for _ in range(threads)
        ]
        self._greedy = config.yardstick != "random"
        name = config.yardstick if self._greedy else "default"
        self._terms = load_terms(config.rules, config.variant, name)

    def load_kernels(self) -> None:
        """Load the kernels or compile them, so that no block's time has it."""
        super().load_kernels()
        self._compare(0)

    def _learn(self, thread: int, stop: Flag) -> None:
        random, counts, games = self._counted(thread)
        tally = GameTally(random, counts, np.int64(games.stop - games.start))
        trajectory, room = self._trajectories[thread]
        memory = self._run.memory
        learn(self._start, memory, self._rule, self._habits, tally, trajectory, room, stop)

    def _compare(self, pairs: int) -> Array:
        """The network's points and margin in that many pairs against the yardstick, from the same
        openings after each block.
        """
        sums = np.zeros(2)
        random = np.array([Random(f"{self.config.seed} yardstick").getrandbits(64)], np.uint64)
        compare(
            self._start,
            self._run.memory.network,
            self._terms,
            self._greedy,
            self._habits,
            random,
            np.int64(pairs),
            self._trajectories[0][1],
            sums,
        )
        return sums

    def _block_of(self, number: int, moves: int, seconds: float) -> GameBlock:
        games = self.config.yardstick_games
        points, margin = self._compare(games // 2) / games
        played = number * self.config.block
        return GameBlock(number, played, float(points), float(margin), moves, seconds)

    def _record(self, block: GameBlock) -> dict[str, Any]:
        return block._asdict()

    @classmethod
    def _of_record(cls, record: dict[str, Any]) -> GameBlock:
        return GameBlock(**record)

    def _scores(self, block: GameBlock) -> dict[str, float]:
        return {f"against {self.config.yardstick} at 1 ply": block.score}
