"""All of a course in one ZIP, sent while it is made: runs as files, reports and tables, the bots,
the roster without tokens, and what the staff wrote.
"""

import io
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO
from zipfile import ZIP_DEFLATED, ZipFile

from arena.bots import course as course_of
from arena.bots.course_file import FILE as COURSE_FILE
from arena.bots.course_file import RUNS, TOURNAMENTS
from arena.errors import StoreError
from arena.reports.csv_report import TABLES, table
from arena.reports.html.audience import PUBLIC, STAFF
from arena.reports.html.one_file import write_report
from arena.tournament.run_view import RunView
from arena.tournament.store_copy import copy_run
from arena.web import staff_log

_PIECE = 1 << 20


class _Sent(io.RawIOBase):
    """What was written since it was taken last."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override] # ZipFile writes bytes alone
        self._parts.append(bytes(data))
        return len(data)

    def taken(self) -> bytes:
        """It."""
        found, self._parts = b"".join(self._parts), []
        return found


def export(course: Path) -> Iterator[bytes]:
    """The ZIP, piece by piece. A run that cannot be read has a sentence in its place."""
    sent = _Sent()
    with TemporaryDirectory() as folder, ZipFile(sent, "w", ZIP_DEFLATED) as archive:
        for name, file in _members(course, Path(folder)):
            with archive.open(name, "w", force_zip64=True) as member, file:
                while piece := file.read(_PIECE):
                    member.write(piece)
                    yield sent.taken()
    yield sent.taken()


def _members(course: Path, folder: Path) -> Iterator[tuple[str, IO[bytes]]]:
    yield (
        "owners.csv",
        _table(
            ("owner", "added_at", "revoked_at"),
            ((each.name, each.added_at, each.revoked_at) for each in course_of.owners(course)),
        ),
    )
    bots = course_of.bots(course)
    header = ("bot", "owner", "state", "plays", "version", "digest", "accepted_at")
    yield "bots.csv", _table(header, (row for bot in bots for row in _versions(bot)))
    for name in (COURSE_FILE, staff_log.FILE):
        if (course / name).exists():
            yield name, (course / name).open("rb")
    for file in sorted((course / TOURNAMENTS).glob("*.toml")):
        yield f"{TOURNAMENTS}/{file.name}", file.open("rb")
    for run in sorted((course / RUNS).glob("*.sqlite")):
        yield from _of_run(run, folder)
    for bot in bots:
        for file in sorted((course / bot.name).rglob("*")):
            if file.is_file() and not file.is_symlink():
                yield f"submissions/{file.relative_to(course)}", file.open("rb")


def _versions(bot: course_of.Entry) -> Iterator[tuple[object, ...]]:
    for each in bot.versions:
        about = (bot.name, bot.owner, bot.state, each == bot.plays)
        yield *about, each.number, each.digest, each.accepted_at


def _of_run(run: Path, folder: Path) -> Iterator[tuple[str, IO[bytes]]]:
    """The run as it stands now: its file, reports and tables of the same games."""
    copy, name = folder / run.name, run.stem
    try:
        copy_run(run, copy)
        with RunView(copy) as view:
            for audience, end in ((STAFF, "staff"), (PUBLIC, "public")):
                page = folder / f"{name}.html"
                write_report(view, audience, page)
                yield f"reports/{name}.{end}.html", page.open("rb")
                page.unlink()
            for kind, text in TABLES.items():
                yield f"tables/{name}.{kind}.csv", io.BytesIO(text(view).encode())
        yield f"{RUNS}/{run.name}", copy.open("rb")
    except StoreError as error:
        yield f"{RUNS}/{name}.txt", io.BytesIO(f"{error}\n".encode())
    finally:
        copy.unlink(missing_ok=True)


def _table(header: Sequence[str], rows: Iterable[Iterable[object]]) -> IO[bytes]:
    return io.BytesIO(table(header, rows).encode())
