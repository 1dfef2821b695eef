"""Loaded into Dask's keeper of a worker, its nanny, so that SIGHUP ends both as SIGTERM does: Dask
itself leaves it to the system, which ends them with an error.
"""

import signal

from distributed import Nanny


async def dask_setup(nanny: Nanny) -> None:
    """Called by Dask when a keeper starts."""
    if signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:  # not under nohup
        signal.signal(signal.SIGHUP, _end)


def _end(*_: object) -> None:
    """A closed terminal may send it twice, and a second SIGTERM ends at once."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.raise_signal(signal.SIGTERM)
