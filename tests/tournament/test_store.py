"""The store: durable, exclusive for players, open to readers, and clear about what it refuses."""

import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from arena.errors import ConfigChangedError, StoreError, StoreLockedError, UserError
from arena.model.protocol import Clock, Termination
from arena.model.record import Fault, GameRecord, PlayedMove
from arena.ratings.results import digest
from arena.tournament.config_file import TournamentConfig
from arena.tournament.events import events_file
from arena.tournament.played_store import PlayedStore
from arena.tournament.run import GameSpecs
from arena.tournament.run_view import recorded_game
from arena.tournament.store import SCHEMA_VERSION, Store
from arena.tournament.store_faults import unusable
from arena.tournament.store_tables import checksum
from tests.sandbox.ordinary import run_as_ordinary_user
from tests.tournament.helpers import pairings, schedule

Load = Callable[..., TournamentConfig]
Played = Callable[..., GameRecord]
DOTS = '[game]\nrules = "dots"\nrows = 2\ncols = 2\n'


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runs" / "t.sqlite"


def test_what_is_added_is_read_back(load: Load, path: Path, played: Played) -> None:
    config = load(f"[tournament]\nrounds = 2\n{DOTS}")
    games = [played(spec) for spec in schedule(config)]
    late = Fault(ply=0, seat=0, termination=Termination.TIMEOUT, detail="late")
    moves = (PlayedMove(seat=0, move="d3", used_ms=9.0, fault=late),)
    left = {"termination": Termination.EXITED, "detail": "left", "offender": 1}
    games[1] = games[1].model_copy(update={"moves": moves, **left})
    with PlayedStore.open_run(path, config) as store:
        assert store.finished() == frozenset()
        for record in games[::-1]:
            assert store.add(record)
    with Store.open(path) as store:
        assert store.config == config
        assert list(store.records()) == games
        digests = [found for _, found in store.digests()]
        assert digests == [digest(record) for record in games[::-1]]
        assert digest(games[1]).faults == ((0, "timeout", "late"), (1, "exited", "left"))
        assert store.finished() == {"g0001", "g0002", "g0003", "g0004"}
        assert store.record("g0003") == games[2]
        assert store.record("g9999") is None
    assert not path.with_name("t.sqlite.lock").exists()


def test_columns_for_queries(load: Load, path: Path, played: Played) -> None:
    config = load(DOTS)
    with PlayedStore.open_run(path, config) as store:
        store.add(played(schedule(config)[0]))
    with sqlite3.connect(path) as database:
        rows = database.execute(
            "SELECT game, termination, plies, seat, player, score, points, length(used_ms) "
            "FROM games JOIN seats USING (id) ORDER BY seat"
        ).fetchall()
        (schema,) = database.execute("PRAGMA user_version").fetchone()
    database.close()
    assert schema == SCHEMA_VERSION
    assert rows == [
        ("g0001", "natural", 1, 0, "m0", 40, 1.0, 4),
        ("g0001", "natural", 1, 1, "m1", 24, 0.0, 0),
    ]


def test_the_first_result_wins_and_void_attempts_stay(
    load: Load, path: Path, played: Played
) -> None:
    config = load(DOTS)
    spec = schedule(config)[0]
    void, result = played(spec, void=True), played(spec, attempt=2)
    with PlayedStore.open_run(path, config) as store:
        assert store.add(void)
        assert not store.add(played(spec))  # attempt 1 is taken
        assert store.finished() == frozenset()
        assert store.add(result)
        assert not store.add(played(spec, attempt=3))  # the game has its result
        assert list(store.records()) == [result]
        assert list(store.records(void=True)) == [void, result]
        assert store.attempts() == {"g0001": 2}
        assert store.record("g0001") == result


def test_one_seat_games_have_one_column(load: Load, path: Path, played: Played) -> None:
    config = load('[game]\nrules = "2048"\n', players=1)
    record = played(schedule(config)[0])
    with PlayedStore.open_run(path, config) as store:
        assert store.add(record)
        assert list(store.records()) == [record]


