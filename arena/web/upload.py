"""Submitting a bot from a page or a script; its check is a process, and sent as events."""

import asyncio
import re
import time
from collections.abc import AsyncGenerator
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import IO, Annotated, Any

from fastapi import APIRouter, Depends, Header, HTTPException, Query, Request
from fastapi.responses import RedirectResponse, Response, StreamingResponse
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile

from arena.bots.course import refuse_late
from arena.checks.events import Event, Refused
from arena.entering.remote import MAX_BYTES
from arena.files.whole_file import stamp
from arena.web.api import INVALID, refusals
from arena.web.checks import Check, Checks, StillChecking
from arena.web.jobs import EVENTS, DamagedJob, events_of
from arena.web.rights import BY_TOKEN, Asking, Role, being_sent, form_of, is_still_visitor, may
from arena.web.runs import FileState
from arena.web.safe import TOO_LARGE
from arena.web.state import OfCourse, state_of
from arena.web.streams import EventStream, as_long, event, refuse_beyond

_LOOK_S, _ALIVE_S = 0.2, 15.0
"""The time between looks at a check, and the longest silence of a stream."""
_NOTHING = b":\n\n"
"""A line that is no event, for a stream without news: programs know no others than a check has."""

pages = APIRouter(dependencies=[may(Role.OWNER)])
api = APIRouter(
    prefix="/api/submissions",
    tags=["submissions"],
    dependencies=[BY_TOKEN, may(Role.OWNER)],
    responses=INVALID,
)


def own(asking: Asking) -> str:
    """The owner that asks. The staff has no bots."""
    if asking.owner is None:
        raise HTTPException(404, "The staff has no bots. Sign in with the link of an owner.")
    return asking.owner


AskingOwner = Annotated[str, Depends(own)]


def _of_owner(id: str, owner: AskingOwner, course: OfCourse) -> Path:
    folder = course.checks.jobs.folder(owner, id)
    if folder is None:
        raise HTTPException(404, "There is no such check of yours.")
    return folder


OneFolder = Annotated[Path, Depends(_of_owner)]
_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/octet-stream": {"schema": {"type": "string", "format": "binary"}},
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "properties": {"bot": {"type": "string", "format": "binary"}},
                    "required": ["bot"],
                }
            },
        },
    }
}
_REFUSED = {
    400: "The form is damaged, or has no file.",
    401: "No owner has this token.",
    404: "There is no such submission of yours; the staff has none.",
    409: "A bot of yours is being checked.",
    413: TOO_LARGE,
    422: "The file's name cannot be used, or the deadline has passed.",
    429: "Too many requests; `Retry-After` says when to try again.",
}


def _refused(*codes: int) -> dict[int | str, dict[str, Any]]:
    return refusals({code: _REFUSED[code] for code in (401, 404, *codes)})


@api.post(
    "",
    status_code=202,
    openapi_extra=_BODY,
    responses=_refused(400, 409, 413, 422, 429),
    summary="Submit a bot",
)
async def hand_in(
    request: Request,
    owner: AskingOwner,
    course: OfCourse,
    name: Annotated[str, Query(description="The file's name, where the body is the file.")] = "",
) -> Check:
    """Take a script, a source file or an archive, as the body or in a form, and begin its check.
    The events of that are sent at `/api/submissions/{id}/live`.
    """
    course.uploads.take(owner, "six bots within a minute")
    if request.headers.get("content-type", "").startswith("multipart/form-data"):
        file, contents = await _of_form(request)
    else:
        file, contents = name, await _of_body(request)
    try:
        sent_at = datetime.now(UTC)
        if state_of(request).identify(request).owner != owner:
            raise HTTPException(
                401, "Your session ended while the file was being sent. Sign in again."
            )
        refuse_late(course.rules.now(), owner, sent_at)  # its check may wait for long
        return await run_in_threadpool(course.checks.add, owner, file, contents, sent_at)
    except StillChecking as error:
        raise HTTPException(409, str(error)) from None
    finally:
        contents.close()


