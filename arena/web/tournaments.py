"""The tournaments of a course on pages: what is played, what waits, what is frozen."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from fastapi import FastAPI, Request
from starlette.concurrency import run_in_threadpool

from arena.web.desk import Answers
from arena.web.freeze import Freezer
from arena.web.keeper import Keeper, State
from arena.web.public import PublicRuns, runs_of
from arena.web.rights import Role, visitor_of
from arena.web.runs import ShownRun
from arena.web.summary import Summaries

WORDS: dict[State, str] = {
    "new": "not begun",
    "waiting": "waiting for its turn",
    "starting": "being started",
    "playing": "is played",
    "pausing": "being paused",
    "paused": "paused",
    "over": "all games played",
    "void": "over, with void games",
    "failed": "cannot be played",
}


def add_tournaments(app: FastAPI, course: Path) -> None:
    """Let an application play the tournaments of a course. Raises UserError."""
    state = app.state
    state.keeper = Keeper(course, state.rules)
    state.freezer = Freezer(state.keeper)
    state.staff_answers = Answers()
    state.public_runs = PublicRuns(state.runs, state.freezer.public)
    state.public_summaries = Summaries(state.public_runs)


@contextmanager
def kept(app: FastAPI) -> Iterator[None]:
    """Look after its tournaments and jobs, where it has a course. Raises UserError."""
    keeper: Keeper | None = getattr(app.state, "keeper", None)
    if keeper is None:
        yield
        return
    keeper.begin()
    for waiting in (app.state.checks, app.state.challenges):
        waiting.jobs.go_on()  # only now: another server may have them
    try:
        yield
    finally:
        keeper.end()


class Ahead(NamedTuple):
    """A tournament that has no run yet."""

    name: str
    words: str
    """How it stands."""


def still_to_come(request: Request) -> list[Ahead]:
    """The tournaments that have no run yet."""
    keeper: Keeper | None = getattr(request.app.state, "keeper", None)
    found = keeper.tournaments() if keeper else []
    return [Ahead(each.name, WORDS[each.state]) for each in found if not each.has_run]


def frozen_since(request: Request, run: ShownRun) -> str | None:
    """Since when this is a frozen table, in words; None where it is none."""
    freezer: Freezer | None = getattr(request.app.state, "freezer", None)
    if freezer is None or freezer.public(run.name) != run.path:
        return None
    at = freezer.frozen_at(run.name)
    return None if at is None else moment(at)


async def freeze_due(request: Request) -> None:
    """Freeze the tables whose time has come before anything is answered: in a thread, for a copy of
    a run takes a while.
    """
    freezer: Freezer | None = getattr(request.app.state, "freezer", None)
    if freezer is not None and freezer.is_behind():
        await run_in_threadpool(freezer.catch_up)


def shown_until(request: Request, run: ShownRun) -> Callable[[], bool]:
    """Whether the visitor still sees this run by its name, to be asked again and again: its table
    may be frozen, or be frozen no more.
    """
    freezer: Freezer | None = getattr(request.app.state, "freezer", None)
    if freezer is None or visitor_of(request).may(Role.STAFF):
        return lambda: True
    is_copy = run.path.parent == freezer.folder
    if not is_copy and run.path.parent != runs_of(request).folder:
        return lambda: True  # a match of an owner
    return lambda: freezer.is_due(run.name) == is_copy


def moment(at: datetime) -> str:
    """A moment as it is read here, in local time."""
    return f"{at.astimezone():%Y-%m-%d %H:%M %Z}"
