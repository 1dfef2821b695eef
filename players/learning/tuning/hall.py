"""Many games at once in this process: no subprocess, and no clock but the players' own budget."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from random import Random
from typing import Any

import numpy as np

import rules as rule_sets
from players.catalogue import BUILTINS
from players.kernels import game
from players.kernels.boards import load_board
from players.kernels.cache import one_at_a_time
from players.learning.tuning.counted import CountedDesk, is_counted, read_seat
from players.learning.tuning.plain import PlainDesk, new_player
from players.learning.tuning.tasks import Aborted, Contestant, Desk, Opened, Played, Task, start_of
from players.learning.tuning.whole_game import random_opening
from players.options import UctOptions

TRIES = 500
"""Openings drawn in search of a balanced one."""


class KernelHall:
    """A hall in this process, on several threads."""

    def __init__(
        self, rule_set: rule_sets.Game, bot: str, sample: Contestant, threads: int
    ) -> None:
        """`sample` is any of the contestants: they differ in what is tuned alone."""
        self._rule_set, self._bot, self._sample = rule_set, bot, sample
        self._board = load_board(rule_set.name, rule_set.variant)
        self._start = self._board.position(rule_set.start().state())
        self._stop = np.zeros(1, np.int64)
        self._own = threading.local()
        self._pool = ThreadPoolExecutor(threads)
        options = BUILTINS[bot].options.model_validate(sample.options)
        self._counted = options if isinstance(options, UctOptions) and is_counted(options) else None

    def load(self, plies: int) -> None:
        """Compile what games need, or find it in the cache. Raises ValueError with what the player
        says of its options, or when no opening has so many `plies`.
        """
        state, variant = self._rule_set.start().state(), dict(self._rule_set.variant)
        start = start_of(self._rule_set.name, variant, state, 0, 0, self._sample.options)
        try:
            new_player(self._bot, self._sample.weights).start(start)
        except SystemExit as error:  # how players tell their mistakes
            raise ValueError(str(error)) from None
        with one_at_a_time():
            self._opened("", plies)
            if self._counted is not None:  # other players have loaded theirs
                seat, pair = self._read(self._sample), (self._sample, self._sample)
                self._play((seat, seat), Task(pair, "", plies, ""))

    def play(self, tasks: Sequence[Task]) -> list[Played]:
        """The games, in the order of the tasks. Raises Aborted once `abort` was called."""
        seats = {id(each): self._read(each) for task in tasks for each in task.contestants}
        games: list[Future[Played]] = []
        for task in tasks:
            first, second = (seats[id(each)] for each in task.contestants)
            games.append(self._pool.submit(self._play, (first, second), task))
        return [each.result() for each in games]

    def abort(self) -> None:
        """Have the games under way, and all that follow, end in Aborted."""
        self._stop[0] = 1

    def close(self) -> None:
        """Let the threads go, after the games under way."""
        self._pool.shutdown(cancel_futures=True)

    def _read(self, contestant: Contestant) -> Any:
        """A contestant as a desk takes it."""
        if self._counted is None:
            return contestant
        return read_seat(self._rule_set, self._bot, contestant)

    def _play(self, contestants: tuple[Any, Any], task: Task) -> Played:
        if self._stop[0]:
            raise Aborted
        rng = Random(task.seed)
        seeds = (rng.getrandbits(63), rng.getrandbits(63))
        return self._desk().play(contestants, self._opened(task.opening, task.plies), seeds)

    def _desk(self) -> Desk:
        """The desk of the thread that asks."""
        if not hasattr(self._own, "desk"):
            self._own.desk = (
                PlainDesk(self._rule_set, self._board, self._bot, self._stop)
                if self._counted is None
                else CountedDesk(self._rule_set, self._board, self._counted, self._stop)
            )
        desk: Desk = self._own.desk
        return desk

    def _opened(self, seed: str, plies: int) -> Opened:
        """A balanced random opening. Raises ValueError where there is none."""
        moves, movers = np.zeros(game.PLIES, np.int16), np.zeros(game.PLIES, np.int8)
        if plies == 0:
            return Opened(moves, movers, 0)
        state = np.array([Random(seed).getrandbits(64)], np.uint64)
        quiet = self._rule_set.name == "dots"
        found = random_opening(self._start, plies, quiet, TRIES, state, moves, movers)
        if found < 0:
            raise ValueError(
                f"openings.plies: no opening of {plies} moves leaves a game undecided; give fewer"
            )
        return Opened(moves, movers, plies)
