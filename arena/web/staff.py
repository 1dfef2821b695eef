"""The pages of the staff: its owners, bots and tournaments."""

from collections.abc import Sequence
from datetime import UTC, datetime
from urllib.parse import quote

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import Response, StreamingResponse

from arena.bots import course
from arena.files.toml_tables import did_you_mean, shown
from arena.web.desk import AtDesk
from arena.web.export import export
from arena.web.pages import page
from arena.web.rights import Role, may
from arena.web.staff_log import last_lines
from arena.web.state import course_of
from arena.web.tournaments import WORDS, moment

_CHECKS = 30
"""Shown of all owners."""

router = APIRouter(prefix="/staff", dependencies=[may(Role.STAFF)], include_in_schema=False)


@router.get("")
def overview(request: Request, desk: AtDesk, answer: str = "") -> Response:
    """All of the course."""
    return page(
        request,
        "staff.html",
        answer=desk.answers.take(answer),
        rules=desk.rules.now(),
        tournaments=desk.keeper.tournaments(),
        words=WORDS,
        moment=moment,
        bots=course.bots(desk.course),
        owners=desk.roster.now().owners,
        problems=desk.problems(),
        log=last_lines(desk.course),
    )


@router.get("/owners")
def owners(request: Request, desk: AtDesk, answer: str = "") -> Response:
    """The same page, for the answers of forms about owners."""
    return overview(request, desk, answer)


@router.get("/t/{name}")
def tournament(request: Request, desk: AtDesk, name: str, answer: str = "") -> Response:
    """A tournament: how it stands, its log, and what may be done."""
    _refuse_unknown(name, desk.keeper.names(), "tournament")
    process = desk.keeper.process(name)
    one = next(each for each in desk.keeper.tournaments() if each.name == name)
    return page(
        request,
        "staff_tournament.html",
        answer=desk.answers.take(answer),
        one=one,
        words=WORDS,
        moment=moment,
        now=datetime.now(UTC),
        is_closed=desk.keeper.is_closed(name),
        players=desk.keeper.players(name),
        problems=desk.problems(),
        log=process.last_lines(),
    )


@router.get("/bot/{name}")
def bot(request: Request, desk: AtDesk, name: str, answer: str = "") -> Response:
    """A bot: its versions with their checks."""
    _refuse_unknown(name, [each.name for each in course.bots(desk.course)], "bot")
    found = course.bot(desk.course, name)
    return page(request, "staff_bot.html", answer=desk.answers.take(answer), bot=found)


@router.get("/checks")
def checks(request: Request, desk: AtDesk, owner: str = "") -> Response:
    """The last checks: of all, or of one owner."""
    found = course_of(request).checks
    if owner and owner not in (each.name for each in desk.roster.now().owners):
        raise HTTPException(404, "No owner of the course has this name.")
    shown = found.of(owner) if owner else found.latest(_CHECKS)
    logs = {check.id: found.log(check) for check in shown}
    return page(request, "staff_checks.html", checks=shown, logs=logs, owner=owner)


@router.get("/export")
def export_all(desk: AtDesk) -> Response:
    """All of it, as a ZIP."""
    desk.note("exported all")
    name = f"{desk.course.resolve().name}-{datetime.now(UTC):%Y%m%d-%H%M}.zip"
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name)}"}
    return StreamingResponse(export(desk.course), media_type="application/zip", headers=headers)


def _refuse_unknown(name: str, known: Sequence[str], what: str) -> None:
    """Refuse with 404 a name that nothing of the course has."""
    if name not in known:
        hint = did_you_mean(name, known, f"{what}s")
        raise HTTPException(404, f"The course has no {what} {shown(name)}; {hint}")
