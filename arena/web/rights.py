"""The rights of visitors: every route names a role by one dependency, `may(...)`.

`app.state.identify` finds the visitor behind a request. Where a cookie has it, it also sets
`request.state.form_token`: each form of the session sends it back.
"""

import hmac
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import StrEnum
from typing import Annotated, Any

from fastapi import Depends, Request
from fastapi.security import HTTPBearer
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException

from arena.model import Frozen
from arena.web.safe import SAFE_METHODS, UPLOADS
from arena.web.state import state_of

_MOST_SENT = 3
"""The uploads that an owner may be sending at once: each is a file on the disk, and may take long.
"""
_MOST_FIELDS = 1000
"""The fields of a form, which is of bounded size anyway."""


class Role(StrEnum):
    """A kind of visitor; each may do what those before it may."""

    ANYONE = "anyone"
    OWNER = "owner"
    STAFF = "staff"


BY_TOKEN = Depends(HTTPBearer(auto_error=False, description="The token of an owner."))
"""Describes the header; `app.state.identify` reads it."""
_ORDER = list(Role)
_ONLY = {
    Role.OWNER: "Only owners of the course may see this page. "
    "Sign in with the link you were given.",
    Role.STAFF: "Only the staff may see this page. Its link is on the console of the server.",
}


class Visitor(Frozen):
    role: Role = Role.ANYONE
    owner: str | None = None
    """The name on the roster; None for the staff and for anyone."""

    def may(self, role: Role) -> bool:
        return _ORDER.index(self.role) >= _ORDER.index(role)


def may(role: Role, *, in_course: Role | None = None) -> Any:
    """The dependency of a route that visitors of this role may use, or of another where there is a
    course. It refuses visitors that are not known with 401, and those with too few rights with 403.
    `APIRouter(dependencies=[may(Role.OWNER)])` or `@router.get(..., dependencies=[may(…)])`.
    """
    return Depends(RightsRule(role, in_course or role))


class RightsRule:
    """Refuses visitors below a role."""

    def __init__(self, role: Role, in_course: Role) -> None:
        self.role, self.in_course = role, in_course

    async def __call__(self, request: Request) -> None:
        visitor = visitor_of(request)
        role = self.role if state_of(request).settings.course is None else self.in_course
        if not visitor.may(role):
            raise HTTPException(401 if visitor.role is Role.ANYONE else 403, _ONLY[role])


def visitor_of(request: Request) -> Visitor:
    """The visitor that the application's identity finds behind a request, found once."""
    if not hasattr(request.state, "visitor"):
        request.state.visitor = state_of(request).identify(request)
    visitor: Visitor = request.state.visitor
    return visitor


def is_still_visitor(request: Request) -> bool:
    """Whether the visitor of a request is who it was: its session may have ended."""
    with suppress(HTTPException):
        return state_of(request).identify(request) == visitor_of(request)
    return False


async def own_form(request: Request) -> None:
    """Refuse a change that no form of the session asked for: one that lacks its token, as the
    field `form_token` or the header `X-Form-Token`; an address would show it to logs. A program
    sends no cookie, and has no session.
    """
    if request.method in SAFE_METHODS:
        return
    visitor_of(request)
    expected: str | None = getattr(request.state, "form_token", None)
    if expected is None:
        return
    token = request.headers.get("X-Form-Token")
    kind = request.headers.get("content-type", "")
    takes_files = request.url.path in UPLOADS and kind.startswith("multipart/form-data")
    if token is None and (takes_files or "urlencoded" in kind):
        token = str((await form_of(request)).get("form_token", ""))
    if not hmac.compare_digest((token or "").encode(), expected.encode()):
        await request.close()
        raise HTTPException(403, "The page is too old. Load it again, and send the form once more.")


async def form_of(request: Request) -> FormData:
    """The form that a page sent, read once. Refuses with 400 one that is damaged."""
    if not hasattr(request.state, "form"):
        request.state.form = await _read_form(request)
    form: FormData = request.state.form
    return form


async def _read_form(request: Request) -> FormData:
    try:
        with being_sent(request):
            return await request.form(max_files=1, max_fields=_MOST_FIELDS)
    except HTTPException as error:
        if error.status_code != 400:
            raise
        raise HTTPException(400, f"The form is damaged: {error.detail}") from None


@contextmanager
def being_sent(request: Request) -> Iterator[None]:
    """While the body of an owner's request comes. Refuses with 429 one file too many."""
    sent = state_of(request).sent
    owner = visitor_of(request).owner if request.url.path in UPLOADS else None
    if owner is not None and sent[owner] >= _MOST_SENT:
        sentence = f"You are sending {_MOST_SENT} files already; wait until they are there."
        raise HTTPException(429, sentence, {"Retry-After": "10"})
    sent[owner] += 1
    try:
        yield
    finally:
        sent[owner] -= 1


async def _asking(request: Request) -> Visitor:
    return visitor_of(request)


Asking = Annotated[Visitor, Depends(_asking)]
"""The parameter of a route that needs to know its visitor."""
