"""Who may see or do what: every route says it by one dependency, `may(...)`.

`app.state.identify` finds who sent a request. Where a cookie says it, identify also sets
`request.state.form_token`: each form of the session sends it back.
"""

import hmac
from collections.abc import Callable
from enum import StrEnum
from typing import Annotated, Any

from fastapi import Depends, HTTPException, Request

from arena.model import Frozen
from arena.web.safe import SAFE_METHODS


class Role(StrEnum):
    """A kind of visitor; each may do what those before it may."""

    ANYONE = "anyone"
    OWNER = "owner"
    STAFF = "staff"


_ORDER = list(Role)


class Visitor(Frozen):
    """Where a request comes from."""

    role: Role = Role.ANYONE
    owner: str | None = None
    """The name on the roster; None for the staff and for anyone."""

    def may(self, role: Role) -> bool:
        """Whether it has at least this role."""
        return _ORDER.index(self.role) >= _ORDER.index(role)


def may(role: Role) -> Any:
    """The dependency of a route that visitors of this role may use. It refuses with 401 who is
    nobody, with 403 who has too few rights. `APIRouter(dependencies=[may(Role.OWNER)])` or
    `@router.get(..., dependencies=[may(Role.ANYONE)])`.
    """
    return Depends(RightsRule(role))


class RightsRule:
    """Refuses visitors below a role."""

    def __init__(self, role: Role) -> None:
        self.role = role

    async def __call__(self, request: Request) -> None:
        visitor = visitor_of(request)
        if not visitor.may(self.role):
            missing = visitor.role is Role.ANYONE
            raise HTTPException(401 if missing else 403, f"This page is for: {self.role}.")


def visitor_of(request: Request) -> Visitor:
    """The visitor that the application's identity finds behind a request, found once."""
    if not hasattr(request.state, "visitor"):
        identify: Callable[[Request], Visitor] = request.app.state.identify
        request.state.visitor = identify(request)
    visitor: Visitor = request.state.visitor
    return visitor


async def own_form(request: Request) -> None:
    """Refuse a change that no form of the session asked for: one that lacks its token, as the
    field `form_token`, or where files are sent as the header `X-Form-Token` or in the query. A
    program says who it is without a cookie, and has no session.
    """
    if request.method in SAFE_METHODS:
        return
    visitor_of(request)
    expected: str | None = getattr(request.state, "form_token", None)
    if expected is None:
        return
    given = request.headers.get("X-Form-Token") or request.query_params.get("form_token")
    if given is None and "urlencoded" in request.headers.get("content-type", ""):
        given = str((await request.form()).get("form_token", ""))
    if not hmac.compare_digest((given or "").encode(), expected.encode()):
        raise HTTPException(403, "The page is too old. Load it again, and send the form once more.")


async def _asking(request: Request) -> Visitor:
    return visitor_of(request)


Asking = Annotated[Visitor, Depends(_asking)]
"""The parameter of a route that needs to know its visitor."""
