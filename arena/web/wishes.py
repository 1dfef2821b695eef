"""The staff's wishes for the tournaments of a course: one small JSON file, replaced whole."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Literal

from pydantic import AwareDatetime, Field, ValidationError

from arena.errors import Exit, UserError
from arena.files.whole_file import write_whole
from arena.model import Frozen
from arena.tournament.events import RunOutcome

FILE = "keeper.json"
End = Literal["over", "void", "failed"]
"""Nothing is left to play; games stayed void; or it cannot be played."""
MOST_DEATHS = 3
"""Deaths in a row soon after a start, after which it is left alone."""


class Wish(Frozen):
    """The wish for one tournament, and its state."""

    wanted: Literal["playing", "paused"] = "paused"
    since: AwareDatetime | None = None
    """Since when; of those that wait to be played the first comes first."""
    asked_at: AwareDatetime | None = None
    """When another field was asked for, which takes another start; None once that was made."""
    take_new: bool = False
    """The next start takes new bots and versions."""
    without: tuple[str, ...] = ()
    """The next start leaves these players out."""
    begun_at: AwareDatetime | None = None
    """The last start."""
    pid: int | None = None
    """Of the last start; None once its end was seen."""
    field: dict[str, str] = Field(default_factory=dict)
    """The versions that the last start took, by bot."""
    ended: End | None = None
    """Why it is not played on by itself; None while it is, or would be."""
    died_at: AwareDatetime | None = None
    deaths: int = 0
    """How often in a row it died soon after its start."""
    freeze_at: AwareDatetime | None = None
    """From when on the public sees the table as it stood then; None shows all."""

    @property
    def is_asked(self) -> bool:
        """Whether another field was asked for since the last start."""
        return self.asked_at is not None and (
            self.begun_at is None or self.begun_at < self.asked_at
        )

    def waits(self, now: datetime, back_off_s: float) -> bool:
        """Whether it is to be started: its last end was seen, and is not too near if it died."""
        if self.wanted == "paused" or self.ended is not None or self.pid is not None:
            return False
        if self.died_at is None or not self.deaths:
            return True
        back_off = timedelta(seconds=back_off_s * 2 ** (self.deaths - 1))
        return abs(now - self.died_at) >= back_off  # the clock may have been set back

    def played(self, now: datetime, *, take_new: bool, without: Iterable[str]) -> "Wish":
        """The wish that it be played from now on, with a change of its field, if any."""
        waits = self.wanted == "playing" and self.ended is None
        out = tuple(dict.fromkeys([*self.without, *without]))
        take = take_new or self.take_new
        asked_at = max(now, (self.begun_at or now) + timedelta.resolution)  # after a clock set back
        return self.model_copy(
            update={
                "wanted": "playing",
                "since": self.since if waits else now,
                "asked_at": asked_at if take or out else self.asked_at,
                "take_new": take,
                "without": out,
                "ended": None,
                "deaths": 0,
            }
        )

    def after_end(
        self, now: datetime, outcome: RunOutcome | None, code: int | None, quick_s: float
    ) -> "Wish":
        """The wish once its process has ended: by itself with an outcome, or it died."""
        finished = end_of(outcome)
        is_full = code == Exit.INTERRUPTED and outcome is None
        quick = self.begun_at is not None and abs(now - self.begun_at).total_seconds() < quick_s
        is_expected = self.wanted == "paused" or self.is_asked
        deaths = 0 if is_expected or finished or not quick else self.deaths + 1
        ended: End | None = None
        if self.is_asked:
            pass
        elif finished:
            ended = finished
        elif deaths >= MOST_DEATHS or ((code == Exit.USAGE or is_full) and not is_expected):
            ended = "failed"
        done = {"pid": None, "died_at": now, "deaths": deaths, "ended": ended}
        taken = {"take_new": False, "without": ()} if ended else {}
        return self.model_copy(update=done | taken)


def end_of(outcome: RunOutcome | None) -> End | None:
    """How a run ended by itself; None where it was stopped or killed."""
    if outcome is None or outcome.interrupted:
        return None
    return "void" if outcome.void else "over"


class Wishes(Frozen):
    tournaments: dict[str, Wish] = Field(default_factory=dict)


def read_wishes(course: Path) -> dict[str, Wish]:
    """The wish for each tournament. Raises UserError."""
    file = course / FILE
    try:
        text = file.read_bytes() if file.exists() else b"{}"
        return Wishes.model_validate_json(text).tournaments
    except ValidationError:
        raise UserError(
            f"{file} is not what the arena wrote; move it away, and start the tournaments again"
        ) from None


def write_wishes(course: Path, wishes: dict[str, Wish]) -> None:
    text = Wishes(tournaments=wishes).model_dump_json(indent=2) + "\n"
    write_whole(course / FILE, text, private=True)
