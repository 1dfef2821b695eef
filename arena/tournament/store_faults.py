"""Faults of a run's file: their messages, and the reading of damaged games."""

import errno
import os
import shlex
import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from arena.errors import ArenaError, StoreError, UnkeptError, UserError
from arena.files.toml_tables import shown
from arena.model.protocol import Termination
from arena.model.record import GameRecord
from arena.ratings.results import GameDigest, digest
from arena.tournament.store_tables import CHECKSUMS, GAMES

_OF_THE_DISK = (
    sqlite3.SQLITE_BUSY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_READONLY,
)  # fmt: skip
"""Errors with files that are good."""
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""Errors of a full disk, or of a limit to what may be on it, as `ulimit -f` has."""
_FULL_OR_FAILS = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)
"""The same of SQLite, which has the second where it is no page of the database that lacks room."""
_UNSHARED = "; this file system cannot share memory, which runs need: use a folder on a local disk"
_ELSEWHERE = "keep the run in another file: --store, or --to of `arena import`"
DAMAGED = """
INSERT OR IGNORE INTO games VALUES
    (NULL, ?, ?, 0, '', '', 0, '[]', 'damaged', '', NULL, NULL, 0, 0, x'', '', 0)
"""
"""A row for an attempt that cannot be read, of which nothing else is known."""


class DamagedGame(NamedTuple):
    """A game whose rows are not as they were written, or make no game."""

    game: str
    """Its id, as far as it can be read."""
    digest: GameDigest | None
    """From its record; None where that is damaged too."""


def readable(game: GameDigest | DamagedGame) -> GameDigest | None:
    """The readable part of a game; None where nothing is left of it."""
    return game.digest if isinstance(game, DamagedGame) else game


PLAY_AGAIN = "The command that plays the run plays it again with --replay-damaged."


def unwritable(file: Path, error: sqlite3.Error | OSError) -> StoreError:
    """The error for a file that cannot be written; an UnkeptError where it lacks room."""
    at = getattr(error, "filename", None) or file  # perhaps the lock next to it
    message = f"{at}: cannot be written: {getattr(error, 'strerror', None) or error}"
    if _unshared(error):
        return StoreError(message + _UNSHARED)
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the other bits are details
    if code in _FULL_OR_FAILS or getattr(error, "errno", None) in FULL:
        return UnkeptError(f"{message}; the same command continues once there is room")
    begun = os.path.exists(file)  # noqa: PTH110 # Path.exists raises without permission
    return StoreError(message if begun else f"{message}; {_ELSEWHERE}")


def _unshared(reason: object) -> bool:
    """Whether a file system, as some of networks, cannot have what those that read a run share."""
    return getattr(reason, "sqlite_errorcode", 0) == sqlite3.SQLITE_IOERR_SHMMAP


def torn(path: Path, found: str) -> StoreError:
    """The error for a file that can be read, and in which no more can be kept."""
    return StoreError(
        f"{path}: damaged, as by a copy made with `cp` while it was played "
        f"({found.splitlines()[-1]}); its games can still be shown. To play on, put back another "
        "copy. To play it from the start, move it away"
    )


def of_other_players(path: Path, game: str, names: Sequence[str]) -> StoreError:
    """The error for a run whose configuration lacks players of a game."""
    return StoreError(
        f"{path}: its configuration is damaged: it has no player {', '.join(map(shown, names))}, "
        f"as game {game} has. Put back another copy; `arena replay` and `arena export` still show "
        "the games"
    )


def without_result(games: Iterable[GameDigest | DamagedGame]) -> list[str]:
    """The ids of games that have no result, perhaps because they are damaged."""
    lost, played = set[str](), set[str]()
    for each in games:
        game = readable(each)
        if game is None:
            lost.add(each.game)
        elif game.termination is not Termination.VOID:
            played.add(game.game)
    return sorted(lost - played)


def games_are(ids: Sequence[str]) -> str:
    """`games g0001, g0002 are`."""
    return f"game {ids[0]} is" if len(ids) == 1 else f"games {', '.join(ids)} are"


def damaged_lines(path: Path, ids: Sequence[str]) -> list[str]:
    """The message about damaged games where the others are read."""
    return [f"{path}: {games_are(ids)} damaged and left out. {PLAY_AGAIN}"] if ids else []


def none_left(path: Path, damaged: Sequence[str]) -> ArenaError:
    """The error for a run of which no game can be read."""
    if damaged:
        return StoreError(*damaged_lines(path, damaged))
    return UserError(f"{path}: no game has been played yet")


def parsed(text: str) -> GameRecord | None:
    """A record of an earlier version, without a checksum; None where it is damaged."""
    try:
        record = GameRecord.model_validate_json(text)
        record.start()
        record.terms.game.position(record.final_state)
        digest(record)
    except (TypeError, ValueError, LookupError):
        return None
    return record


def renewal(attempts: Iterable[int]) -> str:
    """Statements that rebuild all tables without these attempts, which an index may miss."""
    of_games = ("games", "seats", "records", "checksums")
    statements = [f"ALTER TABLE {name} RENAME TO old_{name}" for name in of_games]
    statements += ["ALTER TABLE sandboxes RENAME TO old_sandboxes"]
    statements += ["DROP INDEX one_result_a_game", GAMES, CHECKSUMS]
    statements += ["INSERT OR IGNORE INTO sandboxes SELECT * FROM old_sandboxes"]
    ids = ", ".join(map(str, attempts))
    statements += [f"INSERT INTO games SELECT * FROM old_games WHERE id NOT IN ({ids})"]
    where = "WHERE id IN (SELECT id FROM games)"
    statements += [f"INSERT INTO {t} SELECT * FROM old_{t} {where}" for t in of_games[1:]]
    statements += [f"DROP TABLE old_{name}" for name in (*of_games, "sandboxes")]
    statements += [f"DELETE FROM machines WHERE id IN ({ids})"]
    return ";".join(statements)


def refuse_no_file(path: Path) -> None:
    """Raise StoreError where something else than a file has the place of a run."""
    if path.exists() and not path.is_file():
        raise StoreError(f"{path}: not a file; name one for the run, such as runs/NAME.sqlite")


def there_already(path: Path) -> StoreError:
    """The error for a run to make where there is one."""
    return StoreError(f"{path}: is there already; give the run another name, or move it away")


def folder_instead(path: Path) -> str:
    """Why a folder is no run: a training and a tuning keep one too."""
    files = {file.name for file in path.iterdir()}
    tested = sorted(path.glob("*.sqlite"))
    runs = ", ".join(shlex.join(["arena", "report", str(run)]) for run in tested)
    tests = f"; its tests are runs: {runs}" if runs else ""
    if "curve.png" in files:
        return (
            f"{path}: is the folder of a training, not a run: look at {path / 'curve.png'}{tests}"
        )
    if "player.toml" in files:
        return (
            f"{path}: is the folder of a tuning, not a run: its result is in "
            f"{path / 'player.toml'}, its pictures are next to it, such as parameters.png{tests}"
        )
    return f"{path}: is a folder; a run is a file, such as runs/NAME.sqlite"


def is_of_the_disk(reason: object) -> bool:
    """Whether an error is not about the content of the file."""
    return getattr(reason, "sqlite_errorcode", 0) & 0xFF in _OF_THE_DISK


def unusable(path: Path, reason: object, *, to_play: bool = False) -> StoreError:
    """The error for a file that SQLite cannot read, or that is no run; `to_play` where it was to be
    played, not read.
    """
    if is_of_the_disk(reason):
        if Path(f"{path}-wal").exists() and not os.access(path.absolute().parent, os.W_OK):
            return StoreError(
                f"{path}: its last games wait in {path.name}-wal, and SQLite has to write to read "
                f"them ({reason}); copy both files to a folder that you may write"
            )
        why = _UNSHARED if _unshared(reason) else "; it is as it was"
        return StoreError(f"{path}: cannot be used now: {reason}{why}")
    if path.suffix == ".toml":
        return StoreError(f"{path}: not a run, which is a file such as runs/NAME.sqlite")
    if isinstance(reason, ValidationError):
        if any(map(_is_unknown, reason.errors())):
            return of_newer(path, reason)
        reason = "its configuration"
    do = "name a run's file, such as runs/NAME.sqlite"
    if to_play:
        do = "to make a new run in its place, move it away"
    return StoreError(f"{path}: not a run, or damaged ({reason}); {do}")


def of_newer(path: Path, wrong: ValidationError) -> StoreError:
    """The error for a file with keys or values that this version does not know."""
    first = max(wrong.errors(), key=_is_unknown)
    what = ".".join(map(str, first["loc"]))
    if first["loc"] == ("format",):
        what = f"the format {first['input']!r}"
    return StoreError(
        f"{path}: written by a newer arena, or damaged (this arena does not know {what}); update "
        "the arena"
    )


def _is_unknown(error: ErrorDetails) -> bool:
    """Whether a newer version may have written what is wrong: a key, or a format."""
    return error["type"] == "extra_forbidden" or error["loc"] == ("format",)
