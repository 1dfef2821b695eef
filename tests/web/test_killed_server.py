"""`arena serve COURSE`, killed: the tournament plays on, and the next server has it."""

import os
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import httpx
import pytest

from arena.bots import course
from arena.files import lock
from tests.web.conftest import wait_for
from tests.web.test_scheduler import LONG, write_tournament
from tests.web.test_serve import served

pytestmark = pytest.mark.slow

STAFF = re.compile(r"https?://\S+/in/[0-9a-f]{32}")


@contextmanager
def staff(folder: Path) -> Iterator[httpx.Client]:
    """A server of its own process, and the browser of its staff; it is killed at the end."""
    with served(str(folder), cwd=folder) as (server, address):
        assert server.stdout is not None
        link = STAFF.search(server.stdout.readline())
        assert link
        with httpx.Client(base_url=address, timeout=30, follow_redirects=True) as browser:
            browser.get(link[0])
            yield browser


def do(browser: httpx.Client, action: str) -> None:
    token = re.search(r'name="form_token" value="([^"]+)"', browser.get("/staff").text)
    assert token
    assert browser.post(action, data={"form_token": token[1]}).status_code == 200


until = partial(wait_for, most_s=60, every_s=0.2)


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Path]:
    """The run of a tournament that a course is to play."""
    folder = tmp_path / "course"
    course.init(folder)
    write_tournament(folder, "cup", LONG)
    yield folder / "runs" / "cup.sqlite"
    if left := lock.holder(folder / "runs" / "cup.sqlite"):
        os.kill(left, signal.SIGKILL)


def test_it_costs_no_game_and_a_killed_tournament_goes_on_by_itself(run: Path) -> None:
    folder = run.parents[1]

    def played(browser: httpx.Client) -> int:
        found = browser.get("/api/runs/cup")
        return int(found.json()["played"]) if found.is_success else 0

    with staff(folder) as browser:
        do(browser, "/staff/t/cup/start")
        until(lambda: played(browser) > 0)
        games, first = played(browser), lock.holder(run)
    with staff(folder) as browser:
        assert lock.holder(run) == first is not None
        assert "being played" in browser.get("/staff").text
        until(lambda: played(browser) > games)
        games = played(browser)
        os.kill(first, signal.SIGKILL)
        until(lambda: lock.holder(run) not in (None, first) and played(browser) > games)
        do(browser, "/staff/t/cup/pause")
        until(lambda: lock.holder(run) is None)
        until(lambda: "paused" in browser.get("/staff").text)
