"""Matches that owners ask for: the form, the JSON, and the page of each run."""

from typing import Annotated

from fastapi import APIRouter, Form, HTTPException, Request
from fastapi.responses import RedirectResponse, Response

from arena.web import run_pages
from arena.web.api import refusals
from arena.web.challenge import Challenge, ChallengeWanted, TooMany
from arena.web.rights import BY_TOKEN, Asking, Role, may
from arena.web.runs import Runs, ShownRun
from arena.web.state import OfCourse, course_of
from arena.web.upload import AskingOwner

_LISTED, _OPEN = 50, 8
"""Matches in the JSON; owners whose runs stay open."""

pages = APIRouter(dependencies=[may(Role.OWNER)])
api = APIRouter(
    prefix="/api/challenges",
    tags=["challenges"],
    dependencies=[BY_TOKEN, may(Role.OWNER)],
    responses=refusals({401: "No owner has this token.", 404: "The staff has no bots."}),
)


async def run_of(request: Request, id: str, asking: Asking) -> ShownRun:
    """The run of a match, for its owner and the staff. Raises HTTPException. Not in a thread of its
    own: requests share what is open.
    """
    course = course_of(request)
    job = course.challenges.jobs.folder(asking.owner or "*", id)
    if job is None:
        raise HTTPException(404, "There is no such match of yours.")
    folder, opened = job.parent, course.challenge_runs
    runs = opened.setdefault(folder, Runs(folder))
    opened.move_to_end(folder)
    if len(opened) > _OPEN:
        opened.popitem(last=False)[1].close()
    return runs[id]


@api.post(
    "",
    status_code=202,
    responses=refusals(
        {
            400: "The body is not valid JSON.",
            413: "The body is larger than 64 kB.",
            422: "There is no such bot or game.",
            429: "A match is being played, or all matches of today were.",
        }
    ),
    summary="Play two games",
)
def ask(owner: AskingOwner, course: OfCourse, wanted: ChallengeWanted) -> Challenge:
    """Two games of one of my bots against another, as soon as there is a place."""
    course.entries.take(owner, "six matches within a minute")
    try:
        return course.challenges.ask(owner, wanted)
    except TooMany as error:
        raise HTTPException(429, str(error)) from None


@api.get("", summary="My matches, the newest first")
def listed(owner: AskingOwner, course: OfCourse) -> list[Challenge]:
    """The last of them."""
    return course.challenges.of(owner, _LISTED)


class ChallengeForm(ChallengeWanted, extra="ignore"):
    """The form of a page, which also has the token of forms."""


@pages.post("/me/challenges")
def ask_by_form(
    owner: AskingOwner, course: OfCourse, wanted: Annotated[ChallengeForm, Form()]
) -> Response:
    ask(owner, course, wanted)
    return RedirectResponse("/me#challenges", 303)


run_pages.add_run(pages, "/me/challenge/{id}", run_of)
