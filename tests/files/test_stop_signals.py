"""Signals that interrupt work, and work in a thread of its own."""

import signal
import threading

import pytest

from arena.files.stop_signals import apart, ended_as_by_ctrl_c


def test_a_signal_that_would_end_the_process_interrupts_it() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    try:
        with pytest.raises(KeyboardInterrupt), ended_as_by_ctrl_c():
            signal.raise_signal(signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_DFL
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_signal_that_is_handled_already_stays_so() -> None:
    heard = list[int]()
    before = signal.signal(signal.SIGTERM, lambda number, _: heard.append(number))
    try:
        with ended_as_by_ctrl_c():
            signal.raise_signal(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert heard == [signal.SIGTERM]


def test_work_apart_keeps_no_process_from_ending() -> None:
    assert apart(lambda: threading.current_thread().daemon)


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_apart_is_an_error_here(error: type[BaseException]) -> None:
    def work() -> None:
        raise error

    with pytest.raises(error):
        apart(work)
