"""Signals that ask for a stop, and work in a thread of its own."""

import signal
import threading

import pytest

from arena.files.stop_signals import apart, stop_signals


def test_work_apart_keeps_no_process_from_ending() -> None:
    assert apart(lambda: threading.current_thread().daemon)


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_apart_is_an_error_here(error: type[BaseException]) -> None:
    def work() -> None:
        raise error

    with pytest.raises(error):
        apart(work)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_asks_for_a_stop_and_the_next_one_insists(number: signal.Signals) -> None:
    before, firsts = signal.getsignal(number), list[bool]()
    with stop_signals(lambda: firsts.append(True)) as stop:
        signal.raise_signal(number)
        signal.raise_signal(number)
        assert stop.requested
    assert firsts == [True]
    with pytest.raises(KeyboardInterrupt), stop_signals(then_at_once=True):
        signal.raise_signal(number)
        signal.raise_signal(number)
    assert signal.getsignal(number) == before
