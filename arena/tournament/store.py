"""One run in one SQLite file: its configuration and every game, durable game by game.

    run        one row: the resolved configuration (JSON), where and when it began, and a token that
               tells it from runs of the same name; files of earlier versions lack it
    games      one row an attempt, `id` in the order they ended. `termination` is `void` for an
               attempt that counts for nothing; at most one attempt of a game is not void.
               `offender` is the seat that forfeited, `opening` and `faults` (seat, word, sentence)
               are JSON, `line` is a hash of the moves
    seats      one row for each seat of an attempt: the player, its score and points, the random
               moves that were played for it, what contained it (a row of `sandboxes`), and
               `used_ms`, the time of each move it was asked for (float32, one after the other)
    sandboxes  what contained players (JSON), each different value once
    records    the whole game (JSON, `arena.model.record.GameRecord`); all else is drawn from it, so
               that standings need not read it
    checksums  of the rows of an attempt and of its record, to tell damaged ones; files of earlier
               versions lack them
    info       how many characters of each player's `info` the records have, as far as counted

Schema 1, of earlier versions, has `games` alone, with the record in it: it is read as it is, and
brought to this schema when the run is played.

The file is in WAL mode with `synchronous = FULL`: a game is one transaction, on the disk when `add`
returns. The process that plays has a lock file next to it, and appends what happens to another one
(`arena.tournament.events`); any number may read meanwhile.
"""

import json
import os
import platform
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, suppress
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import groupby, takewhile, zip_longest
from operator import itemgetter
from pathlib import Path
from typing import IO, Any, Self

from arena.errors import ConfigChangedError, StoreError, StoreLockedError
from arena.files import lock as lock_file
from arena.model.record import GameRecord
from arena.ratings.results import GameDigest, digest
from arena.tournament.config import TournamentConfig, changed_players, continued, differences
from arena.tournament.events import Event, begin_events, events_file
from arena.tournament.formats import FORMATS
from arena.tournament.store_faults import (
    DAMAGED,
    PLAY_AGAIN,
    DamagedGame,
    folder_instead,
    games_are,
    parsed,
    renewal,
    unusable,
    without_result,
)
from arena.tournament.store_tables import (
    CHECKSUMS,
    GAMES,
    INFO,
    PLAIN,
    ROWS,
    RUN,
    SCHEMA_1,
    checksum,
    checksum_of,
    digest_of,
)

SCHEMA_VERSION = 2
_APPLICATION_ID = 0x4172656E  # "Aren": tells our files from other SQLite files


