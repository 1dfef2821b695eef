"""A run that an earlier version began: read as it is, brought to today's schema, gone on with.

`schema_1.sqlite` was written by that version: 28 of 36 games of two built-in players, one that
crashes and one that is slow; one attempt is void, as its worker was killed. `schema_1.json` is the
schedule as that version made it: game, round, pair, players, opening, seed.
"""

import json
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.errors import StoreError
from arena.model.record import GameRecord
from arena.ratings.results import digest
from arena.tournament.played_store import PlayedStore
from arena.tournament.run import run
from arena.tournament.run_view import RunView, recorded_game
from arena.tournament.store import SCHEMA_VERSION, Store
from tests.tournament.helpers import answering, schedule

Record = Callable[..., GameRecord]
HERE = Path(__file__).parent


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return Path(shutil.copy(HERE / "schema_1.sqlite", tmp_path / "old.sqlite"))


def schema(path: Path) -> int:
    database = sqlite3.connect(path)
    ((version,),) = database.execute("PRAGMA user_version")
    database.close()
    return int(version)


def test_it_is_read_as_it_is(path: Path) -> None:
    path.chmod(0o444)
    before = path.read_bytes()
    with Store.open(path) as store:
        records = list(store.records(void=True))
        assert [game for _, game in store.digests()] == list(map(digest, records))
        assert [id_ for id_, _ in store.digests(after=25)] == [26, 27, 28]
        assert len(records) == 28 and len(list(store.records())) == 27
        assert store.attempts()["g0025"] == 1 and "g0025" not in store.finished()
        assert len(store.openings()) == 3
        assert store.label == "old 2026-11-22T12:40:10+00:00"
    with RunView(path) as view:
        assert (len(view.games), view.schedule.total, view.schedule.over) == (27, 36, False)
        assert view.standings.players[0].name == "greedy"
        assert str(view.standings.began) == "2026-11-22 12:40:12.040000+00:00"
        assert str(view.standings.ended) == "2026-11-22 12:40:25.396057+00:00"
        assert view.standings.void == 1 and view.standings.spoilt[0].game == "g0025"
    assert recorded_game(path, "g0028")[1].seats[0].player == "crash"
    assert path.read_bytes() == before and schema(path) == 1


def test_it_goes_on_with_the_same_games(path: Path, played: Record) -> None:
    planned = [tuple(game) for game in json.loads((HERE / "schema_1.json").read_text())]
    with RunView(path) as view:
        config, before = view.config, view.standings
    made = [
        (g.game, g.round, g.pair, [p.name for p in g.players], list(g.opening), g.seed)
        for g in schedule(config)
    ]
    assert made == planned
    executor = answering(played)
    with PlayedStore.open_run(path, config) as store:
        with RunView(path) as view:
            assert view.standings == before, "digests in columns are those of the records"
        records = list(store.records(void=True))
        assert [game for _, game in store.digests()] == list(map(digest, records))
        outcome = run(config, store, open_executor=executor.open)
    assert schema(path) == SCHEMA_VERSION
    assert (outcome.done, outcome.total, outcome.exit_code) == (36, 36, 0)
    attempts = {task.spec.game: task.attempt for task in executor.all}
    assert attempts == {"g0025": 2, **{f"g{number:04d}": 1 for number in range(29, 37)}}
    of = {game[0]: game for game in planned}
    for task in executor.all:
        game = of[task.spec.game]
        assert [task.spec.round, task.spec.pair, list(task.spec.opening), task.spec.seed] == [
            game[1], game[2], game[4], game[5],
        ]  # fmt: skip
    with RunView(path) as view:
        assert Counter(game.game for game in view.games) == Counter(list(of))


def test_a_damaged_game_is_named_and_played_again(path: Path, played: Record) -> None:
    database = sqlite3.connect(path)
    with database:
        database.execute("UPDATE games SET record = replace(record, '}', ']') WHERE game = 'g0003'")
    database.close()
    with RunView(path) as view:
        config, before = view.config, view.standings
    assert (before.games, before.damaged) == (26, ("g0003",))
    with pytest.raises(StoreError, match="game g0003 is damaged and cannot be shown"):
        recorded_game(path, "g0003")
    with PlayedStore.open_run(path, config) as store:
        with pytest.raises(StoreError, match="game g0003 is damaged and cannot be read"):
            run(config, store, open_executor=answering(played).open)
        executor = answering(played)
        run(config, store, open_executor=executor.open, replay_damaged=True)
    assert "g0003" in {task.spec.game for task in executor.all}
    with RunView(path) as view:
        assert (view.standings.games, view.standings.damaged) == (36, ())


def test_a_migration_that_fails_leaves_it_as_it_was(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store.open(path) as store:
        config = store.config
    insert, seen = PlayedStore._insert, list[str]()

    def failing(store: PlayedStore, record: GameRecord, text: str) -> bool:
        seen.append(record.game)
        if len(seen) == 20:
            raise sqlite3.OperationalError("disk full")
        return insert(store, record, text)

    monkeypatch.setattr(PlayedStore, "_insert", failing)
    with pytest.raises(StoreError, match="cannot be written: disk full"):
        PlayedStore.open_run(path, config)
    assert schema(path) == 1
    with RunView(path) as view:
        assert len(view.games) == 27
