"""Signals that ask long work to stop: first in good order, then at once."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass
class Stop:
    """Whether somebody asked."""

    asked: bool = False


@contextmanager
def stop_signals(on_first: Callable[[], None]) -> Iterator[Stop]:
    """Call `on_first` at the first of SIGINT, SIGTERM and SIGHUP; from the second on they raise
    KeyboardInterrupt. For the main thread, which alone may handle signals.
    """
    stop = Stop()

    def on_signal(number: int, frame: FrameType | None) -> None:
        if stop.asked:
            raise KeyboardInterrupt
        stop.asked = True
        on_first()

    before = {number: signal.signal(number, on_signal) for number in _SIGNALS}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
