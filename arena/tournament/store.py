"""One run in one SQLite file: its configuration and every game, durable game by game.

    run    one row: the resolved configuration (JSON), where and when it began
    games  one row an attempt; `record` is the whole game (JSON), the columns beside it are for
           queries. An attempt that was void is kept; at most one attempt of a game is not.

The file is in WAL mode with `synchronous = FULL`: a game is one transaction, on the disk when `add`
returns. Whoever plays holds a lock file beside it; any number may read meanwhile.

Errors: `StoreError`, of which `StoreLockedError` and `ConfigChangedError` are kinds.
"""

from __future__ import annotations

import json
import os
import platform
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import takewhile
from pathlib import Path
from types import TracebackType

from arena.errors import ConfigChangedError, StoreError, StoreLockedError
from arena.files import lock as lock_file
from arena.model.protocol import Termination
from arena.model.record import GameRecord
from arena.tournament.config import TournamentConfig, differences

SCHEMA_VERSION = 1
_APPLICATION_ID = 0x4172656E  # "Aren": tells our files from other SQLite files

_SCHEMA = """
CREATE TABLE run (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    config TEXT NOT NULL, created_at TEXT NOT NULL,
    arena TEXT NOT NULL, python TEXT NOT NULL, host TEXT NOT NULL
);
CREATE TABLE games (
    game TEXT NOT NULL, attempt INTEGER NOT NULL, round INTEGER NOT NULL, pair TEXT NOT NULL,
    first TEXT NOT NULL, second TEXT, first_score INTEGER, second_score INTEGER,
    first_points REAL, second_points REAL,
    termination TEXT NOT NULL, offender INTEGER,
    plies INTEGER NOT NULL, random_moves INTEGER NOT NULL,
    started_at TEXT NOT NULL, duration_ms REAL NOT NULL, record TEXT NOT NULL,
    PRIMARY KEY (game, attempt)
);
CREATE UNIQUE INDEX one_result_a_game ON games (game) WHERE termination <> 'void';
"""


