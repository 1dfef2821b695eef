"""Runs on pages: the list, the document, its data, and what is kept of them."""

import asyncio
import os
import shutil
import sqlite3
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Self
from urllib.parse import unquote

import pytest
from fastapi import FastAPI, Request
from starlette.concurrency import run_in_threadpool

import arena
from arena.files import lock
from arena.tournament import run_view
from arena.tournament.config import Player
from arena.tournament.events import Event, RunFinished, RunOutcome
from arena.tournament.played_store import PlayedStore
from arena.tournament.store import Store
from arena.tournament.store_copy import copy_run
from arena.web import assets
from arena.web import runs as runs_module
from arena.web.rights import Role, Visitor
from arena.web.tournaments import PublicRuns
from tests.reports.conftest import Play
from tests.reports.runs import begun, ended, game_started
from tests.web.conftest import TestClient


def test_an_empty_folder_tells_the_next_step(client: TestClient) -> None:
    assert "arena run cup.toml" in client.get("/").text


def test_the_list_names_runs_and_what_is_wrong_with_them(
    cup: Path, runs: Path, client: TestClient
) -> None:
    (runs / "broken.sqlite").write_bytes(b"no database" * 100)
    shown = client.get("/").text
    assert '<a href="/t/cup">cup</a>' in shown
    assert "<b>6</b> of 6 games" in shown
    assert "broken.sqlite: " in shown
    assert str(runs) not in shown


def test_visitors_that_wait_for_a_run_keep_no_others_waiting(cup: Path) -> None:
    """Sixty requests for the games of a large run held all threads for twenty seconds."""
    run, may_end = runs_module.ShownRun(cup), threading.Event()

    async def play() -> None:
        waiting = [run.look(lambda view: may_end.wait(20)) for _ in range(60)]
        waiting += [run.made(number, lambda view: may_end.wait(20)) for number in range(60)]
        asked = asyncio.gather(*waiting)
        await asyncio.sleep(0.2)
        try:
            async with asyncio.timeout(5):
                await run_in_threadpool(lambda: None)
        finally:
            may_end.set()
        assert await asked == [True] * 120

    asyncio.run(play())
    run.close()


@pytest.mark.parametrize(("seconds", "year"), [(2**40, 9999), (-(2**40), 1970)])
def test_a_run_may_have_any_time(
    cup: Path, client: TestClient, monkeypatch: pytest.MonkeyPatch, seconds: int, year: int
) -> None:
    monkeypatch.setattr(runs_module, "stamp", lambda path: (1, 1, seconds * 10**9))
    assert f'changed <time datetime="{year}' in client.get("/").text


def test_a_run_that_was_read_has_not_changed(cup: Path, client: TestClient) -> None:
    os.utime(cup, (1000, 1000))
    Path(f"{cup}-wal").touch()  # as SQLite makes it for a reader
    (shown,) = client.get("/api/runs").json()
    assert shown["changed_at"] == "1970-01-01T00:16:40Z"


def test_what_changed_last_comes_first(cup: Path, client: TestClient) -> None:
    os.utime(shutil.copy(cup, cup.with_name("a.sqlite")), (1000, 1000))
    os.utime(shutil.copy(cup, cup.with_name("z.sqlite")), (2000, 2000))
    assert [each["name"] for each in client.get("/api/runs").json()] == ["cup", "z", "a"]


def test_a_run_that_is_played_comes_first(
    cup: Path, runs: Path, client: TestClient, play: Play
) -> None:
    record = play("dots", "dog", "eel", game="g0001", rows=2, cols=2)
    with begun(runs / "now.sqlite", [record]) as store:
        store.append(game_started(record))
        first, second = client.get("/api/runs").json()
    assert (first["name"], first["is_played"], first["in_play"]) == ("now", True, [["dog", "eel"]])
    assert (second["name"], second["is_played"], second["played"]) == ("cup", False, 6)


