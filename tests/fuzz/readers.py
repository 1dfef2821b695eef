"""Every reader of what others write: how its inputs are made, and the errors it promises."""

import io
import json
import sqlite3
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Callable, Sequence
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

import rules
from arena.analysis.analyse import find_position, read_text
from arena.bots import course_file, roster
from arena.bots.package import open_bot
from arena.bots.submissions import submissions
from arena.errors import ArenaError, ConfigError, FileError, PackageError, SubmissionError
from arena.model.contender import Prepared
from arena.model.protocol import Clock, Termination
from arena.model.record import PlayerFault
from arena.records import FORMS, TEXTS
from arena.records.championship import read_record
from arena.records.parquet import PARQUET
from arena.referee import SessionPool, judge, play_game
from arena.tournament.config_file import load_config
from arena.tournament.events import EventReader, events_file
from arena.tournament.openings import read_openings
from arena.training.kinds import load_training
from arena.training.verify_config import load_both
from players.catalogue import BUILTINS
from players.games.registry import load_board
from players.weights import load_weights
from players.weights.evaluations import FOLDER, load_terms
from players.weights.network_file import load_network
from rules.transcript import read_transcript
from tests.command import arena
from tests.conftest import match
from tests.fuzz.inputs import archives, as_json, as_toml, documents, edited, networks
from tests.reports.conftest import play_record
from tests.reports.runs import begun, ended, game_started, void

ROOT = Path(__file__).parents[2]
BOT = b"import sys\n"
MANIFEST = b"""name = "bot"
rules = ["dots", "othello"]
command = ["python3", "bot.py", "--fast"]
build = ["python3", "-m", "compileall", "."]
authors = ["Ann Other"]
"""
CUP = b"""[tournament]
name = "cup"
rounds = 2
seed = 3
concurrency = 1
keep_alive = true
sandbox = "limits"
require = ["memory"]
on_fault = "forfeit"
ponder = false
max_plies = 50
[game]
rules = "dots"
rows = 2
cols = 2
stop_at_majority = true
[clock]
move_ms = 1000
bank_ms = 60000
increment_ms = 10
grace_ms = 100
startup_ms = 3000
[openings]
file = "openings.txt"
[rating]
anchor = "ann"
anchor_elo = 100
[sprt]
elo0 = 0
elo1 = 20
alpha = 0.05
beta = 0.05
[[player]]
name = "ann"
bot = "greedy"
options = {}
[[player]]
name = "ben"
bot = "bot.py"
resources = { memory_mb = 64, threads = 1 }
clock = { move_ms = 500, bank_ms = 9000, increment_ms = 5 }
[[player]]
command = ["python3", "bot.py"]
sandbox = "none"
"""
COURSE = b"deadline = 2026-12-24T23:59:00\n[quota]\nsubmissions = 5\nsize_mb = 1.5\n"
ROSTER = {
    "owners": [
        {
            "name": "ada",
            "token_sha256": "ab" * 32,
            "added_at": "2026-11-01T12:00:00Z",
            "revoked_at": None,
        }
    ]
}


class Reader(NamedTuple):
    """One reader. It succeeds, or raises one of the errors that its documentation names."""

    name: str
    file: str
    """The name of what it reads, in a folder of its own."""
    read: Callable[[Path], object]
    refuses: tuple[type[Exception], ...]
    inputs: Callable[[], SearchStrategy[bytes]]
    around: dict[str, bytes] = {}  # noqa: RUF012 - never changed
    """Other files of that folder."""

    def prepare(self, folder: Path) -> Path:
        """The path of what it reads, which is yet to be written."""
        for name, content in self.around.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
        path = folder / self.file
        path.parent.mkdir(parents=True, exist_ok=True)
        return path


def _tomls(*patterns: str, more: Sequence[bytes] = ()) -> SearchStrategy[bytes]:
    files = [path for pattern in patterns for path in sorted((ROOT / "tournaments").glob(pattern))]
    seeds = [*more, *(path.read_bytes() for path in files)]
    parsed = [tomllib.loads(seed.decode()) for seed in seeds]
    return edited(seeds) | documents(parsed).map(as_toml)


