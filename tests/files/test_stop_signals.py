"""Work in a thread of its own."""

import threading

import pytest

from arena.files.stop_signals import apart


def test_work_apart_keeps_no_process_from_ending() -> None:
    assert apart(lambda: threading.current_thread().daemon)


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_apart_is_an_error_here(error: type[BaseException]) -> None:
    def work() -> None:
        raise error

    with pytest.raises(error):
        apart(work)
