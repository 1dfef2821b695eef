"""Loaded into Dask's keeper of a worker, its nanny, so that SIGHUP ends both as SIGTERM does: Dask
itself leaves it to the system, which ends them with an error.
"""

import signal
from multiprocessing import resource_tracker

from distributed import Nanny


async def dask_setup(nanny: Nanny) -> None:
    """Called by Dask when a keeper starts."""
    if signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:  # not under nohup
        # A terminal sends it to the whole group. Python's tracker of semaphores would end by it,
        # and the next one knows none of them: it shows an error for each at its end.
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        resource_tracker.ensure_running()
        signal.signal(signal.SIGHUP, _end)


def _end(*_: object) -> None:
    """A closed terminal may send it twice, and a second SIGTERM ends at once."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.raise_signal(signal.SIGTERM)
