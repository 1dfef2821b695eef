"""The local time of the process, in tests of what people read or write in theirs."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def local_time(zone: str) -> Iterator[None]:
    """Have the time zone of that name, as `TZ` has it."""
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("TZ", zone)
            time.tzset()
            yield
    finally:
        time.tzset()
