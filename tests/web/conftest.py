"""The application for a folder of runs or a course: in process, or as a server on a free port."""

import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import uvicorn
from fastapi import FastAPI

from arena.web.app import Settings, make_app

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it names another client, which is not needed
    from starlette.testclient import TestClient

Serve = Callable[[FastAPI], str]


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """An empty folder of runs."""
    folder = tmp_path / "runs"
    folder.mkdir()
    return folder


@pytest.fixture
def app(runs: Path) -> FastAPI:
    """The application that shows these runs."""
    return make_app(Settings(runs=runs))


@pytest.fixture
def client(app: FastAPI) -> Iterator[TestClient]:
    """Asks that application without a socket."""
    with TestClient(app) as client:
        yield client


@contextmanager
def serving(app: FastAPI) -> Iterator[str]:
    """Serve an application on a free port; its address."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        thread.join(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join()
