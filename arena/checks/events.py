"""The events of a check and its acceptance: values that also come from a server."""

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from arena.checks.result import Checklist, CheckResult
from arena.model import Frozen
from arena.model.containment import Held
from arena.model.game_spec import Terms


class Checking(Frozen):
    event: Literal["checking"] = "checking"
    held: Held
    """The sandbox of the bot."""
    terms: Terms | None
    """Those of the tournament it is checked for; null without one."""


class Judging(Frozen):
    event: Literal["judging"] = "judging"
    what: str
    """Its number and title, and how far it has come."""


class PointJudged(Frozen):
    event: Literal["judged"] = "judged"
    result: CheckResult


class Checked(Frozen):
    event: Literal["checked"] = "checked"
    checklist: Checklist


class Entered(Frozen):
    """The bot was accepted, or not: the last event."""

    event: Literal["entered"] = "entered"
    name: str
    """Its name among the submissions."""
    rules: tuple[str, ...] | None
    """The rule sets it claims to play; null for a script."""
    version: str | None
    """The version that plays from now on, as `fox@2 (9c0c2c46)`; null where none was accepted."""
    before: str | None
    """The version that played before; null where there was none."""


class Refused(Frozen):
    """The bot could not be taken: the last event."""

    event: Literal["refused"] = "refused"
    sentence: str
    """Why, and what to do."""


Event = Checking | Judging | PointJudged | Checked | Entered | Refused
_READ = TypeAdapter[Event](Annotated[Event, Field(discriminator="event")])


def read_event(line: str | bytes) -> Event:
    """An event from its JSON. Raises ValidationError."""
    return _READ.validate_json(line)
