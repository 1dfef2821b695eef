"""Moments in words."""

from contextlib import suppress
from datetime import datetime


def moment(at: datetime) -> str:
    """A moment as it is read here, in local time; its day alone where its zone is not known."""
    if at.tzinfo is None:
        return at.date().isoformat()
    with suppress(OverflowError, ValueError):  # of the years 1 and 9999
        at = at.astimezone()
    return f"{at:%Y-%m-%d %H:%M} {at.tzname() or f'{at:%z}'}"  # TZ=:/missing has no name