def test_games_of_a_player_that_left_are_planned_too(cup: Path, client: TestClient) -> None:
    with Store.open(cup) as store:
        config = store.config
    *stay, leaves = config.players
    left = config.model_copy(
        update={"players": (*stay, leaves.model_copy(update={"status": "out"}))}
    )
    with PlayedStore.open_run(cup, left):
        (played,) = client.get("/api/runs").json()
    (at_rest,) = client.get("/api/runs").json()
    assert (played["is_played"], at_rest["is_played"]) == (True, False)
    assert [(each["played"], each["planned"]) for each in (played, at_rest)] == [(6, 6), (6, 6)]


def test_a_knockout_that_is_over_plans_no_more_games(runs: Path, client: TestClient) -> None:
    config = {
        "tournament": {"format": "knockout", "sandbox": "none"},
        "game": {"rules": "dots", "rows": 2, "cols": 2},
        "player": [{"bot": "greedy"}, {"bot": "monkey"}],
    }
    arena.run(config, store=runs / "ko.sqlite")
    (shown,) = client.get("/api/runs").json()
    assert (shown["planned"], shown["at_most"]) == (shown["played"], False)
    assert "at most" not in client.get("/").text


@pytest.mark.parametrize("path", ["/t/cup%231%3F", "/t/cup%25"])
def test_scripts_find_the_data_of_any_run(
    cup: Path, runs: Path, client: TestClient, path: str
) -> None:
    cup.rename(runs / f"{unquote(path[3:])}.sqlite")
    assert f'data-run="{path}"' in client.get(path).text


def test_the_document_of_a_run(cup: Path, client: TestClient) -> None:
    answer = client.get("/t/cup")
    assert 'data-run="/t/cup"' in answer.text
    assert "data-live" not in answer.text
    assert 'href="#player/ant"' in answer.text


