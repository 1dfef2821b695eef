"""The cores of this machine: those that tournaments play on, and those of pages and checks."""

from functools import cache
from typing import NamedTuple

from arena.sandbox.features import usable_cores

_MANY = 8
"""From this many cores on, pages and checks have two."""


class Cores(NamedTuple):
    """Two sets of cores, the same one where there is a single core."""

    play: tuple[int, ...]
    rest: tuple[int, ...]


@cache
def cores() -> Cores:
    """The cores as they were divided when this was asked first, while this process may use all: the
    last one or two are left for pages and checks.
    """
    usable = usable_cores()
    if len(usable) < 2:
        return Cores(usable, usable)
    rest = 2 if len(usable) >= _MANY else 1
    return Cores(usable[:-rest], usable[-rest:])
