"""The application: its routers, its rules for every answer, and what it serves."""

from pathlib import Path

from fastapi import FastAPI, Request

from arena.model import Frozen
from arena.web.rights import Visitor


class Settings(Frozen):
    """What a server shows."""

    runs: Path = Path("runs")
    """The folder of the runs; of a course, `COURSE/runs`."""
    course: Path | None = None
    """The course with its people; None shows runs read-only."""
    secure: bool = False
    """Whether browsers reach it by TLS: cookies are sent over nothing else then."""


def make_app(settings: Settings) -> FastAPI:
    """The application for these settings."""
    app = FastAPI(title="arena", docs_url=None, redoc_url=None)
    app.state.settings = settings
    app.state.identify = _nobody
    return app


def _nobody(_: Request) -> Visitor:
    return Visitor()
