"""The cores of this machine: those that tournaments play on, and those of pages and checks."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import NamedTuple, TypeVar

from arena.sandbox.features import usable_cores

_MANY = 8
"""From this many cores on, pages and checks have two."""
Result = TypeVar("Result")


class Cores(NamedTuple):
    """Two sets of cores, the same one where there is a single core."""

    play: tuple[int, ...]
    rest: tuple[int, ...]


@cache
def cores() -> Cores:
    """The cores as they were divided when this was asked first, before `keep_off`."""
    return divided(usable_cores())


def divided(usable: tuple[int, ...]) -> Cores:
    """The last one or two cores are left for pages and checks."""
    if len(usable) < 2:
        return Cores(usable, usable)
    rest = 2 if len(usable) >= _MANY else 1
    return Cores(usable[:-rest], usable[-rest:])


def keep_off() -> None:
    """Keep this process and those it starts off the cores that play."""
    os.sched_setaffinity(0, cores().rest)


def on_cores(which: tuple[int, ...], start: Callable[[], Result]) -> Result:
    """What `start` returns: processes that it starts run on these cores, and this one does not."""

    def run() -> Result:
        os.sched_setaffinity(0, which)  # of this thread, and inherited
        return start()

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(run).result()