def _arena(*words: str | Path) -> None:
    """Run a command; what it refuses is raised."""
    done = arena(*words)
    if done.exit_code == 2:
        raise ArenaError(done.output)
    assert done.exit_code == 0, done.output


def _each(*reads: Callable[[], object]) -> None:
    """All of them; the first error is raised at the end if it is a documented one, else at once."""
    refused: list[Exception] = []
    for read in reads:
        try:
            read()
        except (ArenaError, ValueError) as error:
            if not (isinstance(error, ArenaError) or type(error) in _VALUE_ERRORS):
                raise
            refused.append(error)
    if refused:
        raise refused[0]


# Text

_GAMES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("othello", {}),
    ("othello", {"preset": "cornerless", "size": 4}),
    ("dots", {"rows": 2, "cols": 3}),
    ("2048", {}),
    ("2584", {"placer": "player", "placer_chooses": "cell"}),
)
_TRANSCRIPTS = (
    b"f5d6c3d3c4", b"a1b1 a1a2, b2b3", b"up c2=4 left", b"# one a line\nf5d6\nf5f6 ps\n\nf5--",
    b"-------- -------- -------- ---OX--- ---XO--- -------- -------- -------- X; c4",
)  # fmt: skip


@cache
def _games() -> tuple[rules.Game, ...]:
    return tuple(rules.load(name, **settings) for name, settings in _GAMES)


def _read_positions(path: Path) -> None:
    written = read_text(f"@{path}")
    _each(*(partial(find_position, game, written, None, None) for game in _games()))


def _positions() -> SearchStrategy[bytes]:
    states = [game.start(seed=1).state() for game in _games()]
    return documents(states).map(as_json) | edited([*map(as_json, states), *_TRANSCRIPTS])


def _read_transcripts(path: Path) -> None:
    text = path.read_text("utf-8", errors="replace")
    games = _games()
    _each(
        *(partial(read_transcript, game.start(seed=1), text) for game in games),
        *(partial(read_openings, text, game) for game in games[:3]),
        partial(read_record, games[2], text),
    )


def _transcripts() -> SearchStrategy[bytes]:
    game = play_record("dots", "a", "b", rows=2, cols=3)
    record = json.loads(TEXTS["record"](game, "cup"))
    texts = [" ".join(move.move for move in game.moves).encode(), *_TRANSCRIPTS]
    return edited([*texts, as_json(record)]) | documents([record]).map(as_json)


def _read_forms(path: Path) -> None:
    """What is damaged is yielded; Parquet is read by a library."""
    _each(*(partial(list, form.read(path, None)) for form in FORMS.values() if form != PARQUET))


def _forms() -> SearchStrategy[bytes]:
    seeds = [path.read_bytes() for path in sorted((ROOT / "tests/records/files").iterdir())]
    othello, dots = play_record("othello", "a", "b"), play_record("dots", "a", "b")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "games.wtb"
        FORMS["wthor"].write([othello], "cup", path)
        seeds += [path.read_bytes(), TEXTS["jsonl"](dots, "cup").encode()]
    return edited(seeds)


_CSV = (
    b"first,second,score,pair\na,b,1,p1\nb,a,0.5,p1\nc,a,0,\n",
    b'\xef\xbb\xbfscore,second,first\r\n1,a,b\r\n\xc2\xbd,b,"c,d"\r\n',
    b"a,b,1\nc,d,1\n" + b"a,b,0\n" * 40,
)


# Stores


