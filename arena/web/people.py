"""The people of a course: each signs in by a link with its token, and stays by a session. Scripts
send the token with each request to `/api`.
"""

import hashlib
import secrets
import time
from datetime import timedelta
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Form, HTTPException, Request
from fastapi.responses import RedirectResponse, Response

from arena.bots.roster import FILE, Roster, read_roster
from arena.errors import SubmissionError
from arena.files.whole_file import stamp
from arena.web.last_good import LastGood
from arena.web.pages import page
from arena.web.rates import Rate, address_of
from arena.web.rights import Asking, Role, Visitor, may
from arena.web.runs import FileState
from arena.web.sessions import SignedSession, Signer
from arena.web.state import CourseState, OfCourse, state_of

COOKIE = "arena_session"
_OWNERS_S = timedelta(days=60).total_seconds()
_STAFFS_S = timedelta(hours=12).total_seconds()
_TOO_MANY = "sixty wrong tokens within a minute"
_DIGITS = 16
"""The digits of a token's hash in a cookie."""

router = APIRouter(dependencies=[may(Role.ANYONE)])


class People:
    """Tells the visitors of a course apart. Raises ConfigError."""

    def __init__(self, course: Path) -> None:
        self.staff_token = secrets.token_hex(16)
        """Made at each start, for the console."""
        self.signer = Signer(course)
        self.wrong = Rate(60, 60)  # a class may come from one address
        self._course = course
        self._read: tuple[FileState | None, Roster] | None = None
        self.roster = LastGood(self._roster)

    def identify(self, request: Request) -> Visitor:
        """The visitor behind a request. Refuses with 401 a token that opens nothing."""
        bearer = _bearer(request)
        session = self.begun_by(request, bearer) if bearer else self.session_of(request)
        if session is None:
            return Visitor()
        if not bearer:
            request.state.form_token = self.signer.form_token(_cookie(request))
        role = Role.STAFF if session.owner is None else Role.OWNER
        return Visitor(role=role, owner=session.owner)

    def begun_by(self, request: Request, token: str) -> SignedSession:
        """The session that a request's token begins. Refuses with 401 one that opens nothing, with
        429 too many of them; a right one always begins a session.
        """
        now = time.time()
        if secrets.compare_digest(token.encode(), self.staff_token.encode()):
            return SignedSession(owner=None, fingerprint=self._of_staff(), ends_at=now + _STAFFS_S)
        try:
            owner = self.roster.now().with_token(token)
        except SubmissionError as error:
            self.wrong.take(address_of(request), _TOO_MANY)
            raise HTTPException(401, str(error)) from None
        return SignedSession(
            owner=owner.name, fingerprint=owner.token_sha256[:_DIGITS], ends_at=now + _OWNERS_S
        )

    def session_of(self, request: Request) -> SignedSession | None:
        """The session of a request's cookie, unless its token was revoked or replaced since: that
        of the staff is another at each start.
        """
        session = self.signer.session(_cookie(request), time.time())
        if session is None:
            return None
        if session.owner is None:
            return session if session.fingerprint == self._of_staff() else None
        live = any(
            each.name == session.owner
            and each.revoked_at is None
            and each.token_sha256[:_DIGITS] == session.fingerprint
            for each in self.roster.now().owners
        )
        return session if live else None

    def _of_staff(self) -> str:
        return hashlib.sha256(self.staff_token.encode()).hexdigest()[:_DIGITS]

    def _roster(self) -> Roster:
        """The roster as it is now, read again where the file is another. Raises ConfigError."""
        state = stamp(self._course / FILE)
        if self._read is None or self._read[0] != state:
            self._read = state, read_roster(self._course)
        return self._read[1]


def _bearer(request: Request) -> str | None:
    """The token that a script sends, which opens `/api` alone."""
    how, _, token = request.headers.get("authorization", "").partition(" ")
    ours = request.url.path.startswith("/api/") and how.casefold() == "bearer"
    return token.strip() if ours else None


def _cookie_name(request: Request) -> str:
    """The name of the cookie; by TLS one that browsers take from this host alone: another host of
    the domain could otherwise sign a visitor in as somebody else, who gets the bots then.
    """
    return f"__Host-{COOKIE}" if state_of(request).settings.secure else COOKIE


def _cookie(request: Request) -> str:
    return request.cookies.get(_cookie_name(request), "")


@router.get("/in")
def login(request: Request, course: OfCourse) -> Response:
    return page(request, "in.html")


@router.post("/in")
def log_in(request: Request, course: OfCourse, token: Annotated[str, Form()]) -> Response:
    try:
        session = course.people.begun_by(request, token.strip())
    except HTTPException as refused:
        return page(request, "in.html", refused.status_code, refusal=refused.detail)
    return _come_in(request, course, session)


@router.get("/in/{token}")
def follow_link(request: Request, course: OfCourse, asking: Asking, token: str) -> Response:
    """Begin a session by a link. A visitor who is somebody else is asked: it may be a trap."""
    session = course.people.begun_by(request, token.strip())
    if asking.role is Role.ANYONE or asking.owner == session.owner:
        return _come_in(request, course, session)
    return page(request, "in_instead.html", token=token, owner=session.owner)


def _come_in(request: Request, course: CourseState, session: SignedSession) -> Response:
    answer = RedirectResponse("/me" if session.owner else "/staff", 303)
    answer.set_cookie(
        _cookie_name(request),
        course.people.signer.cookie(session),
        max_age=round(session.ends_at - time.time()),
        httponly=True,
        samesite="lax",
        secure=state_of(request).settings.secure,
    )
    return answer


@router.post("/out")
def log_out(request: Request, course: OfCourse) -> Response:
    """End the session, here and wherever its cookie was copied to."""
    course.people.signer.end(_cookie(request), time.time())
    answer = RedirectResponse("/", 303)
    answer.delete_cookie(_cookie_name(request), secure=state_of(request).settings.secure)
    return answer
