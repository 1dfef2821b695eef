"""Games on several threads of this process."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Generic, TypeVar

import numpy as np

import rules as rule_sets
from players.learning.tuning.tasks import Aborted, Contestant, Played, Task

WorkerType = TypeVar("WorkerType")


class ThreadedMatchRunner(ABC, Generic[WorkerType]):
    """A runner whose games are played by workers, one for each thread."""

    def __init__(
        self, rule_set: rule_sets.Game, bot: str, sample: Contestant, threads: int
    ) -> None:
        """`sample` is any of the contestants: they differ in what is tuned alone."""
        self._rule_set, self._bot, self._sample = rule_set, bot, sample
        self._stop = np.zeros(1, np.int64)
        self._own = threading.local()
        self._pool = ThreadPoolExecutor(threads)

    def play(self, tasks: Sequence[Task]) -> list[Played]:
        """The games, in the order of the tasks. Raises Aborted once `abort` was called."""
        seats = {id(each): self.read(each) for task in tasks for each in task.contestants}
        games: list[Future[Played]] = []
        for task in tasks:
            first, second = (seats[id(each)] for each in task.contestants)
            games.append(self._pool.submit(self._play, (first, second), task))
        return [each.result() for each in games]

    def _play(self, contestants: tuple[Any, Any], task: Task) -> Played:
        if self._stop[0]:
            raise Aborted
        if not hasattr(self._own, "worker"):
            self._own.worker = self.new_worker()
        return self.play_at(self._own.worker, contestants, task)

    def abort(self) -> None:
        """Have the games under way, and all that follow, end in Aborted."""
        self._stop[0] = 1

    def close(self) -> None:
        """Let the threads go, after the games under way."""
        self._pool.shutdown(cancel_futures=True)

    @abstractmethod
    def new_worker(self) -> WorkerType:
        """A worker for a thread that has none."""

    @abstractmethod
    def read(self, contestant: Contestant) -> Any:
        """A contestant as a worker takes it."""

    @abstractmethod
    def play_at(self, worker: WorkerType, contestants: tuple[Any, Any], task: Task) -> Played:
        """Play a game between contestants who were read. Raises Aborted once it is to stop."""
