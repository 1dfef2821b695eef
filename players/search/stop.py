"""Stopping a kernel: at a moment of the clock, or when another is done."""

import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from math import inf
from threading import Condition, Thread

import numpy as np

from players.search.types import Flag

NEVER = np.zeros(1, np.int64)


class _Watch:
    """A thread that sets flags, each at its moment; it lives as long as the process, as a thread
    for each move would cost more than a short search.
    """

    def __init__(self) -> None:
        self._changed = Condition()
        self._due: dict[int, tuple[float, Flag]] = {}
        """Flags and their moments, by the flag's identity."""
        self._wakes = inf
        self._thread: Thread | None = None

    def add(self, deadline: float, flag: Flag) -> None:
        with self._changed:
            self._due[id(flag)] = (deadline, flag)
            if self._thread is None or not self._thread.is_alive():  # a fork leaves it behind
                self._thread = Thread(target=self._run, daemon=True)
                self._thread.start()
            elif deadline < self._wakes:
                self._changed.notify()

    def remove(self, flag: Flag) -> None:
        with self._changed:
            self._due.pop(id(flag), None)

    def _run(self) -> None:
        with self._changed:
            while True:
                now = time.monotonic()
                for flag in [flag for deadline, flag in self._due.values() if deadline <= now]:
                    flag[0] = 1
                    del self._due[id(flag)]
                self._wakes = min((deadline for deadline, _ in self._due.values()), default=inf)
                self._changed.wait(None if self._wakes == inf else self._wakes - now)


_watch = _Watch()


@contextmanager
def stop_at(deadline: float) -> Iterator[Flag]:
    """An int64[1] flag, 0 until `deadline` (in seconds of `time.monotonic()`), then 1: kernels,
    which hold no GIL, read it as they go.
    """
    flag = np.zeros(1, np.int64)
    if deadline <= time.monotonic():
        flag[0] = 1
        yield flag
        return
    _watch.add(deadline, flag)
    try:
        yield flag
    finally:
        _watch.remove(flag)


@contextmanager
def alongside(
    pool: ThreadPoolExecutor | None, jobs: Iterable[Callable[[Flag], object]]
) -> Iterator[None]:
    """Do jobs in threads of the pool, each with a flag that is set on leaving. What fails in one is
    raised then.
    """
    done = np.zeros(1, np.int64)
    running = [pool.submit(job, done) for job in jobs] if pool else []
    try:
        yield
    finally:
        done[0] = 1
        for each in running:
            each.result()