def _store_bytes() -> tuple[bytes, bytes]:
    """A run of a few games, one void, and its events."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "s.sqlite"
        games = [
            play_record("dots", *pair, game=f"g000{number}", seed=number, forfeit=forfeit,
                        stderr="why\n", rows=2, cols=2)
            for number, (pair, forfeit) in enumerate(
                [(("a", "b"), None), (("b", "a"), 1), (("a", "c"), None), (("c", "a"), 0)], 1
            )
        ]  # fmt: skip
        with begun(path, games) as store:
            store.add(void(games[2], "host was overloaded"))
            for done, game in enumerate(games, 1):
                store.append(game_started(game))
                again = game.model_copy(update={"attempt": 2})
                ended(store, again if done == 3 else game, done, 6)
            events = events_file(path).read_bytes()
        database = sqlite3.connect(path)
        database.execute("PRAGMA journal_mode = DELETE")
        database.close()
        return path.read_bytes(), events


_CELLS = (
    ("run", "config"), ("games", "game"), ("games", "termination"), ("games", "faults"),
    ("games", "opening"), ("games", "offender"), ("games", "line"), ("games", "rules"),
    ("games", "round"), ("games", "best_tile"), ("games", "attempt"), ("sandboxes", "held"),
    ("seats", "player"), ("seats", "score"), ("seats", "points"), ("seats", "used_ms"),
    ("seats", "seat"), ("records", "record"), ("records", "record"), ("records", "record"),
)  # fmt: skip


def _stores() -> SearchStrategy[bytes]:
    whole = _store_bytes()[0]
    database = sqlite3.connect(":memory:")
    database.deserialize(whole)
    values = [
        value for table, column in set(_CELLS)
        for (value,) in database.execute(f"SELECT {column} FROM {table}")
    ]  # fmt: skip
    database.close()
    documented = [json.loads(value) for value in values if str(value).startswith(("{", "["))]
    odd = (
        documents(documented).map(lambda value: as_json(value).decode())
        | st.sampled_from(values)
        | st.sampled_from((None, -1, 2**62, 0.5, "", "\0", b"", b"\xff\xfe", "[1,2", "void"))
    )
    changes = st.lists(st.tuples(st.sampled_from(_CELLS), st.integers(1, 6), odd), max_size=3)
    changed = st.builds(_with_cells, st.just(whole), changes)
    return changed | edited([whole]) | changed.flatmap(lambda data: edited([data]))


def _with_cells(whole: bytes, changes: Sequence[tuple[tuple[str, str], int, Any]]) -> bytes:
    database = sqlite3.connect(":memory:")
    database.deserialize(whole)
    for (table, column), row, value in changes:
        try:
            database.execute(f"UPDATE {table} SET {column} = ? WHERE id = ?", (value, row))
        except (sqlite3.Error, UnicodeEncodeError):
            continue
    database.commit()
    data = database.serialize()
    database.close()
    return data


def _read_store(path: Path) -> None:
    _each(
        partial(_arena, "report", path),
        partial(_arena, "report", path, "--json"),
        partial(_arena, "replay", path, "1", "--all"),
        partial(_arena, "replay", path, "3", "--as", "transcript"),
    )


# Weights


def _read_weights(path: Path) -> None:
    boards = {rules_: rules.default(rules_) for rules_ in ("othello", "dots")}
    _each(
        *(
            partial(load_weights, str(path), name, load_board(name, game.variant).moves)
            for name, game in boards.items()
        ),
        *(partial(load_terms, name, game.variant, str(path)) for name, game in boards.items()),
    )


def _weights() -> SearchStrategy[bytes]:
    seeds = [path.read_bytes() for path in sorted(FOLDER.glob("*.json"))]
    return edited(seeds) | documents([json.loads(seed) for seed in seeds]).map(as_json)


def _read_patterns(path: Path) -> None:
    load_terms("othello", rules.default("othello").variant, str(path))


def _patterns() -> SearchStrategy[bytes]:
    arrays = [np.zeros(shape, dtype) for shape, dtype in (((4, 4), "i4"), (0, "f8"), ((), "O"))]
    return st.builds(_npz, *[edited(list(map(_npy, arrays)), (b"(10000000000,)", b"'O'"))] * 2) | (
        edited([_npz(_npy(arrays[0]), _npy(arrays[1]))])
    )


def _npy(array: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, array, allow_pickle=True)
    return file.getvalue()


def _npz(scalars: bytes, patterns: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("scalars.npy", scalars)
        archive.writestr("patterns.npy", patterns)
    return file.getvalue()


def _read_network(path: Path) -> None:
    dots = rules.load("dots", rows=2, cols=2)
    _each(
        partial(load_network, str(path), None, ("errors",)),
        partial(load_terms, "dots", dots.variant, str(path)),
    )


def _networks() -> SearchStrategy[bytes]:
    common = {"version": "0.1.0", "games": 10, "seed": 1, "scores": {"mean": 1.0}}
    of_dots = {
        **common, "rules": "dots", "variant": rules.load("dots", rows=2, cols=2).variant,
        "tuples": [["a1b1", "a1a2", "b1b2", "a2b2"]], "stages": [4], "initial": 0.5,
        "extra": [{"name": "errors", "numbers": "float32", "length": 32}],
    }  # fmt: skip
    of_tiles = {
        **common, "rules": "2048", "spawn": "2/4", "tuples": [["a1", "b1"]], "numbers": "int16",
        "scales": [0.5],
    }  # fmt: skip
    return networks([of_dots, of_tiles])


# The wire

_REPLIES = (
    {"type": "ready", "name": "bot", "version": "1", "author": "Ann"},
    {"type": "move", "ply": 3, "move": "a1b1"},
    {"type": "move", "ply": 3, "move": "a1b1", "info": {
        "score": 0.5, "depth": 3, "nodes": 10, "pv": ["a1b1", "b1c1"], "text": "hm"}},
)  # fmt: skip


def _lines() -> SearchStrategy[bytes]:
    return edited([*map(as_json, _REPLIES)]) | documents(_REPLIES).map(as_json)


def _read_line(path: Path) -> None:
    line = path.read_bytes()
    _each_fault(
        partial(judge.ready, line), partial(judge.move, line, ply=3, legal=("a1b1", "a1a2"))
    )


def _each_fault(*reads: Callable[[], object]) -> None:
    fault: PlayerFault | None = None
    for read in reads:
        try:
            read()
        except PlayerFault as error:
            fault = error
    if fault is not None:
        raise fault


SPEAKER = b"""import json, os, sys
replies = open(sys.argv[1], "rb").read().split(b"\\x1e")
for request in map(json.loads, sys.stdin.buffer):
    if request["type"] in ("start", "turn") and replies:
        move = (request.get("legal") or ["-"])[0].encode()
        reply = replies.pop(0).replace(b"PLY", str(request.get("ply")).encode())
        data = memoryview(reply.replace(b"MOVE", move))
        while data:
            data = data[os.write(1, data):]
    elif request["type"] in ("quit", "end") or not replies:
        break
