"""The checks of what owners submit, each kept with its result:

COURSE/.web/checks/ada/20261101-120000-1f2e3d4c/
    about.json      whose it is, and which file
    upload/fox.zip  the file, until it is checked
    aside/fox.zip   the file where it was not accepted, for another check by the staff
    events.jsonl    what happened, a line for each event of `arena.checks.events`
"""

import os
import re
import shutil
import threading
from datetime import datetime
from pathlib import Path
from typing import IO, Literal

from pydantic import AwareDatetime

from arena.bots import course
from arena.bots.programs import SUFFIXES
from arena.bots.versions import named
from arena.checks.events import Checking, Entered, Event, Judging, PointJudged, Refused
from arena.checks.result import CheckResult
from arena.errors import SubmissionError
from arena.files.imports import module_command
from arena.files.plain_text import printable
from arena.model import Frozen
from arena.reports.html.folders import without_folders
from arena.sandbox.features import usable_cores
from arena.web.jobs import (
    ASIDE,
    CANCELLED,
    UPLOAD,
    DamagedJob,
    Jobs,
    about_of,
    asked_at,
    events_of,
)
from arena.web.rates import Rate
from arena.web.sessions import FOLDER

_NAME_BYTES, _SHOWN = 200, 40
"""The most of a file's name; what is shown of a longer one."""
TOO_OFTEN = "six changes of the version that plays within an hour"
_KEPT, _WITH_FILE = 50, 3
"""Checks of each owner that are kept, and the last of them whose files are, too."""


class StillChecking(SubmissionError):
    """The check before is not over."""


class SentFile(Frozen):
    """A file that was submitted."""

    owner: str
    file: str
    """Its name."""
    sent_at: AwareDatetime
    again: bool = False
    """Whether the staff had it checked once more."""


class HandedIn(SentFile):
    """The request of a check."""

    returns: bool = True
    """Whether a version that was accepted before may play again."""


class Check(SentFile):
    """A check as it stands."""

    id: str
    state: Literal[
        "waiting", "checking", "accepted", "refused", "cancelled", "broken off", "damaged"
    ]
    """`cancelled`: its owner ended it. `broken off`: the machine did, before there was a result.
    `damaged`: its files cannot be read.
    """
    judging: str | None = None
    """The item being judged now."""
    results: tuple[CheckResult, ...] = ()
    """The points judged so far."""
    sentence: str | None = None
    """Why it has no result or was refused, and what to do; null where the points say it."""
    entered: Entered | None = None
    """Its result; null before, and where the package could not be taken."""

    @property
    def is_unfinished(self) -> bool:
        return self.state in ("waiting", "checking")

    @property
    def is_return(self) -> bool:
        """Whether a version that was accepted before plays again, instead of another or of none."""
        end = self.entered
        returns = end is not None and end.version not in (None, end.before)
        return returns and not self.results and not self.again


