"""The tournaments of a course on pages: what is played, what waits, what is frozen. The staff sees
all of a run, the others a frozen table as it stood then.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from fastapi import Request
from starlette.concurrency import run_in_threadpool

from arena.files.moments import moment
from arena.web.rights import Role, is_still_visitor, visitor_of
from arena.web.runs import Runs, ShownRun
from arena.web.scheduler import TournamentState
from arena.web.state import state_of

WORDS: dict[TournamentState, str] = {
    "new": "not begun",
    "waiting": "waiting for its turn",
    "starting": "being started",
    "playing": "being played",
    "pausing": "being paused",
    "paused": "paused",
    "over": "all games played",
    "void": "over, with void games",
    "failed": "cannot be played",
}


def still_to_come(request: Request) -> dict[str, str]:
    """The tournaments that have no run yet, and how each stands, in words."""
    course = state_of(request).course
    found = course.scheduler.tournaments() if course else []
    return {each.name: WORDS[each.state] for each in found if not each.has_run}


def frozen_since(request: Request, run: ShownRun) -> str | None:
    """Since when this is a frozen table, in words; None where it is none."""
    course = state_of(request).course
    if course is None or course.table_freeze.public(run.name) != run.path:
        return None
    at = course.table_freeze.frozen_at(run.name)
    return None if at is None else moment(at)


async def freeze_due(request: Request) -> None:
    """Freeze tables that are due before any answer, in a thread: to copy a run takes a while."""
    course = state_of(request).course
    if course is not None and course.table_freeze.is_behind():
        await run_in_threadpool(course.table_freeze.catch_up)


def shown_until(request: Request, run: ShownRun) -> Callable[[], bool]:
    """Whether the visitor still sees this run by its name, to be asked again and again: its table
    may be frozen, or be frozen no more, and the session of the visitor may end.
    """
    course = state_of(request).course
    if course is None:
        return lambda: True
    if visitor_of(request).may(Role.STAFF):
        return partial(is_still_visitor, request)
    table_freeze = course.table_freeze
    is_copy = run.path.parent == table_freeze.folder
    if not is_copy and run.path.parent != runs_of(request).folder:
        return partial(is_still_visitor, request)  # a match of an owner
    return lambda: table_freeze.is_due(run.name) == is_copy


class PublicRuns(Runs):
    """Runs, of which some are shown by a copy."""

    def __init__(self, runs: Runs, frozen: Callable[[str], Path | None]) -> None:
        super().__init__(runs.folder)
        self._runs, self._frozen = runs, frozen

    def names(self) -> list[str]:
        super().names()  # which forgets copies of runs that are gone
        return self._runs.names()

    def __getitem__(self, name: str) -> ShownRun:
        """A run by its name, or the copy that stands for it. Raises HTTPException, StoreError."""
        run = self._runs[name]
        copy = self._frozen(name)
        return run if copy is None else self._show(copy)


def runs_of(request: Request) -> Runs:
    """The runs that a visitor sees."""
    state = state_of(request)
    return state.runs if visitor_of(request).may(Role.STAFF) else state.public_runs
