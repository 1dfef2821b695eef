"""Answers to refused requests: a sentence, on a page in the look of the others or as JSON."""

from errno import EACCES, EDQUOT, ENOSPC, EROFS
from http import HTTPStatus

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from arena.errors import ArenaError, ConfigError, StoreError
from arena.files.plain_text import printable
from arena.reports.html.folders import without_folders
from arena.web.log import to_log
from arena.web.pages import page
from arena.web.rights import Role, visitor_of
from arena.web.safe import HEADERS
from arena.web.sentences import MISTAKE, closed
from arena.web.state import state_of

_SENTENCES = {
    401: "This page is for people of the course. Open the link that you were given.",
    404: "There is no such page here. The list of tournaments is on the first page.",
    405: "This address does not take such a request.",
    500: "The server failed at this page; its log has the cause. Other pages work.",
}
"""Sentences for statuses, where nothing better is known."""


def handle(app: FastAPI) -> None:
    app.exception_handler(HTTPException)(_http)
    app.exception_handler(RequestValidationError)(_invalid)
    app.exception_handler(ArenaError)(_refused)
    app.exception_handler(OSError)(_unkept)
    app.exception_handler(ClientDisconnect)(_gone)
    app.exception_handler(Exception)(_failed)


def refusal(request: Request, status: int, sentence: str) -> Response:
    """An error as the visitor reads it; the request may be in it."""
    sentence = printable(sentence, keep="\n")
    if request.url.path.startswith("/api/"):
        scheme = {"WWW-Authenticate": "Bearer"} if status == 401 else None  # RFC 9110 asks for it
        return JSONResponse({"detail": sentence}, status, scheme)
    title = HTTPStatus(status).phrase
    return page(request, "error.html", status, title=title, code=status, sentence=sentence)


async def _http(request: Request, error: HTTPException) -> Response:
    plain = error.detail == HTTPStatus(error.status_code).phrase
    sentence = _SENTENCES.get(error.status_code, error.detail) if plain else error.detail
    answer = refusal(request, error.status_code, sentence)
    answer.headers.update(error.headers or {})
    return answer


async def _invalid(request: Request, error: RequestValidationError) -> Response:
    problems = (
        f"{'.'.join(map(str, found['loc'][1:])) or found['loc'][0]}: {found['msg']}"
        for found in error.errors()
    )
    return refusal(request, 422, "; ".join(problems))


async def _refused(request: Request, error: ArenaError) -> Response:
    """The sentence of an ArenaError; on a file of the course, for the staff alone."""
    if not visitor_of(request).may(Role.STAFF):
        if isinstance(error, ConfigError):
            return refusal(request, 503, MISTAKE)
        if told := closed(error):
            return refusal(request, 500, told)
    return refusal(
        request, 500 if isinstance(error, StoreError) else 422, in_public(str(error), request)
    )


def in_public(sentence: str, request: Request) -> str:
    """A sentence with files named from the folder of runs or the course."""
    settings = state_of(request).settings
    return without_folders(sentence, settings.runs, settings.course)


async def _unkept(request: Request, error: OSError) -> Response:
    """A full disk, or files of another user: a sentence, and a line in the log instead of a page of
    it. The address is not in it, which may be somebody's token.
    """
    if error.errno not in (EACCES, EDQUOT, ENOSPC, EROFS):
        raise error
    to_log(f"A page failed: {error}")
    status = 500 if error.errno == EACCES else 507
    is_staff = visitor_of(request).may(Role.STAFF)
    advice = "Put that right, and try again" if is_staff else "Tell the staff, and try again later"
    return refusal(request, status, f"The server could not do this: {error.strerror}. {advice}.")


async def _gone(request: Request, error: ClientDisconnect) -> Response:
    """The visitor left before all of a request had come, and reads no answer."""
    return Response(status_code=400)


async def _failed(request: Request, error: Exception) -> Response:
    """A mistake of ours. This answer passes by the layers, so it takes the headers itself."""
    answer = refusal(request, 500, _SENTENCES[500])
    answer.headers.update(HEADERS)
    return answer
