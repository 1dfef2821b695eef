"""The log of the staff's actions: COURSE/staff.log, to which lines are only added."""

import os
from datetime import UTC, datetime
from pathlib import Path

from arena.files.plain_text import end_of, printable

FILE = "staff.log"
_TAIL_BYTES = 32_768
_LINES = 30


def add_line(course: Path, who: str, what: str) -> None:
    line = (
        f"{datetime.now(UTC).isoformat(timespec='seconds')}\t{printable(who)}\t{printable(what)}\n"
    )
    file = os.open(course / FILE, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(file, line.encode())
    finally:
        os.close(file)


def last_lines(course: Path) -> list[list[str]]:
    """Time, author and action of the last lines, the newest first."""
    lines = end_of(course / FILE, _TAIL_BYTES).splitlines()
    entries = [line.split("\t", 2) for line in lines[-_LINES:]]
    return [line for line in entries[::-1] if len(line) == 3]
