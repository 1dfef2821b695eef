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
    machines   for each seat of a game that a cluster played: which machine, its processor and its
               measured speed, and the nodes that the player stated, in how many ms
    info       how many characters of each player's `info` the records have, as far as counted

Schema 1, of earlier versions, has `games` alone, with the record in it: it is read as it is, and
brought to this schema when the run is played.

The file is in WAL mode with `synchronous = FULL`: a game is one transaction, on the disk when `add`
returns. The process that plays has a lock file next to it, and appends what happens to another one
(`arena.tournament.events`); any number may read meanwhile.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from datetime import datetime, timedelta
from difflib import get_close_matches
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from sys import intern
from typing import Any, Self

from pydantic import ValidationError

import rules
from arena.errors import ConfigChangedError, StoreError
from arena.files import json_text
from arena.files import lock as lock_file
from arena.model.record import GameRecord
from arena.ratings.results import GameDigest, digest
from arena.tournament import store_faults as faults
from arena.tournament.config import TournamentConfig, changed_players, differences
from arena.tournament.events import events_file
from arena.tournament.formats import FORMATS
from arena.tournament.formats.base import Schedule
from arena.tournament.machines import BY_MACHINE, PlayedAt
from arena.tournament.store_tables import CHECKSUMS, ROWS, SCHEMA_1, checksum, digest_of

SCHEMA_VERSION = 2
APPLICATION_ID = 0x4172656E  # "Aren": marks our files among SQLite files