@pytest.mark.parametrize("path", ["/t/cup", "/t/cup/data", "/t/cup/game/g0001"])
def test_what_did_not_change_is_not_sent_again(cup: Path, client: TestClient, path: str) -> None:
    first = client.get(path)
    assert first.headers["Content-Encoding"] == "gzip"
    assert "Cookie" in first.headers["Vary"], "others see another page"
    again = client.get(path, headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["ETag"] == first.headers["ETag"]
    plain = client.get(path, headers={"Accept-Encoding": "identity"})
    assert plain.content == first.content
    assert "Content-Encoding" not in plain.headers


def test_one_more_game_changes_the_page(
    cup: Path, client: TestClient, play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs_module, "_PATIENCE", 0.0)  # standings take long on a busy machine
    before = client.get("/t/cup")
    records = [play("dots", name, "ant", game="g1", rows=2, cols=2) for name in ("bee", "cat")]
    cup.unlink()
    with begun(cup, records) as store:
        store.add(records[0])
        one = client.get("/t/cup").text
        assert "data-live=" in one
        store.add(play("dots", "cat", "ant", game="g2", rows=2, cols=2))
        two = client.get("/t/cup").text
    assert len({before.text, one, two}) == 3
    assert client.get("/t/cup/data").json()["games"]["id"] == ["g1", "g2"]


def test_a_game_is_news_once_readers_see_it(
    runs: Path, play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is in the -wal before that: pages lacked the game, until the next, where they looked just
    then.
    """
    records = [play("dots", "bee", "ant", game=game, rows=2, cols=2) for game in ("g1", "g2")]
    path = runs / "now.sqlite"
    with begun(path, records) as store:
        store.add(records[0])
        run, written = runs_module.ShownRun(path), runs_module.stamp(Path(f"{path}-wal"))
        monkeypatch.setattr(runs_module, "stamp", lambda file: written)
        before = run.state()
        assert run.state() == before
        store.add(records[1])
        assert run.state() != before


def test_a_run_that_is_begun_anew_or_continued_is_read_again(
    runs: Path, client: TestClient, play: Play
) -> None:
    path = runs / "now.sqlite"
    first, second, third = (
        play("dots", "bee", "cat", game=game, rows=2, cols=2) for game in ("g1", "g2", "g3")
    )

    def shown() -> list[str]:
        ids: list[str] = client.get("/t/now/data").json()["games"]["id"]
        return ids

    with begun(path, [first]) as store:
        store.add(first)
        assert shown() == ["g1"]
    path.rename(runs.parent / "old.sqlite")
    with begun(path, [second]) as store:
        store.add(second)
        assert shown() == ["g2"]
        config = store.config
    assert shown() == ["g2"]
    with PlayedStore.open_run(path, config) as store:
        store.add(third)
        assert shown() == ["g2", "g3"]


def test_a_run_that_ended_as_it_was_looked_at_is_read_again(
    cup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next look found nothing played, and took new games without the changed field."""
    run = runs_module.ShownRun(cup)

    def field() -> tuple[Player, ...]:
        return asyncio.run(run.look(lambda view: view.config.players))

    with Store.open(cup), monkeypatch.context() as just_before:  # a reader keeps its -wal
        just_before.setattr(runs_module.ShownRun, "is_played", True)
        *stay, leaves = field()
    with Store.open(cup) as store:
        players = (*stay, leaves.model_copy(update={"status": "out"}))
        config = store.config.model_copy(update={"players": players})
    PlayedStore.open_run(cup, config).close()
    assert field() == players
    run.close()


def test_a_run_of_somebody_else_that_begins_as_it_is_looked_at_is_read_again(
    cup: Path, play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite never looks for the -wal of a file whose folder it may not write, once there was none:
    the page stood still for as long as the run was played.
    """
    monkeypatch.setattr(os, "access", lambda *_: False)
    run = runs_module.ShownRun(cup)

    def games() -> int:
        return asyncio.run(run.look(lambda view: len(view.games)))

    held = lock.acquire(cup)
    assert games() == 6
    lock.release(cup, held)
    with Store.open(cup) as store:
        config = store.config
    with PlayedStore.open_run(cup, config) as played:
        played.add(play("dots", "ant", "bee", game="g0007", rows=2, cols=2))
        assert games() == 7
    run.close()


def test_a_run_in_another_folder_is_followed_by_a_link(cup: Path, play: Play) -> None:
    """Its -wal is there, and not next to the link."""
    link = cup.with_name("link.sqlite")
    link.symlink_to(cup.rename(cup.parent.parent / "elsewhere.sqlite"))
    with Store.open(link) as store:
        config = store.config
    run = runs_module.ShownRun(link)

    def games() -> int:
        return asyncio.run(run.made("games", lambda view: len(view.games)))

    with PlayedStore.open_run(link, config) as played:
        assert games() == 6
        played.add(play("dots", "ant", "bee", game="g0007", rows=2, cols=2))
        assert games() == 7
    run.close()


@pytest.mark.parametrize("is_copy", [False, True])
def test_a_run_that_goes_on_is_followed_before_its_first_game_ends(
    cup: Path, play: Play, *, is_copy: bool
) -> None:
    """Its -wal is empty. Pages were sent its start again at each move, and loaded themselves."""
    if is_copy:
        copy_run(cup, cup)
    with Store.open(cup) as store:
        config = store.config
    record = play("dots", "ant", "bee", game="g0007", rows=2, cols=2)
    begins, ends = game_started(record), RunFinished(outcome=RunOutcome(total=7, done=6))
    run = runs_module.ShownRun(cup)
    run.news = []
    with PlayedStore.open_run(cup, config) as played:
        for event in (begins, ends):
            played.append(event)
            asyncio.run(run.look(lambda view: None))
    assert run.news == [begins, ends]
    run.close()


def test_a_run_that_got_more_rounds_is_followed(cup: Path, client: TestClient) -> None:
    """It was not at the first visit where nobody had looked at it while it was played."""
    assert "data-live" not in client.get("/t/cup").text
    with Store.open(cup) as store:
        more = store.config.model_copy(update={"rounds": 4})
    PlayedStore.open_run(cup, more).close()
    assert "data-live" in client.get("/t/cup").text


def test_news_are_kept_no_more_where_their_reader_leaves_meanwhile(cup: Path) -> None:
    run = runs_module.ShownRun(cup)

    class News(list[Event]):
        def __iadd__(self, more: Iterable[Event]) -> Self:
            run.news = None
            return super().__iadd__(more)

    run.news = News()
    asyncio.run(run.look(lambda view: None))
    assert run.news is None
    run.close()


def test_standings_that_take_long_are_not_made_again_for_each_result(
    cup: Path, client: TestClient, play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_view, "_QUICK_S", -1.0)
    monkeypatch.setattr("arena.web.runs._PATIENCE", 1e12)
    one, other = (
        play("dots", name, "ant", game=game, rows=2, cols=2)
        for name, game in (("bee", "g1"), ("cat", "g2"))
    )

    def rated() -> int:
        return int(client.get("/api/runs/cup/standings").json()["games"])

    cup.unlink()
    with begun(cup, [one, other]) as store:
        store.add(one)
        assert rated() == 1
        store.add(other)
        assert rated() == 1
        assert client.get("/t/cup/data").json()["games"]["id"] == ["g1", "g2"]
        outcome = RunOutcome(total=4, done=2, void=(), interrupted=False, verdict=None)
        store.append(RunFinished(outcome=outcome))
        assert rated() == 2
        store.add(play("dots", "cat", "ant", game="g3", rows=2, cols=2))
        assert rated() == 2
    assert rated() == 3  # it is not played any more


def test_data_of_a_game_in_play(runs: Path, client: TestClient, play: Play) -> None:
    record = play("dots", "dog", "eel", game="g0001", rows=2, cols=2)
    with begun(runs / "now.sqlite", [record]) as store:
        store.append(game_started(record))
        assert [game["id"] for game in client.get("/t/now/data").json()["running"]] == ["g0001"]
        assert client.get("/t/now/game/g0001").status_code == 404
        store.add(record)
        assert client.get("/t/now/data").json()["running"] == [], "its event comes later"
        ended(store, record, 1, 2)
        assert client.get("/t/now/data").json()["running"] == []
        assert client.get("/t/now/game/g0001").json()["moves"] == [m.move for m in record.moves]


NOWHERE = [
    "/t/none", "/t/..%2Fcup", "/t/%2Fetc%2Fpasswd", "/t/cup%00", "/t/%2e%2e%2fcup",
    "/t/..%5Ccup", f"/t/{'x' * 5000}", "/t/cup.sqlite", "/t/.", "/t/none/live", "/t/none/data",
    "/t/cup/game/..%2F..%2Fcup", "/t/cup/game/x", "/static/..%2Fapp.py", "/static/style.css",
    "/api/runs/..%2Fcup", "/api/runs/none/games",
]  # fmt: skip


@pytest.mark.parametrize("path", NOWHERE)
def test_names_are_no_paths(cup: Path, runs: Path, client: TestClient, path: str) -> None:
    shutil.copy(cup, runs.parent / "cup.sqlite")
    assert client.get(path).status_code == 404


def test_a_damaged_run_says_so(cup: Path, client: TestClient) -> None:
    whole = cup.read_bytes()
    cup.write_bytes(whole[: len(whole) // 2])
    answer = client.get("/t/cup")
    assert answer.status_code == 500
    assert "cup.sqlite" in answer.text
    assert "Traceback" not in answer.text


def test_a_damaged_game_is_named(cup: Path, client: TestClient) -> None:
    with sqlite3.connect(cup) as database:
        database.execute("UPDATE records SET record = substr(record, 9) WHERE id = 1")
    database.close()
    answer = client.get("/api/runs/cup/games/g0001")
    assert answer.status_code == 500
    assert "game g0001 is damaged" in answer.json()["detail"]
    assert client.get("/t/cup/game/g0002").status_code == 200


def test_the_run_is_not_read_for_a_game_that_is_not_there(
    cup: Path, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program that asks for such games would keep all others out."""
    assert client.get("/t/cup/game/g0001").status_code == 200
    monkeypatch.delattr(Store, "digests")
    for path in ("/t/cup/game/zzz", "/api/runs/cup/games/zzz"):
        assert client.get(path).status_code == 404


def test_a_run_of_an_earlier_version(runs: Path, client: TestClient) -> None:
    shutil.copy(Path(__file__).parents[1] / "tournament/schema_1.sqlite", runs / "old.sqlite")
    assert client.get("/t/old").status_code == 200
    assert client.get("/t/old/data").json()["games"]["id"]


def test_words_of_players_are_for_the_staff(cup: Path, app: FastAPI) -> None:
    def identify(request: Request) -> Visitor:
        return Visitor(role=Role(request.headers.get("X-Role", "anyone")), owner=None)

    app.state.identify = identify
    client = TestClient(app)
    for path in ("/t/cup", "/t/cup/game/g0003", "/api/runs/cup/games/g0003", "/api/runs/cup/games"):
        assert "secret" not in client.get(path).text
    for path in ("/t/cup", "/t/cup/game/g0003", "/api/runs/cup/games/g0003"):
        assert "secret" in client.get(path, headers={"X-Role": "staff"}).text


def test_scripts_and_styles_are_kept_for_good(client: TestClient) -> None:
    answer = client.get(assets.address("arena.css"))
    assert answer.headers["Content-Type"] == "text/css; charset=utf-8"
    assert "immutable" in answer.headers["Cache-Control"]
    assert client.get(assets.address("arena.js")).headers["ETag"]


def test_few_runs_stay_open(cup: Path, runs: Path, client: TestClient, app: FastAPI) -> None:
    for number in range(12):
        shutil.copy(cup, runs / f"cup{number}.sqlite")
    shown = [app.state.runs[f"cup{number}"] for number in range(12)]
    for number in range(12):
        assert client.get(f"/t/cup{number}").status_code == 200
    assert sum(run._view is not None for run in shown) == 8
    assert sum(bool(run._cache) for run in shown) == 8


def test_the_run_that_is_shown_most_stays_open(
    cup: Path, runs: Path, client: TestClient, app: FastAPI
) -> None:
    client.get("/t/cup")
    view = app.state.runs["cup"]._view
    for number in range(12):
        shutil.copy(cup, runs / f"cup{number}.sqlite")
        client.get(f"/t/cup{number}")
        client.get("/t/cup")
        client.get("/")
    assert app.state.runs["cup"]._view is view is not None


def test_a_run_that_is_gone_is_let_go(cup: Path, client: TestClient, app: FastAPI) -> None:
    client.get("/t/cup")
    gone, copy = app.state.runs["cup"], cup.parent / "frozen" / cup.name
    public = PublicRuns(app.state.runs, lambda name: copy)
    assert public["cup"].path == copy
    cup.unlink()
    assert public.names() == []
    assert not gone.is_open
    assert not app.state.runs._shown and not public._shown


def test_a_run_in_play_is_read_once_whatever_else_is_shown(
    cup: Path, runs: Path, client: TestClient, app: FastAPI, play: Play
) -> None:
    for number in range(12):
        shutil.copy(cup, runs / f"cup{number}.sqlite")
    record = play("dots", "dog", "eel", game="g0001", rows=2, cols=2)
    with begun(runs / "a.sqlite", [record]) as store:
        client.get("/")
        view = app.state.runs["a"]._view
        for number in range(12):
            client.get(f"/t/cup{number}")
        store.add(record)
        client.get("/")
        assert app.state.runs["a"]._view is view is not None
