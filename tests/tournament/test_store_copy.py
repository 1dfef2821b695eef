"""Copies of runs: whole while the run is played, and as it stood at a moment."""

import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from arena.errors import StoreError
from arena.model.record import GameRecord
from arena.tournament.config_file import TournamentConfig
from arena.tournament.played_store import PlayedStore
from arena.tournament.run_view import RunView
from arena.tournament.store import Store
from arena.tournament.store_copy import copy_run
from tests.tournament.helpers import schedule

DOTS = '[tournament]\nrounds = 2\n[game]\nrules = "dots"\nrows = 2\ncols = 2\n'


def test_a_copy_has_the_players_of_then(
    load: Callable[..., TournamentConfig], tmp_path: Path, played: Callable[..., GameRecord]
) -> None:
    config, path, copy = load(DOTS), tmp_path / "t.sqlite", tmp_path / "copy.sqlite"
    one, other = config.players
    contender = one.contender.model_copy(update={"name": "newer"})
    newer = one.model_copy(
        update={"contender": contender, "joined": 1, "version_of": one.name, "number": 2}
    )
    replaced = one.model_copy(update={"status": "replaced"})
    grown = config.model_copy(update={"players": (replaced, other, newer)})
    with PlayedStore.open_run(path, config) as store:
        begun = list(schedule(config))[:2]
        for spec in begun:
            store.add(played(spec).model_copy(update={"started_at": "2026-01-01T00:00:00+00:00"}))
    with PlayedStore.open_run(path, grown) as store:
        joined = next(each for each in schedule(grown) if contender in each.players)
        store.add(played(joined).model_copy(update={"started_at": "2026-01-01T02:00:00+00:00"}))
    for hour, then in ((1, config), (3, grown)):
        copy_run(path, copy, until=datetime(2026, 1, 1, hour, tzinfo=UTC))
        with RunView(copy) as view:
            assert view.config == then
    left = tuple(each.model_copy(update={"status": "gone"}) for each in (replaced, newer))
    PlayedStore.open_run(
        path, grown.model_copy(update={"players": (left[0], other, left[1])})
    ).close()
    copy_run(path, copy, until=datetime(2026, 1, 1, 1, tzinfo=UTC))
    with RunView(copy) as view:
        assert view.config.players == (left[0], other), "it was withdrawn, not replaced"


def test_a_copy_has_the_games_until_a_moment(
    load: Callable[..., TournamentConfig], tmp_path: Path, played: Callable[..., GameRecord]
) -> None:
    config, path, copy = load(DOTS), tmp_path / "t.sqlite", tmp_path / "copy.sqlite"
    with PlayedStore.open_run(path, config) as store:
        for hour, spec in enumerate(schedule(config)):
            began = f"2026-01-01T0{hour}:00:00.000+00:00"
            record = played(spec).model_copy(update={"started_at": began})
            host = record.host.model_copy(update={"speed": 1.0})  # of a cluster
            store.add(record.model_copy(update={"host": host}))
        copy_run(path, copy, until=datetime(2026, 1, 1, 1, 30, tzinfo=UTC))
        with RunView(copy) as view:
            assert [game.game for game in view.games] == ["g0001", "g0002"]
            assert (view.schedule.total, view.schedule.over) == (4, False)
            assert view.record("g0003") is None
            assert view.standings.games == 2
        more = tmp_path / "more.sqlite"
        copy.rename(more)
        with PlayedStore.open_run(more, config) as again, Store.open(path) as whole:
            records = list(whole.records())
            assert all(map(again.add, records[2:]))
            assert (list(again.records()), again.played_at()) == (records, whole.played_at())
        copy_run(path, copy)
        with RunView(copy) as view, RunView(path) as original:
            assert view.games == original.games
    assert sorted(file.name for file in tmp_path.glob("copy*")) == ["copy.sqlite"]
    (tmp_path / "no.sqlite").write_text("no run")
    with pytest.raises(StoreError, match="not a run"):
        copy_run(tmp_path / "no.sqlite", copy)


def test_a_copy_of_a_run_of_an_earlier_version(tmp_path: Path) -> None:
    path, copy = tmp_path / "old.sqlite", tmp_path / "copy.sqlite"
    shutil.copy(Path(__file__).parent / "schema_1.sqlite", path)
    with Store.open(path) as store:
        began = sorted(record.started_at for record in store.records())
    copy_run(path, copy, until=datetime.fromisoformat(began[14]))
    with RunView(path) as view, RunView(copy) as cut:
        assert 0 < len(cut.games) < 15
        assert cut.games == view.games[: len(cut.games)]
        assert cut.config == view.config


def test_a_copy_that_cannot_be_written_is_named_and_nothing_stays(tmp_path: Path) -> None:
    path, folder = tmp_path / "old.sqlite", tmp_path / "copies"
    shutil.copy(Path(__file__).parent / "schema_1.sqlite", path)
    (folder / "copy.sqlite").mkdir(parents=True)
    with pytest.raises(StoreError, match=r"copy\.sqlite: cannot be written: Is a directory"):
        copy_run(path, folder / "copy.sqlite")
    with pytest.raises(StoreError, match=r"none/copy\.sqlite: cannot be used now: unable to open"):
        copy_run(path, tmp_path / "none" / "copy.sqlite")
    assert [each.name for each in folder.iterdir()] == ["copy.sqlite"]