class Store(AbstractContextManager["Store"]):
    """An open run. Close it, or use it in a `with` statement."""

    def __init__(self, path: Path, held: ExitStack, *, read_only: bool) -> None:
        """`held` lets go of what the store holds. Raises StoreError."""
        self.path = path
        self._held = held
        self._database = _connect(path, read_only=read_only)
        held.callback(self._database.close)
        self._schema = SCHEMA_VERSION
        self._identity: int | None = None
        """The file's inode while the run is played: whether the path still leads to it."""
        self._events: IO[bytes] | None = None

    @property
    def files(self) -> tuple[str, ...]:
        """All it consists of while it is played, by their absolute paths."""
        path = self.path.resolve()
        others = (lock_file.name_of(path), events_file(path))
        return (*map(str, others), *(f"{path}{end}" for end in ("", "-wal", "-shm")))

    @property
    def is_played(self) -> bool:
        """Whether a process plays the run now."""
        return lock_file.is_held(self.path)

    @classmethod
    def open(cls, path: Path) -> Self:
        """A run to read, also while it is played. Raises StoreError."""
        path = Path(path)
        if path.is_dir():
            raise StoreError(folder_instead(path))
        if not path.is_file():
            raise StoreError(f"{path}: no such run; `arena run` makes one from a tournament file")
        with ExitStack() as held:
            store = cls(path, held, read_only=True)
            store._check_ours()
            if store._schema == 1:
                store._database.executescript(SCHEMA_1)
            if not list(store._rows("SELECT 1 FROM sqlite_master WHERE name = 'checksums'")):
                store._database.executescript(CHECKSUMS.replace("TABLE", "TEMP TABLE"))
            store._database.execute("PRAGMA query_only = 1")
            store._held = held.pop_all()
        return store

    @classmethod
    def open_run(cls, path: Path, config: TournamentConfig) -> Self:
        """A run to play: begun when there is none, else gone on with.

        Raises StoreLockedError when another process has it, ConfigChangedError when it was begun
        with another configuration (see `config.differences`), else StoreError.
        """
        path = Path(path)
        with ExitStack() as held:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                held.callback(lock_file.release, path, lock_file.acquire(path))
                if path.exists() and not path.is_file():
                    raise StoreError(
                        f"{path}: not a file; name one to keep the run in, as runs/NAME.sqlite"
                    )
                store = cls(path, held, read_only=False)
                store._begin(config)
                store._database.execute("PRAGMA synchronous = FULL")
                store._events = held.enter_context(begin_events(events_file(path)))
                store._identity = path.stat().st_ino
            except lock_file.LockHeldError as holder:
                raise StoreLockedError(
                    f"{path}: being played by another `arena run` ({holder}); wait for it or stop "
                    "it"
                ) from None
            except (sqlite3.Error, OSError) as error:
                why = getattr(error, "strerror", None) or error
                raise StoreError(f"{path}: cannot be written: {why}") from None
            store._held = held.pop_all()
        return store

    @classmethod
    def begun_with(cls, path: Path) -> TournamentConfig | None:
        """What the run at `path` was last played with; None where none has begun. Raises
        StoreError.
        """
        if not path.is_file():
            return None
        with ExitStack() as held:
            store = cls(path, held, read_only=True)
            if not list(store._rows("SELECT 1 FROM sqlite_master")):
                return None
            store._check_ours()
            return store.config

    def append(self, event: Event) -> None:
        """Let watchers know what happens; only for the process that plays. Raises StoreError."""
        assert self._events is not None
        try:
            self._events.write(event.model_dump_json().encode() + b"\n")
        except OSError as error:
            name = events_file(self.path)
            raise StoreError(f"{name}: cannot be written: {error.strerror}") from None

    def _begin(self, config: TournamentConfig) -> None:
        ((tables,),) = self._rows("SELECT count(*) FROM sqlite_master")
        if tables == 0:
            self._create(config)
            return
        self._check_ours()
        self.refuse_changed(config)
        config = continued(self.config, config)
        if self._schema == 1:
            self._migrate()
        with self._database:
            self._execute_all(CHECKSUMS + INFO)
            self._database.execute("UPDATE run SET config = ?", (config.model_dump_json(),))

    def _check_ours(self) -> None:
        """Raise StoreError unless this is a run of a version we know."""
        ((application,),) = self._rows("PRAGMA application_id")
        ((self._schema,),) = self._rows("PRAGMA user_version")
        if application != _APPLICATION_ID:
            raise StoreError(
                f"{self.path}: an SQLite file of another program, not a run; left alone"
            )
        if self._schema > SCHEMA_VERSION:
            raise StoreError(
                f"{self.path}: written by a newer arena (schema {self._schema}, this one knows up "
                f"to {SCHEMA_VERSION}); update this one"
            )
        try:
            self.config.schedule()
        except (TypeError, ValueError, LookupError) as error:
            raise unusable(self.path, error) from None

    def refuse_changed(self, config: TournamentConfig) -> None:
        """Raise ConfigChangedError where the run was begun with another configuration than this."""
        if changed := differences(self.config, config):
            listed = "\n".join(f"  {line}" for line in changed)
            begun = self.config
            open_field = not FORMATS[begun.format].closed and any(changed_players(begun, config))
            take = "`arena run --take-new` takes changed players into it.\n" if open_field else ""
            raise ConfigChangedError(
                f"{self.path}: this run was begun with another configuration:\n{listed}\n{take}"
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
            secrets.token_hex(4),
        )
        with database:  # all or nothing: a kill in between leaves an empty file
            database.execute("BEGIN IMMEDIATE")
            self._execute_all(RUN + GAMES + CHECKSUMS + INFO)
            database.execute("INSERT INTO run VALUES (1, ?, ?, ?, ?, ?, ?)", row)
            database.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
            database.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")

    def _migrate(self) -> None:
        """Bring a file of schema 1 to this one, or leave it as it was."""
        database = self._database
        with database:
            database.execute("BEGIN IMMEDIATE")
            self._execute_all("ALTER TABLE games RENAME TO old; DROP INDEX one_result_a_game;")
            self._execute_all(GAMES + CHECKSUMS + INFO)
            query = "SELECT game, attempt, record FROM old ORDER BY rowid"
            for *attempt, text in database.execute(query):
                record = parsed(text)
                if record is None:
                    database.execute(DAMAGED, attempt)
                else:
                    self._insert(record, text)
            self._execute_all(f"DROP TABLE old; PRAGMA user_version = {SCHEMA_VERSION};")
        self._schema = SCHEMA_VERSION

    def _execute_all(self, statements: str) -> None:
        """Like `executescript`, within the transaction."""
        for statement in filter(str.strip, statements.split(";")):
            self._database.execute(statement)

    def _rows(self, query: str, *arguments: object) -> Iterator[Any]:
        """What a query finds. Raises StoreError where the file cannot be read."""
        try:
            rows = self._database.execute(query, arguments)
            for row in rows:  # noqa: UP028 - `yield from` would close it, perhaps after the file
                yield row
        except sqlite3.Error as error:
            raise unusable(self.path, error) from None

    @property
    def config(self) -> TournamentConfig:
        """The configuration the run was last played with."""
        ((text,),) = self._rows("SELECT config FROM run")
        return TournamentConfig.model_validate_json(text)

    @property
    def label(self) -> str:
        """What tells its games from those of any other run: its name and a token of its own, or
        where it has none the time it began.
        """
        columns = [name for (name,) in self._rows("SELECT name FROM pragma_table_info('run')")]
        token = "token" if "token" in columns else "created_at"
        ((found,),) = self._rows(f"SELECT {token} FROM run")
        return f"{self.config.name} {found}"

    def info_kept(self) -> dict[str, int]:
        """How many characters of each player's `info` are kept, as far as they were counted."""
        return dict(self._rows("SELECT player, kept FROM info"))

    def add(self, record: GameRecord, text: str | None = None) -> bool:
        """Keep a game for good, as `text` where its JSON is there already. The first write wins:
        False when the attempt, or another result of this game, is there.
        """
        try:
            with self._database:
                self._database.execute("BEGIN IMMEDIATE")
                added = self._insert(record, text or record.model_dump_json())
        except sqlite3.Error as error:
            raise StoreError(f"{self.path}: game {record.game} cannot be kept: {error}") from None
        self._check_still_there()
        return added

    def _insert(self, record: GameRecord, text: str, id_: int | None = None) -> bool:
        """Add the rows of a game. False when the attempt, or a result, is there already."""
        game = digest(record)
        row = (
            {"id": id_}
            | {name: getattr(game, name) for name in PLAIN}
            | {
                "attempt": record.attempt,
                "opening": json.dumps(record.opening),
                "termination": game.termination,
                "faults": json.dumps(game.faults) if game.faults else None,
                "plies": len(record.moves),
                "started_at": record.started_at,
                "duration_ms": record.duration_ms,
            }
        )
        cursor = self._database.execute(
            f"INSERT INTO games ({', '.join(row)}) VALUES ({', '.join('?' * len(row))}) "
            "ON CONFLICT DO NOTHING",
            tuple(row.values()),
        )
        if cursor.rowcount == 0:
            return False
        id_ = cursor.lastrowid
        self._database.execute("INSERT INTO records VALUES (?, ?)", (id_, text))
        sandboxes = [held.model_dump_json() for held in game.held]
        insert = self._database.executemany
        insert("INSERT OR IGNORE INTO sandboxes (held) VALUES (?)", zip(sandboxes, strict=True))
        seats = zip_longest(
            range(len(game.players)), game.players, game.scores, game.points, game.random_moves,
            sandboxes, (times.tobytes() for times in game.used_ms),
        )  # fmt: skip
        insert(
            "INSERT INTO seats "
            "VALUES (?, ?, ?, ?, ?, ?, (SELECT id FROM sandboxes WHERE held = ?), ?)",
            ((id_, *seat) for seat in seats),
        )
        rows = list(self._rows(f"{ROWS} WHERE games.id = ? ORDER BY seat", id_))
        sums = (id_, checksum_of(rows), checksum(text))
        self._database.execute("INSERT INTO checksums VALUES (?, ?, ?)", sums)
        insert(
            "INSERT INTO info VALUES (?, ?) ON CONFLICT DO UPDATE SET kept = kept + excluded.kept",
            ((seat.player, seat.info_kept) for seat in record.seats if seat.info_kept),
        )
        return True

    def _check_still_there(self) -> None:
        """What is written to a file that was moved or deleted meanwhile would be lost silently."""
        with suppress(OSError):
            if self.path.stat().st_ino == self._identity:
                return
        raise StoreError(
            f"{self.path}: was moved or deleted while the run was played; the run has stopped. "
            f"Put it back to go on, or start again."
        )

    def digests(self, after: int = 0) -> Iterator[tuple[int, GameDigest | DamagedGame]]:
        """Games and void attempts with an `id` above `after`, in the order they ended."""
        if self._schema == 1:
            for id_, game in self._rows("SELECT id, game FROM games WHERE id > ?", after):
                record = self._record(id_)
                yield id_, digest(record) if record else DamagedGame(game, None)
            return
        query = f"{ROWS} WHERE games.id > ? ORDER BY games.id, seat"
        for id_, of_game in groupby(self._rows(query, after), itemgetter(0)):
            rows = list(of_game)
            found = digest_of(rows)
            if found is not None:
                yield id_, found
                continue
            record = self._record(id_)
            game = record.game if record else str(rows[0][2])
            yield id_, DamagedGame(game, digest(record) if record else None)

    def _record(self, id_: int) -> GameRecord | None:
        """The record of an attempt; None where it is damaged."""
        for text, written in self._rows(
            "SELECT records.record, checksums.record FROM records "
            "LEFT JOIN checksums USING (id) WHERE id = ?",
            id_,
        ):
            if written == checksum(text):
                return GameRecord.model_validate_json(text)
            return parsed(text) if written is None else None
        return None

    def records(self, *, void: bool = False) -> Iterator[GameRecord]:
        """The games in the order they ended, one result each; with `void` all void attempts too.
        Raises StoreError where one is damaged.
        """
        where = "" if void else "WHERE termination <> 'void'"
        for id_, game in self._rows(f"SELECT id, game FROM games {where} ORDER BY id"):
            yield self._whole(id_, game)

    def record(self, game: str) -> GameRecord | None:
        """The latest attempt of one game; None when it was not played. Raises StoreError where it
        is damaged.
        """
        query = "SELECT id FROM games WHERE game = ? ORDER BY attempt DESC LIMIT 1"
        for (id_,) in self._rows(query, game):
            return self._whole(id_, game)
        for id_, found in self.digests():  # its row may have lost its name
            if isinstance(found, DamagedGame) and found.game == game:
                return self._whole(id_, game)
        return None

    def _whole(self, id_: int, game: str) -> GameRecord:
        record = self._record(id_)
        if record is None:
            raise StoreError(
                f"{self.path}: {games_are([game])} damaged and cannot be shown; the others can. "
                f"{PLAY_AGAIN}"
            )
        return record

    def whole(self, *, replay: bool = False) -> list[GameDigest]:
        """Games and void attempts in a file to play on with: damaged rows are written again from
        their records. A game whose record is damaged too is removed with `replay`, to be played
        again; without it StoreError.
        """
        found = dict(self.digests())
        damaged = {id_: game for id_, game in found.items() if isinstance(game, DamagedGame)}
        lost = without_result(found.values())
        if lost and not replay:
            raise StoreError(
                f"{self.path}: {games_are(lost)} damaged and cannot be read. {PLAY_AGAIN}"
            )
        again = set(damaged)
        if replay:
            again |= {id_ for (id_,) in self._rows("SELECT id FROM games") if not self._record(id_)}
        if again:
            self._renew(again)
            found = dict(self.digests())
        return [game for game in found.values() if isinstance(game, GameDigest)]

    def _renew(self, damaged: set[int]) -> None:
        """Write attempts again from their records, or leave them out."""
        records = [(id_, self._record(id_)) for id_ in sorted(damaged)]
        try:
            with self._database:
                self._database.execute("BEGIN IMMEDIATE")
                self._execute_all(renewal(damaged))
                for id_, record in records:
                    if record is not None:
                        self._insert(record, record.model_dump_json(), id_)
        except sqlite3.Error as error:
            raise unusable(self.path, error) from None

    def finished(self) -> frozenset[str]:
        """Ids of the games that have a result."""
        rows = self._rows("SELECT game FROM games WHERE termination <> 'void'")
        return frozenset(game for (game,) in rows)

    def openings(self) -> tuple[tuple[str, ...], ...]:
        """The openings of the first rounds, up to the first of which no game was played."""
        rows = self._rows(
            "SELECT round, opening FROM games "
            "WHERE id IN (SELECT min(id) FROM games GROUP BY round) ORDER BY round"
        )
        first = takewhile(lambda row: row[1][0] == row[0], enumerate(rows, 1))
        return tuple(tuple(json.loads(opening)) for _, (_, opening) in first)

    def attempts(self) -> dict[str, int]:
        """How often each game was tried so far, void attempts included."""
        return dict(self._rows("SELECT game, max(attempt) FROM games GROUP BY game"))

    def close(self) -> None:
        """Let go of the file, and of the right to play."""
        self._held.close()

    def __exit__(self, *_: object) -> None:
        self.close()


def _connect(path: Path, *, read_only: bool) -> sqlite3.Connection:
    # A reader that may write removes the -wal and -shm files when it is the last to close.
    writable = os.access(path, os.W_OK) and os.access(path.absolute().parent, os.W_OK)
    mode = "rwc" if not read_only else "rw" if writable else "ro"
    if mode == "ro" and not Path(f"{path.resolve()}-wal").exists():
        mode = "ro&immutable=1"  # not played: else SQLite wants to make these files
    try:
        database = sqlite3.connect(
            f"{path.resolve().as_uri()}?mode={mode}", uri=True, timeout=10, check_same_thread=False
        )
        database.text_factory = lambda text: text.decode("utf-8", "replace")
        return database
    except sqlite3.Error as error:
        raise StoreError(f"{path}: cannot be opened: {error}") from None


def default_store(name: str) -> Path:
    """The file of a tournament's run unless the user names another."""
    return Path("runs") / f"{name}.sqlite"
