"""The application: its routers, its rules for every answer, and what it serves."""

from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import cache, partial
from pathlib import Path

from fastapi import APIRouter, Depends, FastAPI
from starlette.middleware.gzip import GZipMiddleware
from starlette.routing import BaseRoute

from arena.bots.course_file import rules_to_serve
from arena.web import (
    api,
    bot_files,
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
from arena.web.challenge import Challenges
from arena.web.checks import Checks
from arena.web.freeze import TableFreeze
from arena.web.lab_runs import LabRuns
from arena.web.last_good import LastGood
from arena.web.live import Hubs
from arena.web.people import People
from arena.web.rights import Visitor, own_form
from arena.web.runs import Runs
from arena.web.safe import SafeAnswers
from arena.web.scheduler import Scheduler
from arena.web.state import CourseState, ServerSettings, ServerState
from arena.web.streams import Streams
from arena.web.tables import Tables
from arena.web.tournaments import PublicRuns

__all__ = ["ServerSettings", "make_app"]

ROUTERS: tuple[APIRouter, ...] = (
    run_pages.router,
    api.router,
    people.router,
    upload.pages,
    mine.router,
    bot_files.pages,
    bot_files.api,
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


@cache
def _routes() -> Sequence[BaseRoute]:
    """All routes, made once: what an application answers is in its state."""
    every = APIRouter(dependencies=[Depends(own_form), Depends(tournaments.freeze_due)])
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
        lifespan=_until_closed,
    )
    app.state = _state(settings)
    app.add_middleware(GZipMiddleware)
    app.add_middleware(SafeAnswers, public_url=settings.public_url)
    errors.handle(app)
    app.router.routes.extend(_routes())
    return app


def _state(settings: ServerSettings) -> ServerState:
    state = ServerState()
    state.settings = settings
    state.runs = state.public_runs = Runs(settings.runs)
    state.hubs, state.streams, state.tables = Hubs(), Streams(), Tables()
    state.lab, state.course = LabRuns(state.runs), None
    state.sent = Counter()
    state.identify = lambda _: Visitor()
    if settings.course is not None:
        state.course = course = _course(settings.course)
        state.identify = course.people.identify
        state.public_runs = PublicRuns(state.runs, course.table_freeze.public)
    return state


def _course(folder: Path) -> CourseState:
    rules, people = LastGood(partial(rules_to_serve, folder)), People(folder)
    checks, challenges = Checks(folder), Challenges(folder, rules)
    scheduler = Scheduler(folder, rules)
    freeze = TableFreeze(scheduler)
    return CourseState(folder, rules, people, checks, challenges, scheduler, freeze)


@asynccontextmanager
async def _until_closed(app: FastAPI) -> AsyncIterator[None]:
    course: CourseState | None = app.state.course
    try:
        if course is not None:
            course.scheduler.begin()
            for waiting in (course.checks, course.challenges):
                waiting.jobs.resume()  # only now: another server may have them
        yield
    finally:
        if course is not None:
            course.scheduler.end()
        app.state.hubs.end()
        app.state.public_runs.close()
        await app.state.tables.close()
        app.state.runs.close()
