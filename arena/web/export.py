"""A whole course in one ZIP, sent while it is made: runs as files, reports and tables, the bots,
the roster without tokens, and what the staff wrote.
"""

import io
import os
import stat
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

from arena.bots import course as course_of
from arena.bots.course_file import FILE as COURSE_FILE
from arena.bots.course_file import RUNS, TOURNAMENTS, tournament_files
from arena.bots.roster import read_roster
from arena.errors import ArenaError, StoreError, SubmissionError
from arena.files.plain_text import printable
from arena.reports.csv_report import TABLES, table
from arena.reports.html.audience import PUBLIC, STAFF, Audience
from arena.reports.html.folders import without_folders
from arena.reports.html.one_file import write_report
from arena.sandbox import leftovers
from arena.tournament.run_view import RunView
from arena.tournament.store_copy import copy_run
from arena.web import staff_log
from arena.web.downloads import zipped
from arena.web.runs import Runs

_Member = tuple[str, Path | str | Exception]
"""A name, and a file, a text, or the error why there is none."""
_FrozenCopy = Callable[[str], Path | None]
"""The copy that the public sees instead of a run; None where it sees the run. Raises StoreError."""


def export(course: Path, frozen: _FrozenCopy) -> Generator[bytes]:
    """The ZIP, piece by piece. What cannot be read has a sentence in its place, `NAME.txt`."""
    with TemporaryDirectory(prefix=leftovers.prefix()) as folder:
        members = _members(course, frozen, Path(folder))
        yield from zipped(_opened(*found, course) for found in members)


def _opened(name: str, found: Path | str | Exception, course: Path) -> tuple[str, IO[bytes]]:
    """The file, or the sentence in its place."""
    try:
        if isinstance(found, Exception):
            raise found
        return printable(name), found.open("rb") if isinstance(found, Path) else _text(found)
    except ArenaError as error:
        why = without_folders(str(error), course)
    except OSError as error:
        why = f"{name} cannot be read: {error.strerror}"
    return printable(f"{name}.txt"), _text(f"{why}\n")


def _members(course: Path, frozen: _FrozenCopy, folder: Path) -> Iterator[_Member]:
    yield "owners.csv", _owners(course)
    bots = course_of.entries(course)
    header = ("bot", "owner", "state", "plays", "version", "digest", "accepted_at")
    rows = (row for bot in bots for row in _versions(bot))
    yield "bots.csv", table(header, rows)
    for name in (COURSE_FILE, staff_log.FILE):
        if (course / name).exists():
            yield name, course / name
    for file in tournament_files(course):
        yield f"{TOURNAMENTS}/{file.name}", file
    for name in Runs(course / RUNS).names():
        yield from _of_run(course / RUNS / f"{name}.sqlite", frozen, folder)
    for bot in bots:
        if not bot.versions:
            yield f"submissions/{bot.name}", SubmissionError("\n".join(bot.damaged))
        for path, found in _contents(course / bot.name):
            yield f"submissions/{path.relative_to(course)}", found


def _contents(home: Path) -> Iterator[tuple[Path, Path | OSError]]:
    """The files of a bot, and the errors in place of what is closed in its folder."""
    closed = list[OSError]()
    inside = os.walk(home, onerror=closed.append)
    for path in sorted(Path(at, name) for at, _, names in inside for name in names):
        try:
            if stat.S_ISREG(path.lstat().st_mode):
                yield path, path
        except OSError as error:
            yield path, error
    for each in closed:
        if (path := Path(each.filename)) != home:  # of which the course says why
            yield path, each


def _owners(course: Path) -> str | Exception:
    try:
        owners = read_roster(course).owners
    except (ArenaError, OSError) as error:
        return error
    rows = ((each.name, each.added_at, each.revoked_at) for each in owners)
    return table(("owner", "added_at", "revoked_at"), rows)


def _versions(bot: course_of.Entry) -> Iterator[tuple[object, ...]]:
    for each in bot.versions:
        about = (bot.name, bot.owner, bot.state, each == bot.plays)
        yield *about, each.number, each.digest, each.accepted_at


def _of_run(run: Path, frozen: _FrozenCopy, folder: Path) -> Iterator[_Member]:
    """The run as it stands now: its file, reports and tables of the same games. The report for the
    public shows a frozen table as it stood then.
    """
    copy, name = folder / run.name, run.stem
    try:
        copy_run(run, copy)
        with RunView(copy) as view:
            yield from _report(view, STAFF, folder / f"{name}.staff.html")
            for kind, found in TABLES.items():
                yield f"tables/{name}.{kind}.csv", table(*found(view))
        with RunView(frozen(name) or copy) as view:
            yield from _report(view, PUBLIC, folder / f"{name}.public.html")
        yield f"{RUNS}/{run.name}", copy
    except (StoreError, OSError) as error:
        yield f"{RUNS}/{run.name}", error
    finally:
        copy.unlink(missing_ok=True)


def _report(view: RunView, audience: Audience, page: Path) -> Iterator[_Member]:
    write_report(view, audience, page)
    yield f"reports/{page.name}", page
    page.unlink()


def _text(text: str) -> IO[bytes]:
    return io.BytesIO(text.encode())