"""
"""A player that says what is in a file: a piece for each request."""


def _games_said() -> SearchStrategy[bytes]:
    ready = b'{"type":"ready"}\n'
    move = b'{"type":"move","ply":PLY,"move":"MOVE"}\n'
    reply = st.just(move) | st.just(move) | edited([move], (b"PLY", b"MOVE", b"\n" * 120))
    return st.tuples(
        st.just(ready) | edited([ready]), st.lists(reply, max_size=13).map(b"\x1e".join)
    ).map(b"\x1e".join)


def _play(path: Path) -> None:
    command = (sys.executable, "-I", "-S", str(path.parent / "speaker.py"), str(path))
    players = [Prepared(name=name, command=command) for name in ("a", "b")]
    asked = match(
        *players, rules="dots", variant={"rows": 2, "cols": 2}, clock=Clock(move_ms=150),
        startup_ms=3000, grace_ms=50,
    )  # fmt: skip
    with SessionPool() as pool:
        record = play_game(*asked, pool)
    assert record.termination is not Termination.VOID or "host" in record.detail, record.detail
    assert record.detail.isprintable()


# Submissions

RECEIPT = {
    "name": "bot", "digest": "ab" * 32,
    "contents": sha256(f"{sha256(BOT).hexdigest()} - bot.py\n".encode()).hexdigest(),
    "opens": "bot.py", "source": "bot.py", "accepted_at": "2026-01-01T00:00:00Z", "arena": "0.1.0",
    "checked": [{"title": "starts", "passed": True, "detail": ""}],
}  # fmt: skip


def _read_receipt(path: Path) -> None:
    active = path.parent.parent / "active"
    if not active.is_symlink():
        active.symlink_to(path.parent.name)
    submissions(path.parents[2])


_VALUE_ERRORS: tuple[type[Exception], ...] = (ValueError, rules.MoveError)
"""Documented of the rules and of players; what derives from them is not."""
READERS = {
    reader.name: reader
    for reader in (
        Reader(
            "tournament", "cup.toml", partial(load_config, builtins=BUILTINS), (ConfigError,),
            lambda: _tomls("first.toml", "examples/*.toml", more=[CUP, CUP, CUP]),
            {"bot.py": BOT, "openings.txt": b"a1b1\na1a2 b1b2\n"},
        ),
        Reader(
            "training", "t.toml", load_training, (ArenaError,), lambda: _tomls("training/*.toml")
        ),
        Reader("tuning", "t.toml", load_both, (FileError,), lambda: _tomls("tuning/*.toml")),
        Reader(
            "manifest", "bot.toml", lambda path: open_bot(path.parent), (PackageError,),
            lambda: edited([MANIFEST]) | documents([tomllib.loads(MANIFEST.decode())]).map(as_toml),
            {"bot.py": BOT},
        ),
        *(
            Reader(suffix[1:], f"bot{suffix}", open_bot, (PackageError,), partial(archives, suffix))
            for suffix in (".zip", ".tar", ".tar.gz", ".tar.bz2", ".tar.xz")
        ),
        Reader(
            "receipt", "all/bot/abababababab/receipt.json", _read_receipt, (SubmissionError,),
            lambda: documents([RECEIPT]).map(as_json) | edited([as_json(RECEIPT)]),
            {"all/bot/abababababab/tree/bot.py": BOT},
        ),
        Reader(
            "course", "course.toml", lambda path: course_file.rules_of(path.parent), (ConfigError,),
            lambda: edited([COURSE]) | documents([tomllib.loads(COURSE.decode())]).map(as_toml),
        ),
        Reader(
            "roster", "roster.json", lambda path: roster.read_roster(path.parent),
            (ConfigError,),
            lambda: documents([ROSTER]).map(as_json) | edited([as_json(ROSTER)]),
        ),
        Reader(
            "owners", "names.csv", roster.names_in, (SubmissionError,),
            lambda: edited([b"owner,mail\nada,a@x\nbob,b@x\n", b"ada\nbob\n"]),
        ),
        Reader("results", "r.csv", partial(_arena, "rate"), (ArenaError,), lambda: edited(_CSV)),
        Reader("position", "p.txt", _read_positions, (ArenaError,), _positions),
        Reader(
            "transcript", "t.txt", _read_transcripts, (ArenaError, *_VALUE_ERRORS), _transcripts
        ),
        Reader("forms", "games", _read_forms, (ArenaError,), _forms),
        Reader("weights", "w.json", _read_weights, _VALUE_ERRORS, _weights),
        Reader("patterns", "w.npz", _read_patterns, _VALUE_ERRORS, _patterns),
        Reader("network", "n.ntuple", _read_network, _VALUE_ERRORS, _networks),
        Reader("store", "s.sqlite", _read_store, (ArenaError,), _stores),
        Reader(
            "events", "s.events.jsonl", lambda path: EventReader(path).read(), (),
            lambda: edited([_store_bytes()[1]]),
        ),
        Reader("line", "line", _read_line, (PlayerFault,), _lines),
        Reader("game", "said", _play, (), _games_said, {"speaker.py": SPEAKER}),
    )
}  # fmt: skip
