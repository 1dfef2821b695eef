"""Signals that ask long work to stop, and work that Ctrl-C interrupts at once."""

import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import TypeVar

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass
class Stop:
    requested: bool = False


@contextmanager
def stop_signals(
    on_first: Callable[[], None] = lambda: None, *, then_at_once: bool = False
) -> Iterator[Stop]:
    """Have SIGINT, SIGTERM and SIGHUP ask for a stop. The first one calls `on_first`; those after
    it do nothing or, `then_at_once`, raise KeyboardInterrupt. See `handled`.
    """
    stop = Stop()

    def on_signal(number: int, frame: FrameType | None) -> None:
        if not stop.requested:
            stop.requested = True
            on_first()
        elif then_at_once:
            raise KeyboardInterrupt

    with handled(*SIGNALS, by=on_signal):
        yield stop


@contextmanager
def handled(
    *signals: signal.Signals, by: Callable[[int, FrameType | None], None]
) -> Iterator[None]:
    """A signal that was ignored before, as SIGHUP is under nohup, is ignored on. Outside the main
    thread, which alone may handle signals, nothing is handled.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    heeded = [number for number in signals if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, by) for number in heeded}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


Result = TypeVar("Result")


def apart(work: Callable[[], Result]) -> Result:
    """The result or error of `work`, in a thread that Ctrl-C abandons: no kernel can be stopped."""
    result: Future[Result] = Future()

    def run() -> None:
        try:
            result.set_result(work())
        except BaseException as error:
            result.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    while not result.done():
        wait([result], 0.1)
    return result.result()
