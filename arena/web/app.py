"""The application: its routers, its rules for every answer, and what it serves."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import cache, partial

from fastapi import APIRouter, Depends, FastAPI
from starlette.middleware.gzip import GZipMiddleware
from starlette.routing import BaseRoute

from arena.bots.course_file import rules_to_serve
from arena.web import (
    api,
    challenge_pages,
    docs,
    errors,
    lab,
    mine,
    people,
    play,
    run_pages,
    staff,
    staff_actions,
    tournaments,
    upload,
)
from arena.web.lab import Lab
from arena.web.last_good import LastGood
from arena.web.live import Hubs
from arena.web.rights import Visitor, own_form
from arena.web.runs import Runs
from arena.web.safe import SafeAnswers
from arena.web.settings import ServerSettings
from arena.web.streams import Streams
from arena.web.summary import Summaries
from arena.web.tables import Tables

__all__ = ["ServerSettings", "make_app"]

ROUTERS: tuple[APIRouter, ...] = (
    run_pages.router,
    api.router,
    people.router,
    upload.pages,
    mine.router,
    challenge_pages.pages,
    challenge_pages.api,
    upload.api,
    play.router,
    lab.router,
    lab.api,
    docs.router,
    staff.router,
    staff_actions.router,
)
"""Of each file of routes, its `router`."""

ALWAYS = (Depends(own_form), Depends(tournaments.freeze_due))
"""What comes before every answer."""


@cache
def _routes() -> Sequence[BaseRoute]:
    """All routes, made once: what an application answers is in its state."""
    every = APIRouter(dependencies=ALWAYS)
    for router in ROUTERS:
        every.include_router(router, include_in_schema=router.prefix.startswith("/api"))
    return every.routes


def make_app(settings: ServerSettings) -> FastAPI:
    """The application for these settings. Raises ArenaError."""
    app = FastAPI(
        title="arena",
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        dependencies=ALWAYS,
        lifespan=_until_closed,
    )
    app.state.settings = settings
    app.state.runs = Runs(settings.runs)
    app.state.summaries = Summaries(app.state.runs)
    app.state.public_runs, app.state.public_summaries = app.state.runs, app.state.summaries
    app.state.hubs = Hubs()
    app.state.streams = Streams()
    app.state.tables = Tables()
    app.state.lab = Lab(app.state.runs)
    app.state.identify = lambda _: Visitor()
    if settings.course is not None:
        app.state.rules = LastGood(partial(rules_to_serve, settings.course))
        people.add_people(app, settings.course)
        upload.add_uploads(app, settings.course)
        challenge_pages.add_challenges(app, settings.course)
        tournaments.add_tournaments(app, settings.course)
    app.add_middleware(GZipMiddleware)
    app.add_middleware(SafeAnswers, public_url=settings.public_url)
    errors.handle(app)
    app.router.routes.extend(_routes())
    return app


@asynccontextmanager
async def _until_closed(app: FastAPI) -> AsyncIterator[None]:
    try:
        with tournaments.kept(app):
            yield
    finally:
        app.state.hubs.end()
        app.state.public_runs.close()
        await app.state.tables.close()
        app.state.runs.close()