class Store:
    """An open run. Close it, or use it in a `with` statement."""

    def __init__(self, path: Path, database: sqlite3.Connection, lock: int | None = None) -> None:
        self.path = path
        self._database = database
        self._lock = lock
        self._identity: int | None = None
        """The file's inode while the run is played: whether the path still leads to it."""

    @property
    def files(self) -> tuple[str, ...]:
        """All it consists of while it is played, by their absolute paths."""
        path = self.path.resolve()
        return (str(lock_file.beside(path)), *(f"{path}{end}" for end in ("", "-wal", "-shm")))

    @classmethod
    def open(cls, path: Path) -> Store:
        """A run to read, also while it is played. Raises StoreError."""
        path = Path(path)
        if path.is_dir():
            raise StoreError(_folder(path))
        if not path.is_file():
            raise StoreError(f"{path}: no such run; `arena run` makes one from a tournament file")
        database = _connect(path, read_only=True)
        try:
            _check_ours(path, database)
        except StoreError:
            database.close()
            raise
        return cls(path, database)

    @classmethod
    def open_run(cls, path: Path, config: TournamentConfig) -> Store:
        """A run to play: begun when there is none, else gone on with.

        Raises StoreLockedError when another process has it, ConfigChangedError when it was begun
        with another configuration (see `config.differences`), else StoreError.
        """
        path = Path(path)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            lock = lock_file.acquire(path)
        except lock_file.Held as held:
            raise StoreLockedError(
                f"{path}: being played by another `arena run` ({held}); wait for it or stop it"
            ) from None
        except OSError as error:
            raise StoreError(f"{path}: cannot be written: {error.strerror}") from None
        if path.exists() and not path.is_file():
            lock_file.release(path, lock)
            raise StoreError(
                f"{path}: not a file; name one to keep the run in, as runs/NAME.sqlite"
            )
        store: Store | None = None
        try:
            store = cls(path, _connect(path, read_only=False), lock)
            store._begin(config)
            store._database.execute("PRAGMA synchronous = FULL")
        except BaseException as error:
            if store is not None:
                store._database.close()
            lock_file.release(path, lock)
            if isinstance(error, sqlite3.Error):
                raise StoreError(f"{path}: cannot be written: {error}") from None
            raise
        store._identity = path.stat().st_ino
        return store

    def _begin(self, config: TournamentConfig) -> None:
        if _is_empty(self.path, self._database):
            self._create(config)
            return
        _check_ours(self.path, self._database)
        self.refuse_changed(config)
        with self._database:
            self._database.execute("UPDATE run SET config = ?", (config.model_dump_json(),))

    def refuse_changed(self, config: TournamentConfig) -> None:
        """Raise ConfigChangedError where the run was begun with another configuration than this."""
        changed = differences(self.config, config)
        if changed:
            listed = "\n".join(f"  {line}" for line in changed)
            raise ConfigChangedError(
                f"{self.path}: this run was begun with another configuration:\n{listed}\n"
                f"Undo the change, or give the run another name, or move the file away."
            )

    def _create(self, config: TournamentConfig) -> None:
        database = self._database
        database.execute("PRAGMA journal_mode = WAL")
        row = (
            config.model_dump_json(),
            datetime.now(UTC).isoformat(timespec="seconds"),
            version("bot-arena"),
            platform.python_version(),
            platform.node(),
        )
        with database:  # all or nothing: a kill in between leaves an empty file, begun anew
            database.execute("BEGIN IMMEDIATE")
            for statement in filter(str.strip, _SCHEMA.split(";")):
                database.execute(statement)
            database.execute("INSERT INTO run VALUES (1, ?, ?, ?, ?, ?)", row)
            database.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
            database.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")

    @property
    def config(self) -> TournamentConfig:
        """The configuration the run was last played with."""
        (text,) = self._database.execute("SELECT config FROM run").fetchone()
        return TournamentConfig.model_validate_json(text)

    def add(self, record: GameRecord) -> bool:
        """Keep a game for good. The first write wins: False when the attempt, or another result of
        this game, is there already.
        """
        seats = [*record.seats, None][:2]
        scores = [*record.scores, None, None][:2]
        points = [*record.points, None, None][:2]
        row = (
            record.game,
            record.attempt,
            record.round,
            record.pair,
            *(seat.player if seat else None for seat in seats),
            *scores,
            *points,
            record.termination.value,
            record.offender,
            len(record.moves),
            sum(seat.random_moves for seat in record.seats),
            record.started_at,
            record.duration_ms,
            record.model_dump_json(),
        )
        marks = ", ".join("?" * len(row))
        try:
            with self._database:
                cursor = self._database.execute(
                    f"INSERT INTO games VALUES ({marks}) ON CONFLICT DO NOTHING", row
                )
        except sqlite3.Error as error:
            raise StoreError(f"{self.path}: game {record.game} cannot be kept: {error}") from None
        self._check_still_there()
        return cursor.rowcount == 1

    def _check_still_there(self) -> None:
        """What is written to a file that was moved or deleted meanwhile would be lost silently."""
        try:
            there = self.path.stat().st_ino == self._identity
        except OSError:
            there = False
        if not there:
            raise StoreError(
                f"{self.path}: was moved or deleted while the run was played; the run has stopped. "
                f"Put it back to go on, or start anew."
            )

    def records(self, *, void: bool = False) -> Iterator[GameRecord]:
        """The games in the order they ended, one result each; with `void` all void attempts too."""
        where = "" if void else "WHERE termination <> 'void'"
        cursor = self._database.execute(f"SELECT record FROM games {where} ORDER BY rowid")
        for (text,) in cursor:
            yield GameRecord.model_validate_json(text)

    def record(self, game: str) -> GameRecord | None:
        """The latest attempt of one game; None when it was not played."""
        row = self._database.execute(
            "SELECT record FROM games WHERE game = ? ORDER BY attempt DESC LIMIT 1", (game,)
        ).fetchone()
        return GameRecord.model_validate_json(row[0]) if row else None

    def finished(self) -> frozenset[str]:
        """Ids of the games that have a result."""
        rows = self._database.execute("SELECT game FROM games WHERE termination <> ?", _VOID)
        return frozenset(game for (game,) in rows)

    def openings(self) -> tuple[tuple[str, ...], ...]:
        """The openings of the first rounds, up to the first of which no game was played."""
        rows = self._database.execute(
            "SELECT round, json_extract(record, '$.opening') FROM games "
            "WHERE rowid IN (SELECT min(rowid) FROM games GROUP BY round) ORDER BY round"
        )
        first = takewhile(lambda row: row[1][0] == row[0], enumerate(rows, 1))
        return tuple(tuple(json.loads(opening)) for _, (_, opening) in first)

    def attempts(self) -> dict[str, int]:
        """How often each game was tried so far, void attempts included."""
        rows = self._database.execute("SELECT game, max(attempt) FROM games GROUP BY game")
        return dict(rows.fetchall())

    def close(self) -> None:
        """Let go of the file, and of the right to play."""
        self._database.close()
        if self._lock is not None:
            lock_file.release(self.path, self._lock)
            self._lock = None

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