def test_a_changed_configuration_is_refused_key_by_key(load: Load, path: Path) -> None:
    thinker = '[[player]]\nbot = "thinker"\noptions = {{c = {}}}\n'
    PlayedStore.open_run(path, load(f"[clock]\nmove_ms = 50\n{DOTS}{thinker.format(1.0)}")).close()
    with pytest.raises(ConfigChangedError) as caught:
        PlayedStore.open_run(
            path, load(f"[clock]\nbank_ms = 70\n{DOTS}{thinker.format(1.5)}", players=3)
        )
    text = str(caught.value)
    assert text.startswith(f"{path}: this run was begun with another configuration:\n")
    assert "  clock.move_ms: 50 → None\n" in text
    assert "  clock.bank_ms: None → 70\n" in text
    assert "  player thinker.options.c: 1.0 → 1.5\n" in text
    assert "  added m2\nUndo the change" in text
    assert "rules" not in text
    with pytest.raises(
        ConfigChangedError, match="gone: thinker\nIn a tournament, `arena run --take-new` takes"
    ):
        PlayedStore.open_run(path, load(f"[clock]\nmove_ms = 50\n{DOTS}", players=3))
    Store.open(path).close()
    assert not path.with_name("t.sqlite.lock").exists()


def test_a_closed_format_takes_no_changed_players(load: Load, path: Path) -> None:
    PlayedStore.open_run(path, load(f"[knockout]\n{DOTS}")).close()
    with pytest.raises(ConfigChangedError, match="\n  added m2\nUndo the change"):
        PlayedStore.open_run(path, load(f"[knockout]\n{DOTS}", players=3))


def test_a_changed_clock_of_a_player_is_refused_by_its_name(load: Load, path: Path) -> None:
    odd = '[[player]]\nbot = "thinker"\n'
    own = f"{DOTS}{odd}clock = {{ move_ms = 70 }}\n"
    PlayedStore.open_run(path, load(own)).close()
    with PlayedStore.open_run(path, load(own)) as store:
        assert store.config.players[0].contender.clock == Clock(move_ms=70)
    for changed, said in (
        (odd, "move_ms: 70 → (not set)"),
        (f"{odd}clock = {{ bank_ms = 70 }}\n", "bank_ms: (not set) → 70"),
    ):
        with pytest.raises(ConfigChangedError) as caught:
            PlayedStore.open_run(path, load(DOTS + changed))
        assert f"  player thinker.clock.{said}\n" in str(caught.value)
        assert "--take-new" not in str(caught.value), "it takes no table"


def test_what_changes_no_game_is_accepted(load: Load, path: Path) -> None:
    PlayedStore.open_run(path, load(f"[tournament]\nrounds = 2\n{DOTS}")).close()
    changed = load(f'[tournament]\nrounds = 3\nconcurrency = 1\n{DOTS}[rating]\nanchor = "m0"\n')
    with PlayedStore.open_run(path, changed) as store:
        assert store.config == changed
    with pytest.raises(ConfigChangedError, match=r"tournament\.rounds: 3 → 2"):
        PlayedStore.open_run(path, load(f"[tournament]\nrounds = 2\n{DOTS}"))


def test_a_run_that_began_with_fresh_processes_goes_on_so(load: Load, path: Path) -> None:
    afresh, silent = "[tournament]\nkeep_alive = false\n", load(DOTS)
    assert silent.keep_alive is None
    PlayedStore.open_run(path, load(afresh + DOTS)).close()
    with PlayedStore.open_run(path, silent) as store:
        assert store.config.keep_alive is False
    with pytest.raises(ConfigChangedError, match=r"keep_alive: False → True"):
        PlayedStore.open_run(path, load(afresh.replace("false", "true") + DOTS))
    other = path.with_name("other.sqlite")
    PlayedStore.open_run(other, silent).close()
    with pytest.raises(ConfigChangedError, match=r"keep_alive: None → False"):
        PlayedStore.open_run(other, load(afresh + DOTS))


def test_runs_of_the_same_name_have_other_labels(load: Load, tmp_path: Path) -> None:
    labels = []
    for name in ("a.sqlite", "b.sqlite"):
        with PlayedStore.open_run(tmp_path / name, load(DOTS)) as store:
            labels.append(store.label)
        with Store.open(tmp_path / name) as store:
            assert store.label == labels[-1]
    assert labels[0] != labels[1]
    assert all(label.startswith("t ") for label in labels)


def test_each_run_has_events_of_its_own() -> None:
    names = [events_file(Path("runs", name)).name for name in ("cup.sqlite", "cup.v1", "cup.v2")]
    assert names == ["cup.events.jsonl", "cup.v1.events.jsonl", "cup.v2.events.jsonl"]


