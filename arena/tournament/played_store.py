"""The store of the run that this process plays: begun or gone on with, game by game."""

import json
import platform
import secrets
import sqlite3
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import zip_longest
from pathlib import Path
from typing import IO, Self

from arena.errors import StoreError, StoreLockedError, UnkeptError
from arena.files import lock as lock_file
from arena.model.record import GameRecord
from arena.ratings.results import GameDigest, digest
from arena.tournament import store_faults as faults
from arena.tournament import store_tables as tables
from arena.tournament.config import TournamentConfig, continued
from arena.tournament.events import Event, append_event, begin_events, events_file
from arena.tournament.machines import seats_at
from arena.tournament.store import APPLICATION_ID, SCHEMA_VERSION, Store

_WAL = "PRAGMA journal_mode = WAL"


class PlayedStore(Store):
    """A run to play. Close it, or use it in a `with` statement."""

    _identity: int | None = None
    """The file's inode while the run is played: whether the path still leads to it."""
    _events: IO[bytes] | None = None

    @classmethod
    def open_run(
        cls, path: Path, config: TournamentConfig, games: Sequence[GameRecord] = ()
    ) -> Self:
        """A run to play: begun when there is none, else gone on with. Where `games` are given, a
        new run is begun with all of them, or none is. Raises StoreLockedError when another process
        has it, ConfigChangedError (see `config.differences`), StoreError.
        """
        path = Path(path)
        with ExitStack() as held:
            try:
                faults.refuse_no_file(path)
                path.parent.mkdir(parents=True, exist_ok=True)
                held.callback(lock_file.release, path, lock_file.acquire(path))
                path.touch()  # SQLite would make a file that its group may not write
                store = cls(path, held, read_only=False)
                store._begin(config, games)
                store._database.execute("PRAGMA synchronous = FULL")
                store._events = held.enter_context(begin_events(events_file(path)))
                store._identity = path.stat().st_ino
            except lock_file.LockHeldError as holder:
                raise StoreLockedError(
                    f"{path}: being played by another `arena run` ({holder}); wait for it or stop "
                    "it"
                ) from None
            except (sqlite3.Error, OSError) as error:
                raise faults.unwritable(path, error) from None
            store._held = held.pop_all()
        return store

    def _begin(self, config: TournamentConfig, games: Sequence[GameRecord]) -> None:
        if self._is_empty():
            self._create(config, games)
            return
        self._check_ours()
        if games:
            raise faults.there_already(self.path)
        self.refuse_changed(config)
        config = continued(self.config, config)
        self._database.execute(_WAL)  # a copy by `copy_run` has another mode
        if self._schema == 1:
            self._migrate()
        with self._database:
            self._execute_all(tables.LATER)
        self.keep_config(config)

    def keep_config(self, config: TournamentConfig) -> None:
        """Have the run go on with another configuration, by which the games stay what they are."""
        with self._database:
            self._database.execute("UPDATE run SET config = ?", (config.model_dump_json(),))

    def _create(self, config: TournamentConfig, games: Sequence[GameRecord]) -> None:
        database = self._database
        database.execute(_WAL)
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
            self._execute_all(tables.RUN + tables.GAMES + tables.LATER)
            database.execute("INSERT INTO run VALUES (1, ?, ?, ?, ?, ?, ?)", row)
            database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            database.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
            for record in games:
                self._insert(record, record.model_dump_json())

    def _migrate(self) -> None:
        """Bring a file of schema 1 to this one, or leave it as it was."""
        database = self._database
        with database:
            database.execute("BEGIN IMMEDIATE")
            self._execute_all("ALTER TABLE games RENAME TO old; DROP INDEX one_result_a_game;")
            self._execute_all(tables.GAMES + tables.LATER)
            query = "SELECT game, attempt, record FROM old ORDER BY rowid"
            for *attempt, text in database.execute(query):
                record = faults.parsed(text)
                if record is None:
                    database.execute(faults.DAMAGED, attempt)
                else:
                    self._insert(record, text)
            self._execute_all(f"DROP TABLE old; PRAGMA user_version = {SCHEMA_VERSION};")
        self._schema = SCHEMA_VERSION

    def append(self, event: Event) -> None:
        """Let watchers know what happens; only for the process that plays. Raises StoreError."""
        assert self._events is not None
        try:
            append_event(self._events, event)
        except OSError as error:
            raise faults.unwritable(events_file(self.path), error) from None

    def add(self, record: GameRecord, text: str | None = None) -> bool:
        """Keep a game for good, as `text` where its JSON is there already. The first write wins:
        False when the attempt, or another result of this game, is there.
        """
        try:
            with self._database:
                self._database.execute("BEGIN IMMEDIATE")
                added = self._insert(record, text or record.model_dump_json())
        except sqlite3.Error as error:
            if not faults.is_of_the_disk(error):
                raise faults.unusable(self.path, error, to_play=True) from None
            raise UnkeptError(
                f"{self.path}: game {record.game} cannot be kept: {error}; those before it are, "
                "and the same command continues once it can be written"
            ) from None
        self._check_still_there()
        return added

    def _insert(self, record: GameRecord, text: str, id_: int | None = None) -> bool:
        """Add the rows of a game, under the `id_` it had; False where it, or a result, is there."""
        game = digest(record)
        added = self._insert_game(record, game, id_)
        if added is None:
            return False
        self._database.execute("INSERT INTO records VALUES (?, ?)", (added, text))
        self._insert_seats(added, game)
        rows = list(self._rows(f"{tables.ROWS} WHERE games.id = ? ORDER BY seat", added))
        sums = (added, tables.checksum_of(rows), tables.checksum(text))
        self._database.execute("INSERT INTO checksums VALUES (?, ?, ?)", sums)
        insert = self._database.executemany
        insert(
            "INSERT INTO machines VALUES (?, ?, ?, ?, ?, ?, ?)",
            ((added, *seat) for seat in seats_at(record)),
        )
        if id_ is None:  # else it was counted when it came
            insert(
                "INSERT INTO info VALUES (?, ?) "
                "ON CONFLICT DO UPDATE SET kept = kept + excluded.kept",
                ((seat.player, seat.info_kept) for seat in record.seats if seat.info_kept),
            )
        return True

    def _insert_game(self, record: GameRecord, game: GameDigest, id_: int | None) -> int | None:
        """The id of the new row; None when the attempt, or a result, is there already."""
        row = (
            {"id": id_}
            | {name: getattr(game, name) for name in tables.PLAIN}
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
        return cursor.lastrowid if cursor.rowcount else None

    def _insert_seats(self, id_: int, game: GameDigest) -> None:
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

    def _check_still_there(self) -> None:
        """Raise StoreError where the file was moved or deleted: games would be lost silently."""
        with suppress(OSError):
            if self.path.stat().st_ino == self._identity:
                return
        raise StoreError(
            f"{self.path}: was moved or deleted while the run was played; the run has stopped. "
            f"Put it back to continue, or start again."
        )

    def whole(self, *, replay: bool = False) -> list[GameDigest]:
        """Games and void attempts in a file to play on with: damaged rows are written again from
        their records. A game whose record is damaged too is removed with `replay`, to be played
        again; without it StoreError, and where tables and indices do not fit.
        """
        games, renewed = self.to_resume(replay=replay)
        if renewed:
            self._renew(renewed)
            games, _ = self.to_resume()
        ((found,),) = self._rows("PRAGMA integrity_check(1)")
        if found != "ok":
            raise faults.torn(self.path, found)
        return games

    def _renew(self, damaged: set[int]) -> None:
        """Write attempts again from their records, or leave them out."""
        records = [(id_, self._record(id_)) for id_ in sorted(damaged)]
        try:
            with self._database:
                self._database.execute("BEGIN IMMEDIATE")
                self._execute_all(faults.renewal(damaged))
                for id_, record in records:
                    if record is not None:
                        self._insert(record, record.model_dump_json(), id_)
        except sqlite3.Error as error:
            raise faults.unusable(self.path, error, to_play=self._to_play) from None

    def _execute_all(self, statements: str) -> None:
        """Like `executescript`, within the transaction."""
        for statement in filter(str.strip, statements.split(";")):
            self._database.execute(statement)
