"""What the staff of a course did: COURSE/staff.log, to which lines are only added."""

import os
from datetime import UTC, datetime
from pathlib import Path

from arena.files.plain_text import printable

FILE = "staff.log"
_TAIL_BYTES = 32_768


def add_line(course: Path, who: str, what: str) -> None:
    """Keep who did what, now."""
    line = (
        f"{datetime.now(UTC).isoformat(timespec='seconds')}\t{printable(who)}\t{printable(what)}\n"
    )
    file = os.open(course / FILE, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(file, line.encode())
    finally:
        os.close(file)


def last_lines(course: Path, most: int = 30) -> list[list[str]]:
    """When, who and what, the newest first."""
    if not (course / FILE).exists():
        return []
    with (course / FILE).open("rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - _TAIL_BYTES))
        lines = file.read().decode("utf-8", "replace").splitlines()
    found = [line.split("\t", 2) for line in lines[-most:]]
    return [line for line in found[::-1] if len(line) == 3]
