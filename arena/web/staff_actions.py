"""The actions of the staff: each is a form, and one function of the course or the scheduler."""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Form
from fastapi.responses import Response

from arena.bots import course
from arena.bots.course_file import local
from arena.bots.roster import names_of
from arena.bots.versions import named
from arena.errors import UserError
from arena.files.moments import moment
from arena.web.rights import Role, may
from arena.web.staff_answers import AnsweredRoute, ByStaff, StaffAnswer

router = APIRouter(
    prefix="/staff",
    dependencies=[may(Role.STAFF)],
    route_class=AnsweredRoute,
)
FormText = Annotated[str, Form()]


@router.post("/owners/add")
def add_owners(staff: ByStaff, names: FormText = "") -> Response:
    wanted = names_of(names, "names")
    if not wanted:
        raise UserError("Write a name on each line first.")
    tokens = course.add_owners(staff.course, wanted, datetime.now(UTC))
    known = [name for name in wanted if name not in tokens]
    new = "1 owner is" if len(tokens) == 1 else f"{len(tokens)} owners are"
    sentence = f"{new} new; each has a link, shown this once." if tokens else ""
    if known:
        sentence += f" On the roster already: {', '.join(known)}."
    if not tokens:
        return staff.answered(StaffAnswer(sentence.strip()))
    return staff.did(f"added owners: {', '.join(tokens)}", sentence.strip(), tokens)


@router.post("/owners/revoke")
def revoke(staff: ByStaff, owner: FormText) -> Response:
    course.revoke(staff.course, owner, datetime.now(UTC))
    return staff.did(f"revoked {owner}", f"The link of {owner} is no longer valid.")


@router.post("/owners/renew")
def renew(staff: ByStaff, owner: FormText) -> Response:
    token = course.renew(staff.course, owner)
    return staff.did(
        f"renewed {owner}", f"{owner} has a new link; the old one is not valid.", {owner: token}
    )


@router.post("/bot/{name}/exclude")
def exclude(staff: ByStaff, name: str) -> Response:
    course.exclude(staff.course, name)
    return staff.did(
        f"excluded {name}",
        f"{name} is excluded. A tournament that has begun leaves it out once new bots are taken, a "
        "knockout once you leave it out there.",
    )


@router.post("/bot/{name}/rollback")
def rollback(staff: ByStaff, name: str, version: FormText) -> Response:
    receipt = course.rollback(staff.course, name, version, None)
    return staff.did(f"rolled {name} back to {version}", f"{named(receipt)} plays from now on.")


@router.post("/checks/again")
def check_again(staff: ByStaff, id: FormText) -> Response:
    folder = staff.checks.jobs.folder("*", id)
    if folder is None:
        raise UserError("This check is not kept any more")
    check = staff.checks.again(folder, datetime.now(UTC))
    return staff.did(
        f"checked {check.file} of {check.owner} again",
        f"{check.file} of {check.owner} is checked again, as submitted {moment(check.sent_at)}.",
    )


@router.post("/t/{name}/start")
def start(staff: ByStaff, name: str) -> Response:
    staff.scheduler.start(name)
    return staff.did(f"started {name}", f"{name} is played as soon as no other is.")


@router.post("/t/{name}/take")
def take_new(staff: ByStaff, name: str) -> Response:
    staff.scheduler.start(name, take_new=True)
    return staff.did(
        f"took new bots into {name}",
        f"{name} takes the bots as they are now. A game in progress is played again.",
    )


@router.post("/t/{name}/leave")
def leave_out(staff: ByStaff, name: str, player: FormText) -> Response:
    staff.scheduler.start(name, without=[player])
    return staff.did(f"left {player} out of {name}", f"{name} continues without {player}.")


@router.post("/t/{name}/pause")
def pause(staff: ByStaff, name: str) -> Response:
    staff.scheduler.pause(name)
    return staff.did(f"paused {name}", f"{name} is paused; its games are kept.")


@router.post("/t/{name}/freeze")
def freeze(staff: ByStaff, name: str, at: FormText = "") -> Response:
    """Show the public no more than there was at a moment, in local time; now, where it is empty."""
    try:
        when = local(datetime.fromisoformat(at)).astimezone(UTC) if at else datetime.now(UTC)
    except (ValueError, OverflowError):
        raise UserError(f"{at} is not a date with a time; write it as 2026-12-24T18:00") from None
    staff.table_freeze.freeze(name, when)
    return staff.did(
        f"froze {name} at {when.isoformat(timespec='seconds')}",
        f"From {moment(when)} on, owners and visitors see {name} as it was then.",
    )


@router.post("/t/{name}/unfreeze")
def unfreeze(staff: ByStaff, name: str) -> Response:
    staff.table_freeze.unfreeze(name)
    return staff.did(f"unfroze {name}", f"Everybody sees the current table of {name}.")
