"""Who may see or do what: every route says it by one dependency, `may(...)`."""

from collections.abc import Callable
from enum import StrEnum
from typing import Annotated, Any

from fastapi import Depends, HTTPException, Request

from arena.model import Frozen


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
    return Depends(_Rule(role))


class _Rule:
    """Refuses visitors below a role."""

    def __init__(self, role: Role) -> None:
        self.role = role

    def __call__(self, request: Request) -> None:
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


Asking = Annotated[Visitor, Depends(visitor_of)]
"""The parameter of a route that needs to know its visitor."""