def test_a_second_player_of_the_run_is_refused_readers_are_not(
    load: Load, path: Path, played: Played
) -> None:
    config = load(DOTS)
    with PlayedStore.open_run(path, config) as store:
        store.add(played(schedule(config)[0]))
        with pytest.raises(StoreLockedError, match=rf"another `arena run` \(pid {os.getpid()}\)"):
            PlayedStore.open_run(path, config)
        code = (
            "import sys; from pathlib import Path; from arena.tournament.store import Store;"
            "print(len(list(Store.open(Path(sys.argv[1])).records())))"
        )
        reader = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True)
        assert reader.stdout == b"1\n", reader.stderr
        store.add(played(schedule(config)[1]))
    PlayedStore.open_run(path, config).close()


def test_a_killed_player_of_the_run_leaves_no_lock(load: Load, path: Path) -> None:
    config = load(DOTS)
    code = (
        "import os, sys; from pathlib import Path;"
        "from arena.tournament.played_store import PlayedStore;"
        "from arena.tournament.config import TournamentConfig;"
        "config = TournamentConfig.model_validate_json(sys.argv[2]);"
        "PlayedStore.open_run(Path(sys.argv[1]), config);"
        "os.kill(os.getpid(), 9)"
    )
    killed = subprocess.run([sys.executable, "-c", code, str(path), config.model_dump_json()])
    assert killed.returncode == -9
    assert path.with_name("t.sqlite.lock").exists()
    PlayedStore.open_run(path, config).close()


def test_a_run_is_played_once_whatever_link_leads_to_it(load: Load, path: Path) -> None:
    config = load(DOTS)
    store, link = PlayedStore.open_run(path, config), path.with_name("link.sqlite")
    link.symlink_to(path)
    with pytest.raises(StoreError, match=f"pid {os.getpid()}"):
        PlayedStore.open_run(link, config)
    store.close()
    PlayedStore.open_run(link, config).close()


def test_a_run_killed_in_its_first_moment_has_not_begun(load: Load, path: Path) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode = WAL")
    with pytest.raises(StoreError, match="no run has begun in it; the command that plays"):
        Store.open(path)
    assert Store.begun_with(path) is None
    PlayedStore.open_run(path, load(DOTS)).close()
    Store.open(path).close()


def test_a_copy_without_what_waits_next_to_the_original_says_what_is_missing(
    load: Load, path: Path, played: Played
) -> None:
    config, copy = load(DOTS), path.with_name("copy.sqlite")
    with PlayedStore.open_run(path, config) as store:
        store.add(played(schedule(config)[0]))
        shutil.copy(path, copy)
        with pytest.raises(StoreError, match=r"A copy .* needs .*, as copy\.sqlite-wal$"):
            Store.open(copy)
        shutil.copy(f"{path}-wal", f"{copy}-wal")
        with Store.open(copy) as copied:
            assert len(copied.finished()) == 1


def test_foreign_damaged_and_newer_files(load: Load, path: Path, played: Played) -> None:
    config = load(DOTS)

    def refused(text: str) -> None:
        for attempt in (lambda: Store.open(path), lambda: PlayedStore.open_run(path, config)):
            with pytest.raises(StoreError, match=text) as caught:
                attempt()
            assert str(path) in str(caught.value)

    with pytest.raises(StoreError, match="no such run"):
        Store.open(path)
    path.parent.mkdir()
    path.write_text("[game]\nnot a database, but a text that is long enough to be looked at\n" * 9)
    refused("not a run, or damaged")
    with pytest.raises(StoreError, match=r"cup.toml: not a run, which is a file such as"):
        Store.open(path.rename(path.with_name("cup.toml")))

    database = sqlite3.connect(path)
    database.execute("CREATE TABLE songs (title TEXT)")
    database.close()
    refused("of another program, not a run; name another file")
    path.unlink()

    with PlayedStore.open_run(path, config) as store:
        for spec in schedule(config):
            store.add(played(spec))
    database = sqlite3.connect(path)
    database.execute("PRAGMA user_version = 3")
    database.close()
    refused(r"written by a newer arena \(schema 3, this arena knows up to 2\)")
    database = sqlite3.connect(path)
    database.execute("PRAGMA user_version = 2")
    database.close()
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    refused("not a run, or damaged")
    path.write_bytes(whole.replace(b"CREATE TABLE run", b"CREATE \xffABLE run"))
    refused("not a run, or damaged")  # SQLite quotes what is no UTF-8