class Checks:
    """The checks of a course: one at a time for each owner."""

    def __init__(self, folder: Path) -> None:
        self.returns = Rate(6, 3600)
        """How often an owner may let a version play again."""
        self._course = folder.absolute()
        self._adding = threading.Lock()
        command = module_command("arena.web.checker")
        self.jobs = Jobs(self._course / FOLDER / "checks", command, lambda: len(usable_cores()))

    def add(self, owner: str, file: str, contents: IO[bytes], sent_at: datetime) -> Check:
        """Check a file. Raises SubmissionError where it cannot be begun."""
        name = safe_name(file)
        with self._adding:
            if self._is_checking(owner):
                raise StillChecking(
                    "A bot of yours is being checked; wait until that is over, or cancel it on /me."
                )
            self._count_return(owner)
            returns = self.returns.has_try(owner)
            about = HandedIn(owner=owner, file=name, sent_at=sent_at, returns=returns)
            folder = self.jobs.place(owner, sent_at)
            self._keep(folder, about, contents)
        self._remove_old(owner)
        return self.read(folder)

    def again(self, folder: Path, now: datetime) -> Check:
        """Check a file once more, as submitted when it was at first. Raises SubmissionError."""
        owner = folder.parent.name
        with self._adding:
            if self._is_checking(owner):
                raise StillChecking(f"A bot of {owner} is being checked; wait until that is over")
            before = self.read(folder)
            file = self.file_of(before)
            if file is None:
                raise SubmissionError(f"This file is not kept; ask {owner} to submit it again")
            self._refuse_replacing(before)
            self._count_return(owner)
            about = HandedIn(owner=owner, file=file.name, sent_at=before.sent_at, again=True)
            new = self.jobs.place(owner, now)
            with file.open("rb") as contents:
                self._keep(new, about, contents)
            shutil.rmtree(file.parent, ignore_errors=True)
        self._remove_old(owner)
        return self.read(new)

    def file_of(self, check: Check) -> Path | None:
        """The file of a check that did not accept it, while it is kept."""
        folder = self.jobs.root / check.owner / check.id
        if check.state not in ("refused", "broken off") or not self.jobs.is_over(folder):
            return None
        # not put aside, where its process was killed that had outlived its server
        files = (folder / name / check.file for name in (ASIDE, UPLOAD))
        return next((each for each in files if each.is_file()), None)

    def _is_checking(self, owner: str) -> bool:
        working = (each for each in self.jobs.folders(owner) if not self.jobs.is_over(each))
        return any(self.read(each).is_unfinished for each in working)  # else it only has to end

    def _count_return(self, owner: str) -> None:
        if any(each.is_return for each in self.of(owner, 1)):
            self.returns.wait(owner)  # it is known only now

    def _refuse_replacing(self, check: Check) -> None:
        """Refuse a file that would play instead of one that its owner submitted later."""
        for bot in course.bots(self._course):
            is_its = check.entered is None or check.entered.name == bot.name
            plays = bot.plays if is_its and bot.owner == check.owner else None
            if plays is not None and plays.accepted_at > check.sent_at:
                raise SubmissionError(
                    f"{named(plays)} was submitted after this file, which may replace it; let "
                    f"{check.owner} submit the file again, after the deadline with an extension"
                )

    def _remove_old(self, owner: str) -> None:
        folders = self.jobs.folders(owner)
        files = (each / name for each in folders[:-_WITH_FILE] for name in (ASIDE, UPLOAD))
        for old in (*folders[:-_KEPT], *files):
            shutil.rmtree(old, ignore_errors=True)

    def _keep(self, folder: Path, about: HandedIn, contents: IO[bytes]) -> None:
        try:
            (folder / UPLOAD).mkdir(parents=True)
            with (folder / UPLOAD / about.file).open("xb") as kept:
                shutil.copyfileobj(contents, kept)
                if Path(about.file).suffix not in SUFFIXES:
                    os.fchmod(kept.fileno(), 0o755)  # browsers do not send it
            self.jobs.order(folder, about)
        except BaseException:  # as a full disk: nothing would remove it later
            shutil.rmtree(folder, ignore_errors=True)
            raise

    def of(self, owner: str, most: int | None = None) -> list[Check]:
        """The last checks of an owner, or of all with "*", the newest first."""
        return [self.read(folder) for folder in self.jobs.newest(owner, most)]

    def unfinished(self) -> int:
        """How many wait or go on; each has its file still."""
        files = self.jobs.root.glob(f"*/*/{UPLOAD}")
        return sum(not self.jobs.is_over(each.parent) for each in files)

    def read(self, folder: Path) -> Check:
        try:
            return self._read(folder)
        except DamagedJob as damaged:
            why = without_folders(str(damaged), self._course)
            return Check(
                owner=folder.parent.name,
                file="?",
                sent_at=asked_at(folder),
                id=folder.name,
                state="damaged",
                sentence=f"This check cannot be shown: {why} Bots that were accepted play on.",
            )

    def _read(self, folder: Path) -> Check:
        over = self.jobs.is_over(folder)  # asked first: what it wrote last is read then
        about = about_of(folder, HandedIn).model_copy(update={"owner": folder.parent.name})
        check = Check(**about.model_dump(exclude={"returns"}), id=folder.name, state="waiting")
        for event in events_of(folder):
            check = check.model_copy(update=_change(check, event))
        cancelled = over and (folder / CANCELLED).exists()
        if cancelled and check.state == "accepted":
            late = "It was accepted before you cancelled it; withdraw it if it should not play."
            check = check.model_copy(update={"sentence": late})
        if over and check.is_unfinished:
            state = "cancelled" if cancelled else "broken off"
            sentence = f"The check was {state}. Submit the bot again, if it is not among your bots."
            if not cancelled:
                sentence += " After the deadline, ask the staff to check it again."
            ended = {"state": state, "sentence": sentence, "judging": None}
            check = check.model_copy(update=ended)
        return check


def safe_name(written: str) -> str:
    """The name of an uploaded file, without its folders. Raises SubmissionError."""
    name = re.split(r"[/\\]", written)[-1]
    if name in ("", ".", "..") or printable(name) != name:
        raise SubmissionError(
            f'"{printable(name)[:_NAME_BYTES]}" cannot name a file here: rename it, with letters, '
            "digits, dots and dashes"
        )
    if len(name.encode()) > _NAME_BYTES:
        raise SubmissionError(
            f'the file\'s name "{name[:_SHOWN]}…" is too long: it has {len(name.encode())} bytes, '
            f"and {_NAME_BYTES} are the most; rename the file"
        )
    return name


def _change(check: Check, event: Event) -> dict[str, object]:
    match event:
        case Checking():
            return {"state": "checking"}
        case Judging():
            return {"judging": event.what}
        case PointJudged():
            return {"results": (*check.results, event.result)}
        case Entered():
            state = "accepted" if event.version else "refused"
            return {"state": state, "entered": event, "judging": None}
        case Refused():
            return {"state": "refused", "sentence": event.sentence, "judging": None}
    return {"judging": None}
