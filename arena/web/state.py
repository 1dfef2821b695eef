"""The settings and the state of an application: `state_of` a request, `course_of` a request."""

from __future__ import annotations

from collections import Counter, OrderedDict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from fastapi import Depends, HTTPException, Request
from starlette.datastructures import State

from arena.model import Frozen
from arena.web.rates import Rate

if TYPE_CHECKING:  # these modules answer requests, and import this one
    from collections.abc import Callable

    from arena.bots.course_file import Course
    from arena.web.challenge import Challenges
    from arena.web.checks import Checks
    from arena.web.freeze import TableFreeze
    from arena.web.lab_runs import LabRuns
    from arena.web.last_good import LastGood
    from arena.web.live import Hubs
    from arena.web.people import People
    from arena.web.rights import Visitor
    from arena.web.runs import Runs
    from arena.web.scheduler import Scheduler
    from arena.web.staff_answers import StaffAnswer
    from arena.web.streams import Streams
    from arena.web.tables import Tables


class ServerSettings(Frozen):
    """The folders that a server shows, and how browsers reach it."""

    runs: Path = Path("runs")
    """The folder of the runs; of a course, `COURSE/runs`. Both folders are absolute: sentences lose
    them, and name the course."""
    course: Path | None = None
    """The course with its people; None shows runs read-only."""
    secure: bool = False
    """Whether browsers reach it by TLS: cookies are sent over nothing else then."""
    public_url: str | None = None
    """The address that browsers know it by, as `https://arena.example.org`; None for its own."""


class ServerState(State):
    """`app.state`, made by `make_app`."""

    settings: ServerSettings
    runs: Runs
    public_runs: Runs
    """The runs as visitors see them."""
    hubs: Hubs
    streams: Streams
    tables: Tables
    lab: LabRuns
    sent: Counter[str | None]
    """How many files each owner is sending; under None, other requests."""
    identify: Callable[[Request], Visitor]
    course: CourseState | None
    """None where the server shows runs alone."""


@dataclass
class CourseState:
    """The parts of a server that serve a course."""

    folder: Path
    rules: LastGood[Course]
    people: People
    checks: Checks
    challenges: Challenges
    scheduler: Scheduler
    table_freeze: TableFreeze
    answers: OrderedDict[str, StaffAnswer] = field(default_factory=OrderedDict)
    """Those of the staff's forms that wait for their page, by id."""
    challenge_runs: OrderedDict[Path, Runs] = field(default_factory=OrderedDict)
    """The runs of matches that are open, by folder."""
    uploads: Rate = field(default_factory=lambda: Rate(6, 60))
    entries: Rate = field(default_factory=lambda: Rate(6, 60))
    """How often an owner may submit a bot, and ask for a match."""


def state_of(request: Request) -> ServerState:
    state: ServerState = request.app.state
    return state


def course_of(request: Request) -> CourseState:
    """The course that is served; 404 where none is."""
    course = state_of(request).course
    if course is None:
        raise HTTPException(404, "This server shows runs and has no course to sign in to.")
    return course


OfCourse = Annotated[CourseState, Depends(course_of)]
