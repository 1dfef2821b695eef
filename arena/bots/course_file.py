"""course.toml: deadlines, the quota and the rest; and the tournament that a course begins with."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from arena.bots.roster import read_roster
from arena.errors import ConfigError, SubmissionError
from arena.files.toml import read_file
from arena.files.toml_tables import Finding, TomlTable, did_you_mean, problems, read_tables, shown

FILE = "course.toml"
NEW = """\
# python = "python3.12" # runs scripts, instead of the Python of the arena
# check = "ladder" # the file in tournaments/ by whose board, clock and limits bots are checked
# deadline = 2026-12-24T23:59:00 # the last moment of a submission, in local time
standing = ["ladder"] # files in tournaments/ that take new bots and versions by themselves
# play = "anyone" # who plays against bots on the pages, besides owners and staff
# notice = "The ladder rests until 14:00." # shown on the first page and to owners

[quota]
# bots = 3       # bots of an owner that play at a time
submissions = 50 # versions that an owner may submit, of all its bots
size_mb = 10     # the files of one submission
challenges = 20  # matches of two games that an owner may ask for on a day, by `arena serve`

[extensions] # later deadlines of single owners
# ada = 2026-12-31T23:59:00
"""

TOURNAMENTS, RUNS, CHALLENGES = "tournaments", "runs", "challenges"
"""The folders of a course that are no bots: `arena serve` plays the files of the first into the
second, and what owners ask for into the third."""
FOLDERS = (TOURNAMENTS, RUNS, CHALLENGES)
LADDER = """\
# The standing ladder of the course. `arena serve` plays it when the staff starts it.
[tournament]
format = "ladder"
rounds = 1000 # more may be added later

[game]
rules = "othello"
preset = "cornerless"

[clock]
move_ms = 1000

[[player]]
from = ".." # the bots of the course
[[player]]
bot = "greedy"
[[player]]
bot = "monkey"
"""


class Quota(TomlTable):
    """`[quota]`."""

    bots: int | None = Field(default=None, ge=1)
    """Bots of an owner that play at a time; None for any number."""
    submissions: int = Field(default=50, ge=0)
    """Versions of an owner, of all its bots."""
    size_mb: float = Field(default=10.0, gt=0)
    """The files of one submission."""
    challenges: int = Field(default=20, ge=0)
    """Matches of two games that an owner may ask for on a day."""


def local(moment: datetime) -> datetime:
    """A moment in local time, which it is in already without an offset. One that clocks skip is as
    much later: `astimezone` alone takes it for an earlier one. Raises OverflowError, ValueError.
    """
    return datetime.fromtimestamp(moment.timestamp(), UTC).astimezone()


def _with_time(value: object) -> datetime:
    if not isinstance(value, datetime):
        raise ValueError("must be a date with a time, such as 2026-12-24T23:59:00")
    try:
        return local(value)
    except (OverflowError, ValueError):
        raise ValueError("is out of range; take a year from 1970 to 9998") from None


Moment = Annotated[datetime, BeforeValidator(_with_time)]
"""A date with a time; without an offset in local time."""


class Course(TomlTable):
    """course.toml."""

    deadline: Moment | None = None
    """The last moment of a submission."""
    extensions: dict[str, Moment] = Field(default_factory=dict)
    """Later ones of single owners."""
    quota: Quota = Quota()
    python: str | None = Field(default=None, min_length=1)
    """The Python of scripts; None for that of the tournament."""
    check: str | None = None
    """The name of the tournament that bots of its game are checked for."""
    standing: list[str] = Field(default_factory=list)
    """Names of tournaments that take new bots and versions by themselves."""
    play: Literal["owners", "anyone"] = "owners"
    """The people who may play against bots on the pages, besides the staff."""
    notice: str = Field(default="", max_length=1000)
    """What the staff tells everybody, on the first page and on that of each owner."""

    def deadline_of(self, owner: str) -> datetime | None:
        return self.extensions.get(owner, self.deadline)

    def is_over(self, owner: str, now: datetime) -> bool:
        """Whether bots of an owner come too late."""
        deadline = self.deadline_of(owner)
        return deadline is not None and deadline < now


def is_course(folder: Path) -> bool:
    return (folder / FILE).exists()


def refuse_no_course(folder: Path) -> None:
    if not is_course(folder):
        raise SubmissionError(f"{folder} is not a course; `arena course init` makes one")


def tournament_files(folder: Path) -> list[Path]:
    """The tournaments of a course, by name."""
    return sorted(file for file in (folder / TOURNAMENTS).glob("*.toml") if file.is_file())


def rules_of(folder: Path) -> Course:
    """The content of its course.toml."""
    return _read(folder)[1]


def rules_to_serve(folder: Path) -> Course:
    """The same, where the tournaments it names are there."""
    text, course = _read(folder)
    _refuse_missing(folder, text, "standing", course.standing)
    if course.check is not None:
        _refuse_missing(folder, text, "check", [course.check])
    return course


def check_file(folder: Path) -> Path | None:
    """The tournament that bots of its game are checked for; None where a course names none, or the
    folder is no course.
    """
    if not is_course(folder):
        return None
    text, course = _read(folder)
    if course.check is None:
        return None
    _refuse_missing(folder, text, "check", [course.check])
    return folder / TOURNAMENTS / f"{course.check}.toml"


def _refuse_missing(folder: Path, text: str, key: str, names: Sequence[str]) -> None:
    there = [file.stem for file in tournament_files(folder)]
    findings = [
        Finding(
            (key,),
            f"no tournament {shown(name)} in {folder / TOURNAMENTS}; "
            f"{did_you_mean(name, there, 'tournaments')}",
        )
        for name in names
        if name not in there
    ]
    if findings:
        raise ConfigError(folder / FILE, problems(text, findings))


def _read(folder: Path) -> tuple[str, Course]:
    refuse_no_course(folder)
    file = folder / FILE
    text, data = read_file(file, ConfigError)
    course, findings = read_tables(Course, data)
    findings += _wrong_extensions(folder, course)
    if findings:
        raise ConfigError(file, problems(text, findings))
    return text, course


def _wrong_extensions(folder: Path, course: Course) -> Iterator[Finding]:
    owners = [each.name for each in read_roster(folder).owners] if course.extensions else []
    for name, until in course.extensions.items():
        problem = None
        if name not in owners:
            problem = f"no owner has this name; {did_you_mean(name, owners, 'owners')}"
        elif course.deadline is None:
            problem = "there is no deadline to extend; write one above the tables"
        elif until < course.deadline:
            problem = "is before the deadline; give a later date"
        if problem is not None:
            yield Finding(("extensions", name), problem)
