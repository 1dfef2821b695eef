"""The pages of the staff: its owners, bots and tournaments."""

from collections.abc import Sequence
from datetime import UTC, datetime

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import Response

from arena.bots import course
from arena.bots.copies import shared_files
from arena.files.toml_tables import did_you_mean, shown
from arena.reports.submissions import about_shared
from arena.web.downloads import Download
from arena.web.export import export
from arena.web.pages import page
from arena.web.rights import Role, may
from arena.web.staff_answers import ByStaff
from arena.web.staff_log import last_lines
from arena.web.state import course_of
from arena.web.tournaments import WORDS

_CHECKS = 30
"""The checks of all owners that are shown."""

router = APIRouter(prefix="/staff", dependencies=[may(Role.STAFF)])


@router.get("/owners")  # where the answers of forms about owners are shown
@router.get("")
def overview(request: Request, staff: ByStaff, answer: str = "") -> Response:
    rules = staff.rules.now()
    return page(
        request,
        "staff.html",
        answer=staff.answers.pop(answer, None),
        rules=rules,
        is_over=rules.is_over("", datetime.now(UTC)),
        tournaments=staff.scheduler.tournaments(),
        checking=course_of(request).checks.unfinished(),
        words=WORDS,
        bots=course.bots(staff.course),
        owners=staff.roster.now().owners,
        problems=staff.problems(),
        log=last_lines(staff.course),
    )


@router.get("/t/{name}")
def tournament(request: Request, staff: ByStaff, name: str, answer: str = "") -> Response:
    tournaments = {each.name: each for each in staff.scheduler.tournaments()}
    _refuse_unknown(name, list(tournaments), "tournament")
    process = staff.scheduler.process(name)
    return page(
        request,
        "staff_tournament.html",
        answer=staff.answers.pop(answer, None),
        one=tournaments[name],
        checking=course_of(request).checks.unfinished(),
        words=WORDS,
        now=datetime.now(UTC),
        is_closed=staff.scheduler.is_closed(name),
        players=staff.scheduler.players(name),
        problems=staff.problems(),
        log=process.last_lines(),
    )


@router.get("/bot/{name}")
def bot(request: Request, staff: ByStaff, name: str, answer: str = "") -> Response:
    _refuse_unknown(name, [each.name for each in course.bots(staff.course)], "bot")
    found = course.bot(staff.course, name)
    shared = list(map(about_shared, shared_files(staff.course, found)))
    shown = staff.answers.pop(answer, None)
    return page(request, "staff_bot.html", answer=shown, bot=found, shared=shared)


@router.get("/checks")
def checks(request: Request, staff: ByStaff, owner: str = "", answer: str = "") -> Response:
    found = course_of(request).checks
    if owner and owner not in (each.name for each in staff.roster.now().owners):
        raise HTTPException(404, "No owner of the course has this name.")
    shown = found.of(owner) if owner else found.of("*", _CHECKS)
    logs = {each.id: found.jobs.log(each.owner, each.id) for each in shown}
    return page(
        request,
        "staff_checks.html",
        answer=staff.answers.pop(answer, None),
        checks=shown,
        kept={each.id for each in shown if found.file_of(each)},
        logs=logs,
        owner=owner,
    )


@router.get("/export")
def export_all(staff: ByStaff) -> Response:
    staff.note("exported all")
    name = f"{staff.course.resolve().name}-{datetime.now(UTC):%Y%m%d-%H%M}.zip"
    return Download(export(staff.course, staff.table_freeze.public), name)


def _refuse_unknown(name: str, known: Sequence[str], what: str) -> None:
    """Refuse with 404 a name that nothing of the course has."""
    if name not in known:
        hint = did_you_mean(name, known, f"{what}s")
        raise HTTPException(404, f"The course has no {what} {shown(name)}; {hint}")
