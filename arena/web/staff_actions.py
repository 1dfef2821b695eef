"""What the staff may do: each action is a form, and one function of the course or the keeper."""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Form
from fastapi.responses import Response

from arena.bots import course
from arena.bots.roster import names_of
from arena.bots.versions import named
from arena.errors import UserError
from arena.web.desk import Answer, AnsweredRoute, AtDesk
from arena.web.rights import Role, may
from arena.web.tournaments import moment

router = APIRouter(
    prefix="/staff",
    dependencies=[may(Role.STAFF)],
    include_in_schema=False,
    route_class=AnsweredRoute,
)
Text = Annotated[str, Form()]


@router.post("/owners/add")
def add_owners(desk: AtDesk, names: Text = "") -> Response:
    """Put owners on the roster; their links are shown once."""
    wanted = names_of(names, "names")
    if not wanted:
        raise UserError("Write a name on each line first.")
    tokens = course.add_owners(desk.course, wanted, datetime.now(UTC))
    known = [name for name in wanted if name not in tokens]
    new = "1 owner is" if len(tokens) == 1 else f"{len(tokens)} owners are"
    sentence = f"{new} new; each has a link, shown this once." if tokens else ""
    if known:
        sentence += f" On the roster already: {', '.join(known)}."
    if not tokens:
        return desk.answered(Answer(sentence.strip()))
    return desk.did(f"added owners: {', '.join(tokens)}", sentence.strip(), tokens)


@router.post("/owners/revoke")
def revoke(desk: AtDesk, owner: Text) -> Response:
    """Let a link open nothing any more."""
    course.revoke(desk.course, owner, datetime.now(UTC))
    return desk.did(f"revoked {owner}", f"The link of {owner} opens nothing any more.")


@router.post("/owners/renew")
def renew(desk: AtDesk, owner: Text) -> Response:
    """Another link for an owner, shown once."""
    token = course.renew(desk.course, owner)
    return desk.did(
        f"renewed {owner}", f"{owner} has another link; the old one opens nothing.", {owner: token}
    )


@router.post("/bot/{name}/exclude")
def exclude(desk: AtDesk, name: str) -> Response:
    """Take a bot out, and accept nothing under its name."""
    course.exclude(desk.course, name)
    return desk.did(
        f"excluded {name}",
        f"{name} is excluded. A tournament that has begun leaves it out once new bots are taken.",
    )


@router.post("/bot/{name}/rollback")
def rollback(desk: AtDesk, name: str, version: Text) -> Response:
    """Let another version play; it also brings back what was excluded."""
    receipt = course.rollback(desk.course, name, version, None)
    return desk.did(f"rolled {name} back to {version}", f"{named(receipt)} plays from now on.")


@router.post("/t/{name}/start")
def start(desk: AtDesk, name: str) -> Response:
    """Play a tournament, or go on; void games are tried again."""
    desk.keeper.start(name)
    return desk.did(f"started {name}", f"{name} is played as soon as no other is.")


@router.post("/t/{name}/take")
def take_new(desk: AtDesk, name: str) -> Response:
    """Take the bots as they are now."""
    desk.keeper.start(name, take_new=True)
    return desk.did(
        f"took new bots into {name}",
        f"{name} takes the bots as they are now. A game in play is played again.",
    )


@router.post("/t/{name}/leave")
def leave_out(desk: AtDesk, name: str, player: Text) -> Response:
    """Leave a player out from now on."""
    desk.keeper.start(name, without=[player])
    return desk.did(f"left {player} out of {name}", f"{name} goes on without {player}.")


@router.post("/t/{name}/pause")
def pause(desk: AtDesk, name: str) -> Response:
    """Stop a tournament; it can go on."""
    desk.keeper.pause(name)
    return desk.did(f"paused {name}", f"{name} is paused; its games are kept.")


@router.post("/t/{name}/freeze")
def freeze(desk: AtDesk, name: str, at: Text = "") -> Response:
    """Show the public no more than there was at a moment, in local time; now, where it is empty."""
    try:
        when = datetime.fromisoformat(at).astimezone(UTC) if at else datetime.now(UTC)
    except (ValueError, OverflowError):
        raise UserError(f"{at} is no moment; write it as 2026-12-24T18:00") from None
    desk.freezer.freeze(name, when)
    return desk.did(
        f"froze {name} at {when.isoformat(timespec='seconds')}",
        f"From {moment(when)} on, owners and visitors see {name} as it stood then.",
    )


@router.post("/t/{name}/unfreeze")
def unfreeze(desk: AtDesk, name: str) -> Response:
    """Show the public all."""
    desk.freezer.unfreeze(name)
    return desk.did(f"unfroze {name}", f"All see {name} as it is.")
