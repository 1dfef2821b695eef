"""Flags that are set at a moment of the clock."""

import threading
import time
from typing import Any

from players.search.stop import stop_at


def wait_for(flag: Any) -> None:
    deadline = time.monotonic() + 20
    while not flag[0]:
        assert time.monotonic() < deadline, "it was not set"
        time.sleep(0.001)


def test_a_flag_is_set_at_its_moment_and_not_before() -> None:
    moment = time.monotonic() + 0.05
    with stop_at(moment) as stop:
        wait_for(stop)
        assert time.monotonic() >= moment
    with stop_at(time.monotonic() - 1) as stop:
        assert stop[0]


def test_an_earlier_moment_comes_first_wherever_it_was_asked_for() -> None:
    with stop_at(time.monotonic() + 600) as last, stop_at(time.monotonic() + 0.05) as first:
        wait_for(first)
        with stop_at(time.monotonic() + 0.05) as second:
            wait_for(second)
        assert not last[0]


def test_a_search_that_is_over_is_not_stopped() -> None:
    with stop_at(time.monotonic() + 0.02) as early:
        pass
    with stop_at(time.monotonic() + 0.04) as late:
        wait_for(late)
    assert not early[0]


def test_all_searches_share_one_thread() -> None:
    with stop_at(time.monotonic() + 600):
        before = threading.active_count()
        for _ in range(50):
            with stop_at(time.monotonic() + 600) as stop:
                assert not stop[0]
        assert threading.active_count() == before
