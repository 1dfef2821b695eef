"""`/me`: an owner's bots, checks and losses, and what may be done with them."""

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Annotated, NamedTuple

from fastapi import APIRouter, Form, HTTPException, Request
from fastapi.responses import RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from arena.bots import course
from arena.bots.course_file import Course
from arena.bots.manifest import is_name
from arena.entering.remote import MAX_BYTES
from arena.web.challenge import OFFERED_MS, Challenge, GameOffer, choices, game_offers
from arena.web.checks import TOO_OFTEN, Check, Checks
from arena.web.losses import LAST, losses
from arena.web.pages import page, rendered
from arena.web.rights import Asking, Role, is_still_visitor, may
from arena.web.state import OfCourse, course_of
from arena.web.streams import SIGN_OF_LIFE, EventStream, as_long, event, refuse_beyond
from arena.web.tournaments import runs_of
from arena.web.upload import AskingOwner, OneFolder, events

_CHECKS, _CHALLENGES = 10, 5
"""Checks and matches on the page."""
_LOOK_S = 1.0
"""How often it is looked how a match stands."""

router = APIRouter(dependencies=[may(Role.OWNER)])


class Mine(NamedTuple):
    owner: str
    bots: list[course.Entry]
    unread: list[str]
    """Names of other bots, of which the server can read no version."""
    used: int
    """Versions submitted."""
    rules: Course
    size_mb: float
    """The most of a file, in MB."""
    deadline: datetime | None
    is_over: bool
    """Whether the deadline has passed."""
    checks: list[Check]
    challenges: list[Challenge]
    challenges_left: int
    """Matches that may still be asked for today."""
    opponents: list[str]
    games: dict[str, GameOffer]
    times_ms: Sequence[int]

    @property
    def is_playing(self) -> bool:
        return any(one.is_unfinished for one in self.challenges)


def mine(request: Request, owner: str) -> Mine:
    """The bots, checks and matches of an owner. Raises ArenaError."""
    state = course_of(request)
    folder, rules = state.folder, state.rules.now()
    now, entries, offers = datetime.now(UTC), course.entries(folder), game_offers(folder)
    return Mine(
        owner=owner,
        bots=[entry for entry in entries if entry.owner == owner],
        unread=_unread(entries, owner, state.checks),
        used=sum(each.owner == owner for entry in entries for each in entry.versions),
        rules=rules,
        size_mb=min(rules.quota.size_mb, MAX_BYTES / 1e6),
        deadline=rules.deadline_of(owner),
        is_over=rules.is_over(owner, now),
        checks=state.checks.of(owner, _CHECKS),
        challenges=state.challenges.of(owner, _CHALLENGES),
        challenges_left=state.challenges.left(owner, now),
        opponents=list(choices(entries, owner, offers)[1]),
        games=offers,
        times_ms=OFFERED_MS,
    )


def _unread(entries: Sequence[course.Entry], owner: str, checks: Checks) -> list[str]:
    """The bots of an owner without a version that can be read. What tells whose they are is their
    name, or a check that accepted them.
    """
    unread = [entry.name for entry in entries if not entry.versions]
    ends = [check.entered for check in checks.of(owner)] if unread else []
    own = {owner, *(end.name for end in ends if end and end.version)}
    return [name for name in unread if name in own]


@router.get("/me")
async def me(request: Request, asking: Asking) -> Response:
    """The owner's page; the staff has one of its own."""
    if asking.owner is None:
        return RedirectResponse("/staff", 303)
    own = await run_in_threadpool(mine, request, asking.owner)
    lost = await losses(runs_of(request), asking.owner)
    return page(request, "me.html", mine=own, losses=lost, last=LAST)


@router.get("/me/check/{id}/live")
async def live(request: Request, owner: AskingOwner, folder: OneFolder) -> Response:
    """A check as the page shows it, whenever it has changed; at its end also what it changed."""
    refuse_beyond(request)
    return _followed(request, _sections(request, owner, folder))


@router.post("/me/check/{id}/cancel")
def cancel(folder: OneFolder, course: OfCourse) -> Response:
    course.checks.jobs.cancel(folder)
    return RedirectResponse("/me#checks", 303)


def _followed(request: Request, told: AsyncGenerator[bytes]) -> EventStream:
    """What is told on an owner's page, until its session ends."""
    still = partial(is_still_visitor, request)
    return EventStream(request, as_long(SIGN_OF_LIFE, told, still))


async def _sections(request: Request, owner: str, folder: Path) -> AsyncGenerator[bytes]:
    checks, shown = course_of(request).checks, None
    async for _ in events(checks, folder):
        check = await run_in_threadpool(checks.read, folder)
        if check == shown:
            yield SIGN_OF_LIFE
            continue
        shown, card = check, rendered(request, "me/check.html", check=check)
        yield event("sections", json.dumps({f"check-{check.id}": card}))
    found = await run_in_threadpool(mine, request, owner)
    first = bool(shown and shown.entered and shown.entered.version and not shown.entered.before)
    changed = ("facts", "bots", "challenges") if first else ("facts", "bots")
    parts = {each: rendered(request, f"me/{each}.html", mine=found) for each in changed}
    parts |= dict.fromkeys(
        ("versions", "versions-against"), rendered(request, "me/versions.html", mine=found)
    )
    yield event("sections", json.dumps(parts | {"cancel": ""}))
    yield event("over", "{}")


@router.get("/me/challenges/live")
async def live_matches(request: Request, owner: AskingOwner) -> Response:
    """The matches as the page shows them, whenever that has changed, until they are over; then also
    how many more may be asked for.
    """
    refuse_beyond(request)
    found = await run_in_threadpool(mine, request, owner)  # a mistake is reported before the stream
    return _followed(request, _matches(request, found))


async def _matches(request: Request, found: Mine) -> AsyncGenerator[bytes]:
    shown, challenges = "", course_of(request).challenges
    while True:
        text = rendered(request, "me/matches.html", mine=found)
        yield SIGN_OF_LIFE if text == shown else event("sections", json.dumps({"matches": text}))
        if not found.is_playing:
            break
        shown = text
        await asyncio.sleep(_LOOK_S)
        again = await run_in_threadpool(challenges.again, found.challenges)
        found = found._replace(challenges=again)
    left = await run_in_threadpool(challenges.left, found.owner, datetime.now(UTC))
    html = rendered(request, "me/left.html", mine=found._replace(challenges_left=left))
    yield event("sections", json.dumps({"challenges-left": html}))
    yield event("over", "{}")


@router.post("/me/bots/{name}/withdraw")
def withdraw(request: Request, owner: AskingOwner, name: str) -> Response:
    course.withdraw(course_of(request).folder, _named(name), owner)
    return RedirectResponse("/me#bots", 303)


@router.post("/me/bots/{name}/rollback")
def rollback(
    request: Request, owner: AskingOwner, name: str, version: Annotated[str, Form()]
) -> Response:
    """Let another version play. A standing tournament then leaves the games of the one before."""
    state = course_of(request)
    state.checks.returns.take(owner, TOO_OFTEN)
    course.rollback(state.folder, _named(name), version, owner)
    return RedirectResponse("/me#bots", 303)


def _named(name: str) -> str:
    """A name that can be a bot's, and leads nowhere else. Raises HTTPException."""
    if not is_name(name):
        raise HTTPException(404, "There is no such bot.")
    return name
