"""A copy of a run as it stands, or as it stood at a moment; the run may be played meanwhile."""

import sqlite3
from collections.abc import Collection
from contextlib import closing, suppress
from datetime import datetime
from pathlib import Path

from arena.errors import StoreError
from arena.tournament.config import TournamentConfig
from arena.tournament.store import Store, connect
from arena.tournament.store_faults import is_of_the_disk, unusable

_LATER = """
CREATE TEMP TABLE later AS SELECT rowid AS id FROM games
    WHERE julianday(started_at) + duration_ms / 86400e3 > julianday(?);
"""
_KEYS = {"records": "id", "checksums": "id", "machines": "id", "seats": "id", "games": "rowid"}
"""The column that names an attempt, by table; files of earlier versions lack some tables."""


def copy_run(path: Path, to: Path, *, until: datetime | None = None) -> None:
    """Write a copy of a run, whole or not at all; with `until` without games that ended later, and
    players that joined after those it has. Raises StoreError.
    """
    with Store.open(path):
        pass  # it is a run of ours
    part = to.with_name(f"{to.name}.part")
    try:
        part.unlink(missing_ok=True)
        with closing(connect(path, read_only=True)) as run, closing(sqlite3.connect(part)) as copy:
            run.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")
            if until is not None:
                _cut(copy, until)
        part.replace(to)
    except OSError as error:
        raise StoreError(f"{to}: cannot be written: {error.strerror}") from None
    except sqlite3.Error as error:
        raise unusable(to if is_of_the_disk(error) else path, error) from None
    finally:
        with suppress(OSError):
            part.unlink()


def _cut(copy: sqlite3.Connection, until: datetime) -> None:
    with copy:
        copy.execute(_LATER, (until.isoformat(),))
        there = {name for (name,) in copy.execute("SELECT name FROM sqlite_master")}
        for table in there & _KEYS.keys():
            copy.execute(f"DELETE FROM {table} WHERE {_KEYS[table]} IN (SELECT id FROM later)")
        if "seats" in there:  # else it is of schema 1, where nobody joined later
            ((config,),) = copy.execute("SELECT config FROM run")
            seen = {name for (name,) in copy.execute("SELECT DISTINCT player FROM seats")}
            then = _as_then(TournamentConfig.model_validate_json(config), seen)
            copy.execute("UPDATE run SET config = ?", (then.model_dump_json(),))
    copy.execute("VACUUM")


def _as_then(config: TournamentConfig, seen: Collection[str]) -> TournamentConfig:
    """The configuration before players joined that came after all that were `seen` to play."""
    last = max((each.joined for each in config.players if each.name in seen), default=0)
    later = {each.name: each.name_in_file for each in config.players if each.joined > last}
    then = config.without(later)
    newest = {each.name_in_file: each.name for each in then.players}
    back = {newest[name] for name in later.values() if name in newest}
    players = (
        each.model_copy(update={"status": "playing"})
        if each.name in back and each.status == "replaced"
        else each
        for each in then.players
    )
    return then.model_copy(update={"players": tuple(players)})
