"""Tables of a store, and games as their rows; see `arena.tournament.store`."""

from array import array
from hashlib import blake2b
from sys import intern
from typing import Any

from arena.files import json_text
from arena.model.protocol import Termination
from arena.ratings.results import GameDigest, shared_held

RUN = """
CREATE TABLE run (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    config TEXT NOT NULL, created_at TEXT NOT NULL,
    arena TEXT NOT NULL, python TEXT NOT NULL, host TEXT NOT NULL, token TEXT
);
"""
GAMES = """
CREATE TABLE games (
    id INTEGER PRIMARY KEY,
    game TEXT NOT NULL, attempt INTEGER NOT NULL, round INTEGER NOT NULL, pair TEXT NOT NULL,
    rules TEXT NOT NULL, seed INTEGER NOT NULL, opening TEXT NOT NULL,
    termination TEXT NOT NULL, detail TEXT NOT NULL, offender INTEGER, faults TEXT,
    plies INTEGER NOT NULL, best_tile INTEGER NOT NULL, line BLOB NOT NULL,
    started_at TEXT NOT NULL, duration_ms REAL NOT NULL,
    UNIQUE (game, attempt)
);
CREATE UNIQUE INDEX one_result_a_game ON games (game) WHERE termination <> 'void';
CREATE TABLE sandboxes (id INTEGER PRIMARY KEY, held TEXT NOT NULL UNIQUE);
CREATE TABLE seats (
    id INTEGER NOT NULL REFERENCES games, seat INTEGER NOT NULL, player TEXT NOT NULL,
    score INTEGER, points REAL, random_moves INTEGER NOT NULL,
    sandbox INTEGER NOT NULL REFERENCES sandboxes, used_ms BLOB NOT NULL,
    PRIMARY KEY (id, seat)
) WITHOUT ROWID;
CREATE TABLE records (id INTEGER PRIMARY KEY REFERENCES games, record TEXT NOT NULL);
"""
CHECKSUMS = """
CREATE TABLE IF NOT EXISTS checksums (
    id INTEGER PRIMARY KEY, rows BLOB NOT NULL, record BLOB NOT NULL
);
"""
LATER = f"""
{CHECKSUMS}
CREATE TABLE IF NOT EXISTS info (player TEXT PRIMARY KEY, kept INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS machines (
    id INTEGER NOT NULL, seat INTEGER NOT NULL, name TEXT NOT NULL, cpu TEXT NOT NULL,
    speed REAL NOT NULL, nodes INTEGER, ms REAL,
    PRIMARY KEY (id, seat)
) WITHOUT ROWID;
"""
"""Tables that files of earlier versions lack."""
SCHEMA_1 = """
CREATE TEMP VIEW games AS
    SELECT rowid AS id, *, json_extract(record, '$.opening') AS opening FROM main.games;
CREATE TEMP VIEW records AS SELECT rowid AS id, record FROM main.games;
"""
"""A file of schema 1 as far as readers ask for the columns of this one."""
PLAIN = ("game", "round", "pair", "rules", "seed", "detail", "offender", "best_tile", "line")
"""Columns of `games` that are fields of a digest as they are."""
_WHOLE = ("round", "seed", "best_tile", "plies")
"""Those that are whole numbers."""
_REPEATED = ("pair", "rules", "detail")
"""Those that other games have too: each is kept once."""
_GAME = (
    *PLAIN, "attempt", "opening", "termination", "faults", "plies", "started_at", "duration_ms"
)  # fmt: skip
_SEAT = ("seat", "player", "score", "points", "random_moves", "held", "used_ms")
ROWS = f"""
SELECT games.id, checksums.rows, {", ".join((*_GAME, *_SEAT))} FROM games
LEFT JOIN seats ON seats.id = games.id LEFT JOIN sandboxes ON sandbox = sandboxes.id
LEFT JOIN checksums ON checksums.id = games.id
"""
"""All rows of games, one for each seat. One query: while games are added, two may not agree."""


def checksum(value: object) -> bytes:
    """The checksum by which a damaged value is recognized."""
    return blake2b(repr(value).encode(), digest_size=16).digest()


def checksum_of(rows: list[tuple[Any, ...]]) -> bytes:
    """The checksum of the rows of a game, as ROWS has them."""
    return checksum([row[2:] for row in rows])


def digest_of(rows: list[tuple[Any, ...]]) -> GameDigest | None:
    """The digest of a game from its rows, as ROWS has them; None where they are damaged."""
    written = rows[0][1]
    if written not in (None, checksum_of(rows)):
        return None
    game = dict(zip(_GAME, rows[0][2:], strict=False))
    seats = [row[2 + len(_GAME) :] for row in rows]
    try:
        found = _digest_of(game, seats)
    except (TypeError, ValueError, LookupError):  # of an earlier version, without a checksum
        return None
    return found if written or _is_sound(found) else None


def _is_sound(game: GameDigest) -> bool:
    """Whether values without a checksum have the types that they were written with."""
    texts, whole = (game.game, *game.players), (*game.scores, *game.random_moves)
    return (
        all(isinstance(each, str) for each in texts)
        and all(isinstance(each, int) for each in (*whole, *(getattr(game, n) for n in _WHOLE)))
        and all(isinstance(each, float) for each in (*game.points, game.duration_ms))
        and all(seat in range(len(game.players)) for seat, _, _ in game.faults)
        and game.offender in (None, *range(len(game.players)))
    )


def _digest_of(game: dict[str, Any], seats: list[tuple[Any, ...]]) -> GameDigest:
    _, players, scores, points, random_moves, held, used_ms = zip(*seats, strict=True)
    game |= {name: intern(game[name]) for name in _REPEATED}
    faults = json_text.parse(game["faults"] or "[]")
    return GameDigest(
        **{name: game[name] for name in PLAIN},
        players=tuple(map(intern, players)),
        scores=tuple(score for score in scores if score is not None),
        points=tuple(share for share in points if share is not None),
        termination=Termination(game["termination"]),
        random_moves=random_moves,
        faults=tuple((seat, Termination(word), detail) for seat, word, detail in faults),
        held=tuple(map(shared_held, held)),
        used_ms=tuple(array("f", blob) for blob in used_ms),
        plies=game["plies"],
        duration_ms=game["duration_ms"],
    )