_VOID = (Termination.VOID.value,)


def _connect(path: Path, *, read_only: bool) -> sqlite3.Connection:
    # A reader that may write removes the -wal and -shm files when it is the last to close.
    mode = "rwc" if not read_only else "rw" if os.access(path, os.W_OK) else "ro"
    try:
        database = sqlite3.connect(f"{path.resolve().as_uri()}?mode={mode}", uri=True, timeout=10)
        database.execute(f"PRAGMA query_only = {int(read_only)}")
        return database
    except sqlite3.Error as error:
        raise StoreError(f"{path}: cannot be opened: {error}") from None


def _folder(path: Path) -> str:
    """Why a folder is no run: a training and a tuning keep one too."""
    files = {file.name for file in path.iterdir()}
    runs = ", ".join(f"arena report {run}" for run in sorted(path.glob("*.sqlite")))
    tests = f"; its tests are runs: {runs}" if runs else ""
    if "curve.png" in files:
        return (
            f"{path}: is the folder of a training, not a run: look at {path / 'curve.png'}{tests}"
        )
    if "player.toml" in files:
        return (
            f"{path}: is the folder of a tuning, not a run: its result is in "
            f"{path / 'player.toml'}, its pictures are next to it, as parameters.png{tests}"
        )
    return f"{path}: is a folder; a run is a file, such as runs/NAME.sqlite"


def _is_empty(path: Path, database: sqlite3.Connection) -> bool:
    try:
        (tables,) = database.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.Error as error:
        raise _damaged(path, error) from None
    return bool(tables == 0)


def _check_ours(path: Path, database: sqlite3.Connection) -> None:
    """Raise StoreError unless this is a run of a version we know, whole."""
    try:
        (application,) = database.execute("PRAGMA application_id").fetchone()
        (schema,) = database.execute("PRAGMA user_version").fetchone()
        if application != _APPLICATION_ID:
            raise StoreError(f"{path}: an SQLite file of another program, not a run; left alone")
        if schema > SCHEMA_VERSION:
            raise StoreError(
                f"{path}: written by a newer arena (schema {schema}, this one knows up to "
                f"{SCHEMA_VERSION}); update this one"
            )
        (verdict,) = database.execute("PRAGMA quick_check(1)").fetchone()
        (config,) = database.execute("SELECT config FROM run").fetchone()
        TournamentConfig.model_validate_json(config)
    except (sqlite3.Error, TypeError, ValueError) as error:
        raise _damaged(path, error) from None
    if verdict != "ok":
        raise _damaged(path, verdict)


def _damaged(path: Path, reason: object) -> StoreError:
    return StoreError(f"{path}: not a run, or damaged ({reason}); move it away to begin anew")