class Store:
    """A run to read, also while it is played. Close it, or use it in a `with` statement."""

    def __init__(self, path: Path, held: ExitStack, *, read_only: bool) -> None:
        """`held` lets go of what the store holds. Raises StoreError."""
        self.path = path
        self._held = held
        self._database = connect(path, read_only=read_only)
        held.callback(self._database.close)
        self._schema, self._to_play = SCHEMA_VERSION, not read_only

    @property
    def files(self) -> tuple[str, ...]:
        """All it consists of while it is played, by their absolute paths."""
        path = self.path.resolve()
        others = (lock_file.name_of(path), events_file(path))
        return (*map(str, others), *(f"{path}{end}" for end in ("", "-wal", "-shm")))

    @property
    def is_played(self) -> bool:
        return lock_file.is_held(self.path)

    @classmethod
    def open(cls, path: Path) -> Self:
        """A run to read, also while it is played. Raises StoreError."""
        path = Path(path)
        if path.is_dir():
            raise StoreError(faults.folder_instead(path))
        if not path.is_file():
            meant = nearest_run(path) or ";"
            raise StoreError(f"{path}: no such run{meant} `arena run` and `arena match` make runs")
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
    def begun_with(cls, path: Path) -> TournamentConfig | None:
        """The configuration of the last play; None where no run has begun. Raises StoreError."""
        faults.refuse_no_file(path)
        if not path.exists():
            return None
        with ExitStack() as held:
            store = cls(path, held, read_only=True)
            store._to_play = True
            if store._is_empty():
                return None
            store._check_ours()
            return store.config

    def _is_empty(self) -> bool:
        """Whether no run has begun, as where the first moment of one was cut short."""
        return not list(self._rows("SELECT 1 FROM sqlite_master"))

    def _check_ours(self) -> None:
        """Raise StoreError unless this is a run of a version we know."""
        if self._is_empty():  # asked first: it may begin at this moment
            raise StoreError(
                f"{self.path}: no run has begun in it; the command that plays or imports it begins "
                "it. A copy of a run that is being played also needs the -wal file next to the "
                f"original, as {self.path.name}-wal"
            )
        ((application,),) = self._rows("PRAGMA application_id")
        ((self._schema,),) = self._rows("PRAGMA user_version")
        if application != APPLICATION_ID:
            raise StoreError(
                f"{self.path}: an SQLite file of another program, not a run; name another file"
            )
        if self._schema > SCHEMA_VERSION:
            raise StoreError(
                f"{self.path}: written by a newer arena (schema {self._schema}, this arena knows "
                f"up to {SCHEMA_VERSION}); update the arena"
            )
        try:
            config = self.config
            if config.terms.rules not in rules.names():
                raise StoreError(
                    f"{self.path}: played with the game {config.terms.rules!r}, which is not "
                    "installed here; install its package"
                )
            self._check_game(config)
            config.schedule()
        except (TypeError, ValueError, LookupError) as error:
            raise faults.unusable(self.path, error, to_play=self._to_play) from None

    def _check_game(self, config: TournamentConfig) -> None:
        """Raise StoreError where a package does not have its game as it was any more."""
        if config.terms.rules in rules.GAMES:
            return
        try:
            config.terms.game  # noqa: B018  # to ask for it loads it
        except Exception as error:  # its code may do anything
            raise StoreError(
                f"{self.path}: its game cannot be loaded as it was played: {error}. Install the "
                f"package that has {config.terms.rules!r} as it was then"
            ) from None

    def refuse_changed(self, config: TournamentConfig) -> None:
        """Raise ConfigChangedError where the run was begun with another configuration than this."""
        if changed := differences(self.config, config):
            listed = "\n".join(f"  {line}" for line in changed)
            of_field = changed == tuple(changed_players(self.config, config))
            can_take = of_field and not FORMATS[self.config.format].closed
            take = "In a tournament, `arena run --take-new` takes them in.\n" if can_take else ""
            raise ConfigChangedError(
                f"{self.path}: this run was begun with another configuration:\n{listed}\n{take}"
                "Undo the change, or keep the new run in another file, or move this one away."
            )

    def _rows(self, query: str, *arguments: object) -> Iterator[Any]:
        """The rows of a query. Raises StoreError where the file cannot be read."""
        try:
            rows = self._database.execute(query, arguments)
            for row in rows:  # noqa: UP028 - `yield from` would close it, perhaps after the file
                yield row
        except (sqlite3.Error, UnicodeDecodeError) as error:  # of a message that quotes damage
            raise faults.unusable(self.path, error, to_play=self._to_play) from None

    @property
    def config(self) -> TournamentConfig:
        """The configuration the run was last played with."""
        ((text,),) = self._rows("SELECT config FROM run")
        return TournamentConfig.model_validate_json(text)

    @property
    def label(self) -> str:
        """The run's identity: its name and a token, or the time it began."""
        columns = [name for (name,) in self._rows("SELECT name FROM pragma_table_info('run')")]
        token = "token" if "token" in columns else "created_at"
        ((identity,),) = self._rows(f"SELECT {token} FROM run")
        return f"{self.config.name} {identity}"

    def info_kept(self) -> dict[str, int]:
        """How many characters of each player's `info` are kept, as far as they were counted."""
        return dict(self._rows("SELECT player, kept FROM info"))

    def digests(self, after: int = 0) -> Iterator[tuple[int, GameDigest | faults.DamagedGame]]:
        """Games and void attempts with an `id` above `after`, in the order they ended. Raises
        StoreError where one has a player that the configuration lacks.
        """
        rules_of_run, names = "", set[str]()
        for id_, found in self._digests(after):
            game = faults.readable(found)
            if game and not (game.rules == rules_of_run and names.issuperset(game.players)):
                config = self.config  # more players may have joined
                rules_of_run, names = config.terms.rules, {each.name for each in config.players}
                if game.rules != rules_of_run or not names.issuperset(game.players):
                    record = self._record(id_)  # the row may be damaged, without a checksum
                    game = digest(record) if record else game
                    if strangers := sorted({*game.players} - names):
                        raise faults.of_other_players(self.path, game.game, strangers)
                    whole = game if game.rules == rules_of_run else None
                    found = faults.DamagedGame(game.game, whole)
            yield id_, found

    def _digests(self, after: int) -> Iterator[tuple[int, GameDigest | faults.DamagedGame]]:
        if self._schema == 1:
            for id_, game in self._rows("SELECT id, game FROM games WHERE id > ?", after):
                record = self._record(id_)
                yield id_, digest(record) if record else faults.DamagedGame(game, None)
            return
        query = f"{ROWS} WHERE games.id > ? ORDER BY games.id, seat"
        for id_, of_game in groupby(self._rows(query, after), itemgetter(0)):
            rows = list(of_game)
            if (found := digest_of(rows)) is not None:
                yield id_, found
                continue
            record = self._record(id_)
            game = record.game if record else str(rows[0][2])
            yield id_, faults.DamagedGame(game, digest(record) if record else None)

    def schedule(self) -> Schedule:
        """The schedule as the games leave it. Where results do not decide how many games there are,
        none is read, and the schedule is as before the first.
        """
        config = self.config
        schedule = config.schedule()
        for _, found in () if config.is_fixed else self.digests():
            if game := faults.readable(found):
                schedule.add(game)
        return schedule

    def _record(self, id_: int) -> GameRecord | None:
        """The record of an attempt; None where it is damaged."""
        for text, written in self._rows(
            "SELECT records.record, checksums.record FROM records "
            "LEFT JOIN checksums USING (id) WHERE id = ?",
            id_,
        ):
            if written == checksum(text):
                try:
                    return GameRecord.model_validate_json(text)
                except ValidationError as error:
                    raise faults.of_newer(self.path, error) from None
            return faults.parsed(text) if written is None else None
        return None

    def records(
        self, *, void: bool = False, damaged: list[str] | None = None
    ) -> Iterator[GameRecord]:
        """The games by round and name, whenever they ended, one result each; with `void` all void
        attempts too. Of those that are damaged `damaged` takes the ids; without it they raise
        StoreError.
        """
        where = "" if void else "WHERE termination <> 'void'"
        order = "ORDER BY round, length(game), game, id"  # g0002 before g0010, g9999 before g10000
        # All at once: while a query is open, what a run that goes on writes piles up in its log.
        for id_, game in list(self._rows(f"SELECT id, game FROM games {where} {order}")):
            if damaged is None:
                yield self._whole(id_, game)
            elif record := self._record(id_):
                yield record
            else:
                damaged.append(game)

    def unreadable(self, *, void: bool = False) -> dict[int, str]:
        """Games whose records are damaged, by the `id` of the attempt; `void` ones if wanted."""
        where = "" if void else "WHERE termination <> 'void'"
        rows = self._rows(
            "SELECT id, game, records.record, checksums.record FROM games LEFT JOIN records "
            f"USING (id) LEFT JOIN checksums USING (id) {where} ORDER BY id"
        )
        return {
            id_: game
            for id_, game, text, written in rows
            if (faults.parsed(text) is None if written is None else written != checksum(text))
        }

    def to_resume(self, *, replay: bool = False) -> tuple[list[GameDigest], set[int]]:
        """The start of a run that goes on: games and void attempts that stay, in the order they
        ended; and attempts whose rows are written again from their records, or left out without
        one. Raises StoreError where nothing is left of a game; with `replay` it is left out, and so
        is every game whose record is damaged.
        """
        digests = dict(self.digests())
        lost = faults.without_result(digests.values())
        if lost and not replay:
            raise StoreError(
                f"{self.path}: {faults.games_are(lost)} damaged and cannot be read. "
                f"{faults.PLAY_AGAIN}"
            )
        gone = set(self.unreadable(void=True)) if replay else set[int]()
        readable = ((id_, faults.readable(each)) for id_, each in digests.items())
        return (
            [game for id_, game in readable if game is not None and id_ not in gone],
            gone | {id_ for id_, each in digests.items() if isinstance(each, faults.DamagedGame)},
        )

    def record(self, game: str) -> GameRecord | None:
        """The latest attempt of a game; None if it was not played. Raises StoreError (damaged)."""
        query = "SELECT id FROM games WHERE game = ? ORDER BY attempt DESC LIMIT 1"
        for (id_,) in self._rows(query, game):
            return self._whole(id_, game)
        for id_, found in self.digests():  # its row may have lost its name
            if isinstance(found, faults.DamagedGame) and found.game == game:
                return self._whole(id_, game)
        return None

    def _whole(self, id_: int, game: str) -> GameRecord:
        record = self._record(id_)
        if record is None:
            raise StoreError(
                f"{self.path}: {faults.games_are([game])} damaged and cannot be shown; the others "
                f"can. {faults.PLAY_AGAIN}"
            )
        return record

    def finished(self) -> frozenset[str]:
        """Ids of the games that have a result."""
        rows = self._rows("SELECT game FROM games WHERE termination <> 'void'")
        return frozenset(game for (game,) in rows)

    def played_at(self) -> list[PlayedAt]:
        """Games by machine and player, of those that a cluster played."""
        there = "SELECT 1 FROM sqlite_master WHERE name = 'machines'"
        if not list(self._rows(there)):
            return []
        return [PlayedAt(*row) for row in self._rows(BY_MACHINE)]

    def span(self) -> dict[str, datetime]:
        """When the first game to end `began` and the last `ended`, the earlier first: the clock may
        have been set back between. Empty without games, or where one of these is damaged.
        """
        ends = (f"SELECT {which}(id) FROM games" for which in ("min", "max"))
        first, last = (
            list(self._rows(f"SELECT started_at, duration_ms FROM games WHERE id = ({end})"))
            for end in ends
        )
        with suppress(TypeError, ValueError, OverflowError):  # a damaged one
            for (began, _), (latest, took) in zip(first, last, strict=True):
                ended = datetime.fromisoformat(latest) + timedelta(milliseconds=took)
                earlier, later = sorted((datetime.fromisoformat(began), ended))
                return {"began": earlier, "ended": later}
        return {}

    def openings(self) -> tuple[tuple[str, ...], ...]:
        """The openings of the first rounds, up to one without a game, or whose row is damaged."""
        rows = self._rows(
            "SELECT round, opening FROM games "
            "WHERE id IN (SELECT min(id) FROM games GROUP BY round) ORDER BY round"
        )
        found: list[tuple[str, ...]] = []
        with suppress(TypeError, ValueError):  # a damaged one
            for number, (round_, opening) in enumerate(rows, 1):
                line = json_text.parse(opening)
                if round_ != number or not isinstance(line, list):
                    break
                found.append(tuple(map(intern, line)))  # TypeError where a move is no text
        return tuple(found)

    def attempts(self) -> dict[str, int]:
        """How often each game was tried so far, void attempts included."""
        return dict(self._rows("SELECT game, max(attempt) FROM games GROUP BY game"))

    def close(self) -> None:
        """Let go of the file, and of the right to play."""
        self._held.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def connect(path: Path, *, read_only: bool) -> sqlite3.Connection:
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


def nearest_run(path: Path) -> str:
    """`; did you mean "runs/cup.sqlite"?`: a near run, next to `path` or in runs; else empty."""
    folders = dict.fromkeys((path.parent, default_store("").parent))
    runs = {run.stem: run for folder in folders for run in sorted(folder.glob("*.sqlite"))}
    near = get_close_matches(path.stem, runs, 1)
    return f'; did you mean "{runs[near[0]]}"?' if near else ""