@api.get("", responses=_refused(), summary="My submissions and their checks, the newest first")
def listed(owner: AskingOwner, course: OfCourse) -> list[Check]:
    """All that are kept."""
    return course.checks.of(owner)


@api.get("/{id}", responses=_refused(), summary="One submission and its check")
def one(folder: OneFolder, course: OfCourse) -> Check:
    """As it stands."""
    return course.checks.read(folder)


@api.get(
    "/{id}/live",
    response_class=StreamingResponse,
    responses=_refused(429) | {200: {"content": {"text/event-stream": {}}}},
    summary="What happens in a check",
)
async def live(
    request: Request,
    folder: OneFolder,
    course: OfCourse,
    last: Annotated[str, Header(alias="Last-Event-ID")] = "",
) -> EventStream:
    """Each event as it happens, from the one after `Last-Event-ID` on. The last of a check is
    `entered`, `refused` or `broken`; where its token is revoked, the stream ends before.
    """
    refuse_beyond(request)
    seen = int(last) if re.fullmatch("[0-9]{1,8}", last) else 0
    told, still = events(course.checks, folder, seen), partial(is_still_visitor, request)
    return EventStream(request, as_long(_NOTHING, told, still, _NOTHING))


@pages.post("/me/upload")
async def upload(
    request: Request, owner: AskingOwner, course: OfCourse, name: str = ""
) -> Response:
    await hand_in(request, owner, course, name)
    return RedirectResponse("/me#checks", 303)


async def _of_body(request: Request) -> IO[bytes]:
    """The file that the body is, kept on the disk where it is large."""
    contents = SpooledTemporaryFile(max_size=2**20)  # noqa: SIM115 - the caller closes it
    try:
        with being_sent(request):
            async for part in request.stream():
                await run_in_threadpool(contents.write, part)
        if contents.tell() > MAX_BYTES:
            raise HTTPException(413, TOO_LARGE)
    except BaseException:
        contents.close()
        raise
    contents.seek(0)
    return contents


async def _of_form(request: Request) -> tuple[str, IO[bytes]]:
    """The file of a form, and its name."""
    form = await form_of(request)
    sent = form.get("bot")
    if not isinstance(sent, UploadFile):
        raise HTTPException(400, "Choose a file first: the form has none.")
    if (sent.size or 0) > MAX_BYTES:
        await form.close()
        raise HTTPException(413, TOO_LARGE)
    return sent.filename or "", sent.file


async def events(checks: Checks, folder: Path, seen: int = 0) -> AsyncGenerator[bytes]:
    """The events of a check after the first `seen`, as server-sent events."""
    number, state, heard_at, over = 0, None, time.monotonic(), False
    while not over:
        news, state, over = await run_in_threadpool(_look, checks, folder, number, state)
        for happened in news:
            number, heard_at = number + 1, time.monotonic()
            if number > seen:
                yield event(happened.event, happened.model_dump_json(), number)
        if time.monotonic() > heard_at + _ALIVE_S:
            heard_at = time.monotonic()
            yield _NOTHING
        if not over:
            await asyncio.sleep(_LOOK_S)
    check = await run_in_threadpool(checks.read, folder)
    if check.state in ("cancelled", "broken off", "damaged") and check.sentence:
        broken = Refused(sentence=check.sentence).model_dump_json()
        yield event("broken", broken, number + 1)


def _look(
    checks: Checks, folder: Path, number: int, before: FileState | None
) -> tuple[list[Event], FileState | None, bool]:
    """The events after the first `number`, whose file was in the state `before`; its state now, and
    whether there will be no more.
    """
    over = checks.jobs.is_over(folder)  # asked first: what it wrote last is read then
    news, state = list[Event](), stamp(folder / EVENTS)
    try:
        if state != before:
            news.extend(islice(events_of(folder), number, None))
    except DamagedJob:  # which the last event reports, after those before it
        over = True
    return news, state, over
