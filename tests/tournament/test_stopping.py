"""Signals that ask long work to stop."""

import signal
import threading

import pytest

from arena.files.stop_signals import SIGNALS, stop_signals

pytestmark = pytest.mark.usefixtures("heeded")


@pytest.mark.parametrize("number", SIGNALS)
def test_the_first_signal_asks_and_those_after_it_do_nothing(number: signal.Signals) -> None:
    calls: list[str] = []
    with stop_signals(lambda: calls.append("asked")) as stop:
        assert not stop.requested
        for _ in range(3):
            signal.raise_signal(number)
        assert stop.requested
    assert calls == ["asked"]
    assert signal.getsignal(number) is signal.default_int_handler


def test_the_second_signal_stops_at_once_where_that_was_wished() -> None:
    calls: list[str] = []
    with (
        pytest.raises(KeyboardInterrupt),
        stop_signals(lambda: calls.append("asked"), then_at_once=True) as stop,
    ):
        signal.raise_signal(signal.SIGTERM)
        assert stop.requested
        signal.raise_signal(signal.SIGINT)
    assert calls == ["asked"]
    assert signal.getsignal(signal.SIGTERM) is signal.default_int_handler


def test_a_signal_that_was_ignored_stays_so() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with stop_signals() as stop:
        signal.raise_signal(signal.SIGHUP)
        assert not stop.requested
        signal.raise_signal(signal.SIGTERM)
        assert stop.requested
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN


def test_in_another_thread_no_signal_asks() -> None:
    seen: list[bool] = []

    def work() -> None:
        with stop_signals() as stop:
            seen.append(stop.requested)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [False]
