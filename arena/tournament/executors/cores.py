"""Cores that runs, or the workers of a cluster, share out on one machine, and how fast they are."""

import os
import platform
import socket
import time
from collections.abc import Collection
from functools import cache
from itertools import islice
from random import Random

from arena.errors import ExecutorError
from arena.sandbox.features import usable_cores
from rules import load

_TRIES = 5
_TRY_S = 0.1

_held = list[socket.socket]()
"""For each core of ours a name that one process alone can have; the system gives it back."""


@cache
def reserve(cores: int, *, shared: bool = False) -> tuple[int, ...]:
    """That many cores that no other worker of this machine has, or may have if `shared`; the same
    ones at each call. They are free again when this process ends. Raises ExecutorError.
    """
    if shared:
        return tuple(Random().sample(usable_cores(), cores))
    own = _hold("core", cores)
    if len(own) == cores:
        _held.extend(own.values())
        return tuple(own)
    for name in own.values():
        name.close()
    raise ExecutorError(
        f"it was started for {cores} cores, and only {len(own)} of {platform.node()} are free of "
        "other workers; start it with fewer"
    )


def apart(cores: int) -> tuple[tuple[int, ...], Collection[socket.socket]]:
    """That many cores, first those on which no other run of this machine plays; and sockets that
    hold them until they are closed.
    """
    own = _hold("run", cores)
    others = (core for core in usable_cores() if core not in own)
    return (*own, *islice(others, cores - len(own))), own.values()


def _hold(kind: str, most: int) -> dict[int, socket.socket]:
    """Up to that many cores that nothing else of this kind holds."""
    own = dict[int, socket.socket]()
    for core in usable_cores():
        name = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            name.bind(f"\0arena-{kind}-{core}")
        except OSError:
            name.close()
            continue
        own[core] = name
        if len(own) == most:
            break
    return own


def speed_of(core: int) -> float:
    """Plies a second of random Othello on a core: the best of a few tries, as others may use it."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        return max(_plies(Random(1)) / _TRY_S for _ in range(_TRIES))
    finally:
        os.sched_setaffinity(0, before)


def _plies(rng: Random) -> int:
    game, plies, began = load("othello"), 0, time.thread_time()
    position = game.start()
    while time.thread_time() - began < _TRY_S:
        position = game.start() if position.is_over else position
        position = position.play(rng.choice(position.legal_moves()))
        plies += 1
    return plies
