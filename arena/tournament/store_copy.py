"""A copy of a run as it stands, or as it stood at a moment; the run may be played meanwhile."""

import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path

from arena.tournament.store import Store
from arena.tournament.store_faults import unusable

_LATER = """
CREATE TEMP TABLE later AS SELECT id FROM games
    WHERE julianday(started_at) + duration_ms / 86400e3 > julianday(?);
"""
_TABLES = ("records", "checksums", "seats", "games")


def copy_run(path: Path, to: Path, *, until: datetime | None = None) -> None:
    """Write a copy of a run, whole or not at all; with `until` without games that ended later.
    Raises StoreError.
    """
    with Store.open(path):
        pass  # it is a run of ours
    part = to.with_name(f"{to.name}.part")
    part.unlink(missing_ok=True)
    try:
        with closing(sqlite3.connect(path)) as run, closing(sqlite3.connect(part)) as copy:
            run.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")
            if until is not None:
                _cut(copy, until)
        part.replace(to)
    except (sqlite3.Error, OSError) as error:
        raise unusable(path, error) from None


def _cut(copy: sqlite3.Connection, until: datetime) -> None:
    with copy:
        copy.execute(_LATER, (until.isoformat(),))
        for table in _TABLES:
            copy.execute(f"DELETE FROM {table} WHERE id IN (SELECT id FROM later)")
    copy.execute("VACUUM")
