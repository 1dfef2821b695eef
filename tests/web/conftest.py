"""The application for a folder of runs or a course: in process, or as a server on a free port."""

import asyncio
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
import uvicorn
from fastapi import FastAPI

from arena.web.app import ServerSettings, make_app
from arena.web.runs import Runs
from arena.web.serve import Server
from tests.reports.conftest import Play, play_record
from tests.reports.runs import keep_games

from . import quick_checker

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it names another client, which is not needed
    from starlette.testclient import TestClient


@pytest.fixture(autouse=True)
def runs_are_closed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Also those of an application that is asked without being started and ended."""
    made, init = list[Runs](), Runs.__init__

    def kept(self: Runs, folder: Path) -> None:
        init(self, folder)
        made.append(self)

    monkeypatch.setattr(Runs, "__init__", kept)
    yield
    for each in made:
        each.close()


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """An empty folder of runs."""
    folder = tmp_path / "runs"
    folder.mkdir()
    return folder


@pytest.fixture
def app(runs: Path) -> FastAPI:
    """The application that shows these runs."""
    return make_app(ServerSettings(runs=runs))


@pytest.fixture
def client(app: FastAPI) -> Iterator[TestClient]:
    """Asks that application without a socket."""
    with TestClient(app) as client:
        yield client


@pytest.fixture(scope="session")
def play() -> Play:
    """Plays one random game."""
    return play_record


def course_app(course: Path) -> FastAPI:
    """The application of a course, which checks quickly."""
    app = make_app(ServerSettings(course=course, runs=course / "runs"))
    app.state.course.checks.jobs.command = (sys.executable, quick_checker.__file__)
    return app


def refuse_event_loop() -> None:
    """Fail where others wait for an answer meanwhile."""
    with pytest.raises(RuntimeError, match="no running event loop"):
        asyncio.get_running_loop()


def wait_for(holds: Callable[[], object], most_s: float = 30, every_s: float = 0.02) -> None:
    """Look until it holds."""
    give_up = time.monotonic() + most_s
    while not holds():
        assert time.monotonic() < give_up
        time.sleep(every_s)


def fill_log(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the server's log on a full disk from now on."""

    def refuse(_: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(sys, "stderr", SimpleNamespace(write=refuse))


@contextmanager
def serving(app: FastAPI) -> Iterator[str]:
    """Serve an application on a free port; its address."""
    ready = threading.Event()
    config = uvicorn.Config(app, port=0, log_level="error", timeout_graceful_shutdown=1)
    server = Server(config, app, ready.set)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    assert ready.wait(30)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join()


@pytest.fixture
def cup(runs: Path, play: Play) -> Path:
    """A finished run of dots, `cup`: six games of three players, one of them forfeited."""
    names = ("ant", "bee", "cat")
    pairs = [(one, other) for one in names for other in names if one != other]
    records = [
        play("dots", *pair, seed=n, game=f"g{n:04d}", rows=2, cols=2, forfeit=0 if n == 3 else None,
             stderr="secret of the first")
        for n, pair in enumerate(pairs, 1)
    ]  # fmt: skip
    keep_games(runs / "cup.sqlite", records)
    return runs / "cup.sqlite"