def test_a_run_that_begins_while_it_is_opened_is_a_run(
    load: Load, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config, is_empty = load(DOTS), Store._is_empty
    path.parent.mkdir()
    path.touch()

    def begun_just_now(store: Store) -> bool:
        monkeypatch.undo()
        PlayedStore.open_run(path, config).close()
        return is_empty(store)

    monkeypatch.setattr(Store, "_is_empty", begun_just_now)
    with Store.open(path) as store:
        assert store.config == config


def test_a_game_that_is_not_installed_is_no_damage(load: Load, path: Path) -> None:
    config = load(DOTS)
    PlayedStore.open_run(path, config).close()
    with sqlite3.connect(path) as database:
        database.execute("""UPDATE run SET config = replace(config, '"dots"', '"connect4"')""")
    database.close()
    for attempt in (lambda: Store.open(path), lambda: PlayedStore.open_run(path, config)):
        with pytest.raises(StoreError, match="the game 'connect4', which is not installed here"):
            attempt()


@pytest.mark.parametrize(
    ("at", "value", "unknown"),
    [("players[0].colour", 1, r"players\.0\.colour"), ("format", "keizer", "the format 'keizer'")],
)
def test_what_a_later_version_writes_is_no_damage(
    load: Load, path: Path, at: str, value: object, unknown: str
) -> None:
    config = load(DOTS)
    PlayedStore.open_run(path, config).close()
    with sqlite3.connect(path) as database:
        database.execute("UPDATE run SET config = json_set(config, ?, ?)", (f"$.{at}", value))
    database.close()
    for attempt in (lambda: Store.open(path), lambda: PlayedStore.open_run(path, config)):
        with pytest.raises(StoreError, match=rf"newer arena.* {unknown}\); update the arena$"):
            attempt()


def test_a_game_of_a_later_version_is_no_damage(load: Load, path: Path, played: Played) -> None:
    config = load(DOTS)
    with PlayedStore.open_run(path, config) as store:
        store.add(played(schedule(config)[0]))
    with sqlite3.connect(path) as database:
        ((text,),) = database.execute("SELECT json_set(record, '$.colour', 1) FROM records")
        database.execute("UPDATE records SET record = ?", (text,))
        database.execute("UPDATE checksums SET record = ?", (checksum(text),))
    database.close()
    newer = pytest.raises(StoreError, match=r"newer arena.* colour\); update the arena$")
    with newer, Store.open(path) as opened:
        list(opened.records())


def test_a_damaged_opening_ends_the_list(load: Load, path: Path, played: Played) -> None:
    config = load(f"[tournament]\nrounds = 3\n{DOTS}[openings]\nplies = 1\n")
    with PlayedStore.open_run(path, config) as store:
        for spec in schedule(config):
            store.add(played(spec))
        whole = store.openings()
        store._database.execute("UPDATE games SET opening = '[\"' WHERE round = 2")
        store._database.commit()
        assert len(whole) == 3 and store.openings() == whole[:1]


def test_a_run_ends_after_it_began_though_the_clock_was_set_back(
    load: Load, path: Path, played: Played
) -> None:
    began = ("2026-11-29T09:00:00.000+00:00", "2026-11-28T09:00:00.000+00:00")
    config = load(DOTS)
    with PlayedStore.open_run(path, config) as store:
        for spec, at in zip(schedule(config), began, strict=False):
            store.add(played(spec).model_copy(update={"started_at": at}))
        span = store.span()
        assert span["began"] < span["ended"] and span["ended"].day == 29


def test_a_row_written_again_counts_its_info_once(load: Load, path: Path, played: Played) -> None:
    config = load(DOTS)
    record = played(schedule(config)[0])
    seats = (record.seats[0].model_copy(update={"info_kept": 7}), record.seats[1])
    with PlayedStore.open_run(path, config) as store:
        store.add(record.model_copy(update={"seats": seats}))
        store._database.execute("UPDATE games SET line = x'00'")
        store._database.commit()
        (game,) = store.whole()
        assert game.line != b"\0"
        assert store.info_kept() == {"m0": 7}


def test_a_game_is_looked_for_among_those_played_and_those_ahead(
    load: Load, path: Path, played: Played
) -> None:
    config = load(f"[knockout]\n{DOTS}", players=4)
    specs = GameSpecs(config)
    with PlayedStore.open_run(path, config) as store:
        for pairing in pairings(config):
            store.add(played(specs.of(pairing)))
    with pytest.raises(UserError, match=r"they are m0:m3:1\.1 to m1:m2:2\.2"):
        recorded_game(path, "m9")
    with pytest.raises(UserError, match="has not been played yet"):
        recorded_game(path, "m0:m3:2.1")
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE games SET plies = -1")  # what is ahead is known by the records
    with pytest.raises(UserError, match="has not been played yet"):
        recorded_game(path, "m0:m3:2.1")


def test_a_place_that_cannot_be_written(load: Load, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match=r"cannot be written: .*; keep the run .*: --store, or"):
        PlayedStore.open_run(tmp_path / "file" / "t.sqlite", load(DOTS))


def test_a_kill_while_a_run_is_begun_leaves_nothing_half(load: Load, path: Path) -> None:
    path.parent.mkdir()
    path.touch()  # what is left when the first transaction was not committed
    with PlayedStore.open_run(path, load(DOTS)) as store:
        assert store.finished() == frozenset()


def test_a_path_that_is_no_file_is_left_alone(load: Load, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="not a file; name one for the run"):
        PlayedStore.open_run(tmp_path, load(DOTS))
    assert not (tmp_path.parent / f"{tmp_path.name}.lock").exists()


@pytest.mark.parametrize("how", ["deleted", "moved"])
def test_a_store_that_goes_away_while_it_is_written_is_noticed(
    load: Load, path: Path, played: Played, how: str
) -> None:
    config = load(DOTS)
    first, second = (played(spec) for spec in schedule(config))
    with PlayedStore.open_run(path, config) as store:
        assert store.add(first)
        if how == "deleted":
            path.unlink()
        else:
            path.rename(path.with_name("elsewhere.sqlite"))
        with pytest.raises(StoreError, match="was moved or deleted while the run was played"):
            store.add(second)


def test_a_copy_whose_parts_are_of_two_moments_is_shown_and_not_played(
    load: Load, path: Path, tmp_path: Path, played: Played
) -> None:
    config, copy = load(f"[tournament]\nrounds = 30\n{DOTS}"), tmp_path / "copy.sqlite"
    games = [played(spec) for spec in schedule(config)]
    with PlayedStore.open_run(path, config) as store:
        for record in games[:20]:
            store.add(record)
        with closing(sqlite3.connect(copy)) as early:
            store._database.backup(early)
        for record in games[20:40]:
            store.add(record)
        store._database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        for record in games[40:]:
            store.add(record)
        shutil.copy(f"{path}-wal", f"{copy}-wal")
    with Store.open(copy) as store:
        assert len(list(store.digests())) >= 20
    with (
        PlayedStore.open_run(copy, config) as store,
        pytest.raises(StoreError, match=r"copy made with `cp` while .* put back another copy"),
    ):
        store.whole()


def test_a_run_whose_index_lacks_games_is_not_played(
    load: Load, path: Path, played: Played
) -> None:
    config = load(f"[tournament]\nrounds = 2\n{DOTS}")
    first, second = (played(spec) for spec in schedule(config)[:2])
    with PlayedStore.open_run(path, config) as store:
        store.add(first)
    with schema_of(path) as database:
        where = "FROM sqlite_master WHERE name = 'one_result_a_game'"
        index = database.execute(f"SELECT * {where}").fetchone()
        database.execute(f"DELETE {where}")
    with PlayedStore.open_run(path, config) as store:
        store.add(second)
    with schema_of(path) as database:
        database.execute("INSERT INTO sqlite_master VALUES (?, ?, ?, ?, ?)", index)
    with (
        PlayedStore.open_run(path, config) as store,
        pytest.raises(StoreError, match="missing from index one_result_a_game"),
    ):
        store.whole()


@contextmanager
def schema_of(path: Path) -> Iterator[sqlite3.Connection]:
    """The database, in whose list of tables and indices rows can be written."""
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("PRAGMA writable_schema = ON")
        yield database


def test_a_record_is_kept_as_its_referee_wrote_it(
    load: Load, tmp_path: Path, played: Callable[..., GameRecord]
) -> None:
    config, path = load(DOTS), tmp_path / "t.sqlite"
    record = played(schedule(config)[0])
    text = record.model_dump_json(indent=1)
    with PlayedStore.open_run(path, config) as store:
        store.add(record, text)
        assert store.record(record.game) == record
    with sqlite3.connect(path) as database:
        assert database.execute("SELECT record FROM records").fetchone() == (text,)
    database.close()


def test_records_that_are_read_slowly_leave_the_log_of_a_run_short(
    load: Load, path: Path, played: Played
) -> None:
    config = load(f"[tournament]\nrounds = 2\n{DOTS}")
    games = [played(spec) for spec in schedule(config)]
    with PlayedStore.open_run(path, config) as run, Store.open(path) as store:
        for game in games[:3]:
            run.add(game)
        records = store.records()
        assert next(records) == games[0]
        run.add(games[3])
        with closing(sqlite3.connect(path)) as database:
            ((waits, *_),) = database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        assert not waits
        assert list(records) == games[1:3]


def test_a_look_that_is_broken_off_may_outlive_the_store(
    load: Load, path: Path, played: Played
) -> None:
    config = load(DOTS)
    with PlayedStore.open_run(path, config) as store:
        for spec in schedule(config):
            store.add(played(spec))
    with Store.open(path) as store:
        looks: list[Any] = [store.digests(), store.records()]
        assert all(map(next, looks))
    for look in looks:
        look.close()


def test_only_a_run_that_is_to_be_played_is_to_be_moved_away(
    load: Load, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path.parent.mkdir(exist_ok=True)
    path.write_text("no run")
    with pytest.raises(StoreError, match=r"name a run's file, such as runs/NAME\.sqlite$"):
        Store.open(path)
    for play in (lambda: PlayedStore.open_run(path, load(DOTS)), lambda: Store.begun_with(path)):
        with pytest.raises(StoreError, match=r"to make a new run in its place, move it away$"):
            play()


def test_a_missing_run_names_the_nearest_and_the_commands_that_make_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StoreError, match=r"no such run; `arena run` and `arena match` make runs$"):
        Store.open(Path("match-othello"))
    Path("runs").mkdir()
    Path("runs/match-othello-ok-monkey.sqlite").touch()
    for name in ("match-othello-ok-monkey", "runs/match-othello-ok-monki.sqlite"):
        with pytest.raises(StoreError, match=r'mean "runs/match-othello-ok-monkey\.sqlite"'):
            Store.open(Path(name))


def test_games_that_cannot_be_read_without_writing_say_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "t.sqlite"
    Path(f"{path}-wal").touch()
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(sqlite3.OperationalError) as error:
        sqlite3.connect("file:/no/such/file?mode=ro", uri=True)
    assert "copy both files to a folder" in str(unusable(path, error.value))


def test_a_full_disk_is_no_damage(load: Load, path: Path, played: Played) -> None:
    config = load(DOTS)
    with PlayedStore.open_run(path, config) as store:
        store.add(played(schedule(config)[0]))
    most = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, most))
    try:
        with pytest.raises(StoreError, match="cannot be ") as told:
            PlayedStore.open_run(path, config)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    assert "damaged" not in str(told.value)
    assert "move it away" not in str(told.value)
    with Store.open(path) as store:
        assert len(store.finished()) == 1


