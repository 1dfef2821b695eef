"""Loaded into each Dask worker, so that its heartbeats go on where the clock is set back: Tornado
plans each by that clock, and after an hour back there would be none for an hour.
"""

import asyncio
import time

from distributed import Worker

_LOOK_S = 2.0
"""Between two looks, and how far back counts: far less than a machine may be silent."""
_looking: set[asyncio.Task[None]] = set()
"""Kept, as a loop forgets its tasks."""


async def dask_setup(worker: Worker) -> None:
    """Called by Dask when a worker starts."""
    _looking.add(asyncio.create_task(_look(worker)))


async def _look(worker: Worker) -> None:
    """Plan the worker's callbacks again whenever the clock was set back."""
    before = _ahead()
    while True:
        await asyncio.sleep(_LOOK_S)
        now = _ahead()
        if now < before - _LOOK_S:
            for each in worker.periodic_callbacks.values():
                each.stop()
                each.start()
        before = now


def _ahead() -> float:
    """The wall clock's lead over one that is never set."""
    return time.time() - time.monotonic()
