"""Many games at once in this process: no subprocess, and no clock but the players' own budget."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np

import rules as rule_sets
from players.catalogue import BUILTINS
from players.games import interface as game
from players.games.registry import load_board
from players.heuristic import HeuristicOptions
from players.learning.tuning.counted import CountedWorker, is_counted, read_seat
from players.learning.tuning.driven import new_player
from players.learning.tuning.plain import PlainTileWorker, PlainWorker
from players.learning.tuning.sliding import SlidingWorker, counts_boards
from players.learning.tuning.tasks import (
    Contestant,
    GameWorker,
    Opened,
    Played,
    Task,
    TileWorker,
    start_of,
)
from players.learning.tuning.threaded import ThreadedMatchRunner
from players.learning.tuning.whole_game import random_opening
from players.uct import Uct, UctOptions

TRIES = 500
"""Openings drawn in search of a balanced one."""


class BoardMatchRunner(ThreadedMatchRunner[GameWorker]):
    """Games of Othello and dots."""

    def __init__(
        self, rule_set: rule_sets.Game, bot: str, sample: Contestant, threads: int
    ) -> None:
        super().__init__(rule_set, bot, sample, threads)
        self._board = load_board(rule_set.name, rule_set.variant)
        self._start = self._board.position(rule_set.start().state())
        self._player = BUILTINS[bot]
        options = self._player.options.model_validate(sample.options)
        self._counted = options if isinstance(options, UctOptions) and is_counted(options) else None

    def load(self, plies: int) -> None:
        """Compile what games need, or find it in the cache. Raises ValueError with what the player
        says of its options, or when no opening has so many `plies`.
        """
        try_out(self._rule_set, self._bot, self._sample)
        self._opened("", plies)
        if self._counted is not None:  # other players have loaded theirs
            pair = (self._sample, self._sample)
            seat = self.read(self._sample)
            self.play_at(self.new_worker(), (seat, seat), Task(pair, "", plies, ""))

    def read(self, contestant: Contestant) -> Any:
        """A contestant as a worker takes it."""
        if self._counted is None:
            return contestant
        assert issubclass(self._player, Uct)  # as it has options of UCT
        return read_seat(self._rule_set, self._board, self._player, contestant)

    def play_at(self, worker: GameWorker, contestants: tuple[Any, Any], task: Task) -> Played:
        """Play a game between contestants who were read. Raises Aborted once it is to stop."""
        rng = Random(task.seed)
        seeds = (rng.getrandbits(63), rng.getrandbits(63))
        return worker.play(contestants, self._opened(task.opening, task.plies), seeds)

    def new_worker(self) -> GameWorker:
        """A worker for a thread that has none."""
        if self._counted is None:
            return PlainWorker(self._rule_set, self._board, self._bot, self._stop)
        return CountedWorker(self._rule_set, self._board, self._counted, self._stop)

    def _opened(self, seed: str, plies: int) -> Opened:
        """A balanced random opening. Raises ValueError where there is none."""
        moves, movers = np.zeros(game.PLIES, np.int16), np.zeros(game.PLIES, np.int8)
        if plies == 0:
            return Opened(moves, movers, 0)
        state = np.array([Random(seed).getrandbits(64)], np.uint64)
        quiet = self._rule_set.quiet_openings
        found = random_opening(self._start, plies, quiet, TRIES, state, moves, movers)
        if found < 0:
            raise ValueError(
                f"openings.plies: no opening of {plies} moves leaves a game undecided; give fewer"
            )
        return Opened(moves, movers, plies)


class TileMatchRunner(ThreadedMatchRunner[TileWorker]):
    """Games of 2048 and 2584. A task is two of them, on one seed: each contestant slides once, and
    where a player places the other one places. The higher score wins.
    """

    def __init__(
        self, rule_set: rule_sets.Game, bot: str, sample: Contestant, threads: int
    ) -> None:
        super().__init__(rule_set, bot, sample, threads)
        options = BUILTINS[bot].options.model_validate(sample.options)
        self._counted: HeuristicOptions | None = None
        if isinstance(options, HeuristicOptions) and counts_boards(options):
            self._counted = options

    def load(self, plies: int) -> None:
        """Compile what games need, or find it in the cache. Raises ValueError with what the player
        says of its options, or where there are to be `plies` of an opening.
        """
        if plies:
            raise ValueError(f"openings.plies: {self._rule_set.name} has no openings; leave it out")
        try_out(self._rule_set, self._bot, self._sample)
        if self._counted is not None:  # other players have loaded theirs
            brief = self._sample._replace(options=self._sample.options | {"depth": 1})
            self.new_worker().slide((brief, brief), 0)

    def read(self, contestant: Contestant) -> Any:
        """A contestant as a worker takes it."""
        return contestant

    def play_at(self, worker: TileWorker, contestants: tuple[Any, Any], task: Task) -> Played:
        """Play two games between contestants who were read. Raises Aborted once it is to stop."""
        seed = Random(task.seed).getrandbits(63)
        first, second = contestants
        slid = (worker.slide((first, second), seed), worker.slide((second, first), seed))
        return Played((), slid[0] - slid[1], slid)

    def new_worker(self) -> TileWorker:
        """A worker for a thread that has none."""
        if self._counted is None:
            return PlainTileWorker(self._rule_set, self._bot, self._stop)
        return SlidingWorker(self._rule_set, self._counted, self._stop)


def make_runner(
    rule_set: rule_sets.Game, bot: str, sample: Contestant, threads: int
) -> BoardMatchRunner | TileMatchRunner:
    """The runner for a rule set; `sample` as there."""
    runner = TileMatchRunner if rule_set.name in rule_sets.tiles.NAMES else BoardMatchRunner
    return runner(rule_set, bot, sample, threads)


def try_out(rule_set: rule_sets.Game, bot: str, sample: Contestant) -> None:
    """Start a player, which compiles or loads its kernels. Raises ValueError with what it says of
    its options.
    """
    start = start_of(rule_set, rule_set.start().state(), 0, 0, sample.options)
    try:
        new_player(bot, start, sample.weights)
    except SystemExit as error:  # how players tell their mistakes
        raise ValueError(str(error)) from None