def test_a_run_that_somebody_else_owns_is_read(
    load: Load, path: Path, played: Played, tmp_path: Path
) -> None:
    """By a user who may write neither the file nor its folder."""
    config = load(DOTS)
    with PlayedStore.open_run(path, config) as store:
        store.add(played(schedule(config)[0]))
    home, shared = tmp_path / "home", Path(tempfile.mkdtemp())
    home.mkdir()
    try:
        shutil.copy(path, shared / "t.sqlite")
        for place, mode in ((shared / "t.sqlite", 0o444), (shared, 0o555)):
            place.chmod(mode)
        code = (
            "import sys; from pathlib import Path; from arena.tournament.store import Store\n"
            "from arena.tournament.store_copy import copy_run\n"
            "copy_run(Path(sys.argv[2]), Path(sys.argv[1], 'copy.sqlite'))\n"
            "for place in (sys.argv[2], f'{sys.argv[1]}/copy.sqlite'):\n"
            "    with Store.open(Path(place)) as store: print(len(list(store.digests())))"
        )
        arguments = (str(home), str(shared / "t.sqlite"))
        assert run_as_ordinary_user(code, home, *arguments) == "1\n1\n"
        assert [each.name for each in shared.iterdir()] == ["t.sqlite"]
    finally:
        shared.chmod(0o755)
        shutil.rmtree(shared)


def test_a_group_that_shares_a_folder_may_play_a_run_on(load: Load, path: Path) -> None:
    """One member killed the arena, or the machine went down: the lock is still there."""
    before = os.umask(0o007)
    try:
        with PlayedStore.open_run(path, load(DOTS)):
            files = {each.name: each.stat().st_mode & 0o777 for each in path.parent.iterdir()}
    finally:
        os.umask(before)
    names = ("t.sqlite", "t.sqlite-wal", "t.sqlite-shm", "t.sqlite.lock", "t.events.jsonl")
    assert files == dict.fromkeys(names, 0o660)
