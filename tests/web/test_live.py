"""A run on open pages: each gets every event, also one that was away, and none is told too much."""

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import httpx
import pytest
from fastapi import FastAPI

from arena.model.record import STDERR_FOLLOWS, GameRecord
from arena.reports.html.audience import PUBLIC, Audience
from arena.tournament.events import GameVoid, MovesPlayed, RunFinished, RunOutcome, RunStarted
from arena.tournament.store import Store
from arena.web import live, news, streams
from arena.web.live import Hub, Hubs
from arena.web.news import News
from arena.web.runs import ShownRun
from arena.web.streams import event
from tests.reports.conftest import Play
from tests.reports.runs import begun, ended, estimate, game_started, keep_games
from tests.web.conftest import serving


class Event(NamedTuple):
    id: int
    name: str
    data: Any


@pytest.fixture
def records(play: Play) -> list[GameRecord]:
    return [play("dots", "ant", "bee", game=f"g{n}", seed=n, rows=2, cols=2) for n in (1, 2, 3)]


@pytest.fixture
def store(runs: Path, records: list[GameRecord]) -> Iterator[Store]:
    """A run whose first game is being played."""
    with begun(runs / "cup.sqlite", records) as store:
        store.append(RunStarted(total=3, done=0, estimate=estimate()))
        store.append(game_started(records[0]))
        yield store


def parsed(text: str) -> list[Event]:
    found = []
    for block in text.split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines() if line[:1] not in ":")
        if "event" in lines:
            found.append(Event(int(lines["id"]), lines["event"], json.loads(lines["data"])))
    return found


async def until(name: str, page: AsyncGenerator[bytes]) -> list[Event]:
    """What a page is sent up to an event."""
    found: list[Event] = []
    async for text in page:
        found += parsed(text.decode())
        if any(event.name == name for event in found):
            break
    return found


def watched(store: Store, test: Callable[[Hub], Awaitable[None]]) -> None:
    """Run a test with the hub of a run."""

    async def run() -> None:
        shown = ShownRun(store.path)
        hub = Hub(shown)
        await test(hub)
        hub.end()
        shown.close()

    asyncio.run(run())


def test_a_game_from_its_first_move_to_the_standings(
    store: Store, records: list[GameRecord]
) -> None:
    one, two, _ = records
    moves = tuple(move.move for move in one.moves)

    async def test(hub: Hub) -> None:
        page = hub.listen(await hub.mark())
        store.append(MovesPlayed(game=one.game, ply=0, moves=moves[:2]))
        (moved,) = await until("moves", page)
        assert moved.data == {"game": one.game, "ply": 0, "moves": list(moves[:2])}
        ended(store, one, 1, 3)
        store.append(game_started(two))
        events = await until("started", page)
        events += [] if events[-1].name == "sections" else await until("sections", page)
        assert [event.name for event in events[:2]] == ["finished", "started"]
        finished, started, sections, *_ = events
        assert finished.data["row"]["id"] == one.game
        assert finished.data["row"]["players"] == [0, 1]
        assert finished.data.keys() == {"row", "moves"}, "the page has the names of all players"
        assert (started.data["id"], started.data["players"]) == (two.game, [0, 1])
        assert "<b>1</b> of" in sections.data["facts"]
        assert set(sections.data) == {"facts", "standings"}
        assert [event.id for event in events] == sorted({event.id for event in events})

    watched(store, test)


def test_no_word_of_a_player_leaves_before_the_end(store: Store, records: list[GameRecord]) -> None:
    moves = tuple(move.move for move in records[0].moves)

    async def test(hub: Hub) -> None:
        page = hub.listen(await hub.mark())
        store.append(MovesPlayed(game="g1", ply=0, moves=moves))
        (moved,) = await until("moves", page)
        assert set(moved.data) == {"game", "ply", "moves"}

    watched(store, test)


def test_a_page_that_was_away_gets_the_rest(store: Store, records: list[GameRecord]) -> None:
    async def test(hub: Hub) -> None:
        first = hub.listen(await hub.mark())
        stays = hub.listen(await hub.mark())
        moves = tuple(move.move for move in records[0].moves)
        store.append(MovesPlayed(game="g1", ply=0, moves=moves[:1]))
        seen = await until("moves", first)
        await first.aclose()
        store.append(MovesPlayed(game="g1", ply=1, moves=moves[1:2]))
        all_of_it = await until("moves", stays)
        all_of_it += await until("moves", stays)
        again = await until("moves", hub.listen(seen[-1].id))
        assert seen + again == all_of_it

    watched(store, test)


@pytest.mark.parametrize("after", [0, 2**62])
def test_an_id_of_another_server_loads_the_page_again(store: Store, after: int) -> None:
    async def test(hub: Hub) -> None:
        (reset,) = await until("reset", hub.listen(after))
        assert reset.id == await hub.mark()

    watched(store, test)


def test_ids_of_two_servers_differ(store: Store) -> None:
    marks: list[int] = []

    async def test(hub: Hub) -> None:
        marks.append(await hub.mark())

    watched(store, test)
    watched(store, test)
    assert marks[0] < marks[1]


def test_a_page_that_does_not_read_is_let_go(
    store: Store, records: list[GameRecord], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "_WAITING", 2)
    monkeypatch.setattr(live, "_LOOK_S", 0.001)

    async def test(hub: Hub) -> None:
        slow, quick = hub.listen(await hub.mark()), hub.listen(await hub.mark())
        await anext(slow)
        for ply, move in enumerate(records[0].moves[:4]):
            store.append(MovesPlayed(game="g1", ply=ply, moves=(move.move,)))
            await until("moves", quick)
        assert [event.name for event in await until("never", slow)] == ["reset"]

    watched(store, test)


def test_a_page_that_hears_nothing_is_kept_open(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "_ALIVE_S", 0.01)
    monkeypatch.setattr(live, "_IDLE_S", 0.01)

    async def test(hub: Hub) -> None:
        page = hub.listen(await hub.mark())
        await anext(page)
        async with asyncio.timeout(30):
            assert await anext(page) == await anext(page) == event("alive", "{}")

    watched(store, test)


def test_void_games_a_run_that_ends_and_one_that_begins_again(
    store: Store, records: list[GameRecord]
) -> None:
    async def test(hub: Hub) -> None:
        page = hub.listen(await hub.mark())
        store.append(GameVoid(game="g1", attempt=1, detail="the host\u202e failed", replayed=True))
        void = (await until("void", page))[0]
        assert void.data == {"game": "g1", "detail": "the host\\u202e failed"}
        store.append(RunFinished(outcome=RunOutcome(total=3, done=0)))
        assert (await until("over", page))[-1].name == "over"
        store.append(RunStarted(total=3, done=0, estimate=estimate()))
        assert (await until("reset", page))[-1].name == "reset"
        again = hub.listen(await hub.mark())
        store.append(GameVoid(game="g2", attempt=1, detail="the host failed", replayed=True))
        names = [event.name for event in await until("void", again)]
        assert "reset" not in names, "a page that was loaded again is not loaded once more"

    watched(store, test)


def test_the_result_of_a_game_is_sent_once(store: Store, records: list[GameRecord]) -> None:
    async def test(hub: Hub) -> None:
        page, sent = hub.listen(await hub.mark()), list[str]()
        for record in records:
            store.add(record)
            events = await until("finished", page)
            sent += [each.data["row"]["id"] for each in events if each.name == "finished"]
        assert sent == [record.game for record in records]

    watched(store, test)


class Clock:
    """News by a clock of ours, of a run whose sections are all of one text."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now, self.took_s, self.text = 0.0, 0.0, "<p>0</p>"
        self.readers = set[Audience]()
        """Those for whom sections were made."""
        view: Any = SimpleNamespace(games=[], playing={}, label="cup", config=None, is_late=False)
        self.view, self.news = view, News()
        monkeypatch.setattr(news, "time", SimpleNamespace(monotonic=lambda: self.now))
        monkeypatch.setattr(news, "sections", lambda look, names: self._sections(names))
        monkeypatch.setattr(news.Look, "at", lambda view, audience: self.readers.add(audience))
        seen = SimpleNamespace(detail=lambda *_: "the host failed")
        monkeypatch.setattr(news, "Seen", lambda config, audience: seen)
        assert self.look() == set(), "the page is just loaded"

    def _sections(self, names: tuple[str, ...]) -> dict[str, str]:
        self.now += self.took_s
        return dict.fromkeys(names, self.text)

    def look(self, *events: Any) -> set[str]:
        """The sections that are sent."""
        found = self.news.since(self.view, list(events))
        sent = [json.loads(data) for name, data in found if name == "sections"]
        assert all(sent), "no message is empty"
        return set().union(*sent)


VOID = GameVoid(game="g1", attempt=1, detail="the host failed", replayed=True)
OFTEN, SELDOM = {"facts", "standings"}, {"rounds", "crosstable", "reach"}


def test_sections_are_sent_now_and_then_and_at_once_at_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = Clock(monkeypatch)
    clock.now = 10.0
    assert clock.look(VOID) == OFTEN | SELDOM
    for clock.now, sent in ((10.2, set()), (10.4, OFTEN), (10.8, set()), (12.1, SELDOM)):
        clock.text = f"<p>{clock.now}</p>"
        assert clock.look(*[VOID] * (clock.now < 10.3)) == sent
    clock.text = "<p>the end</p>"
    assert clock.look(RunFinished(outcome=RunOutcome(total=3, done=3))) == OFTEN | SELDOM
    assert clock.readers == {PUBLIC}, "also where the staff looks"


def test_sections_that_are_as_they_were_are_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    for clock.now, sent in ((10.0, OFTEN | SELDOM), (20.0, set())):
        assert clock.look(VOID) == sent


def test_sections_take_a_fifth_of_the_time_and_none_of_a_late_view(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = Clock(monkeypatch)
    clock.now, clock.took_s = 10.0, 1.0
    assert clock.look(VOID) == OFTEN | SELDOM
    clock.took_s, clock.text = 0.0, "<p>1</p>"
    for clock.now, sent in ((14.9, set()), (15.1, OFTEN), (16.1, SELDOM)):
        assert clock.look(*[VOID] * (clock.now < 15)) == sent
    clock.now, clock.text, clock.view.is_late = 30.0, "<p>2</p>", True
    assert clock.look(VOID) == set()
    clock.view.is_late = False
    assert clock.look() == OFTEN | SELDOM


def test_no_stderr_is_sent_of_a_void_game(store: Store) -> None:
    async def test(hub: Hub) -> None:
        page = hub.listen(await hub.mark())
        detail = f"the host failed{STDERR_FOLLOWS}a secret"
        store.append(GameVoid(game="g1", attempt=1, detail=detail, replayed=True))
        void = (await until("void", page))[0]
        assert void.data["detail"] == "the host failed"

    watched(store, test)


def test_the_moves_of_games_in_play_are_sent_once_from_the_first_that_changed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = Clock(monkeypatch)
    clock.view.playing = {"g2": SimpleNamespace(moves=["a", "b", "c", "d"])}
    moved = (("g1", 0), ("g2", 2), ("g2", 1), ("g2", 3))  # g1 is over
    events = [MovesPlayed(game=game, ply=ply, moves=("x",)) for game, ply in moved]
    ((name, data),) = clock.news.since(clock.view, [*events])
    assert (name, json.loads(data)) == ("moves", {"game": "g2", "ply": 1, "moves": ["b", "c", "d"]})


def test_pages_of_a_run_that_is_paused_are_loaded_again(store: Store) -> None:
    """Its game in play is gone from them."""

    async def test(hub: Hub) -> None:
        page = hub.listen(await hub.mark())
        store.append(RunFinished(outcome=RunOutcome(total=3, done=0, interrupted=True)))
        async with asyncio.timeout(10):
            assert [event.name for event in await until("reset", page)] == ["reset"]

    watched(store, test)


@pytest.mark.parametrize("games", [1, 2])
def test_pages_of_a_run_that_another_replaced_are_loaded_again(
    store: Store, records: list[GameRecord], runs: Path, play: Play, games: int
) -> None:
    """The other has as many games, or more: they are not added to those of the first."""
    store.add(records[0])
    store.close()
    others = [play("dots", "cat", "dog", game=f"h{n}", seed=n, rows=2, cols=2) for n in (1, 2)]

    async def test(hub: Hub) -> None:
        page = hub.listen(await hub.mark())
        keep_games(runs / "new" / "cup.sqlite", others[:games])
        for file in (runs / "new").iterdir():
            file.replace(runs / file.name)
        async with asyncio.timeout(10):
            assert [event.name for event in await until("reset", page)] == ["reset"]

    (runs / "new").mkdir()
    watched(store, test)


def test_a_hub_that_nobody_asks_is_forgotten(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "_LINGER_S", 0.01)
    monkeypatch.setattr(live, "_IDLE_S", 0.01)

    async def test() -> None:
        hubs, run = Hubs(), ShownRun(store.path)
        first = hubs[run]
        await first.mark()
        async with asyncio.timeout(30):
            while hubs[run] is first:
                await asyncio.sleep(0.01)
        assert run.news is None
        await hubs[run].mark()
        assert run.news == []
        hubs.end()
        run.close()

    asyncio.run(test())


def test_over_a_socket(app: FastAPI, store: Store, records: list[GameRecord]) -> None:
    """A browser says what it knows by a header when it comes back."""
    moves = tuple(move.move for move in records[0].moves)
    with serving(app) as address, httpx.Client(timeout=30) as client:
        page = client.get(f"{address}/t/cup").text
        mark = page.partition('data-live="')[2].partition('"')[0]
        with client.stream("GET", f"{address}/t/cup/live", params={"after": mark}) as answer:
            assert answer.headers["Content-Type"].startswith("text/event-stream")
            store.append(MovesPlayed(game="g1", ply=0, moves=moves[:1]))
            first = next(e for text in answer.iter_text() for e in parsed(text))
        store.append(MovesPlayed(game="g1", ply=1, moves=moves[1:2]))
        headers = {"Last-Event-ID": str(first.id)}
        with client.stream("GET", f"{address}/t/cup/live", headers=headers) as answer:
            second = next(e for text in answer.iter_text() for e in parsed(text))
        assert (first.data["ply"], second.data["ply"], second.id) == (0, 1, first.id + 1)


def test_an_address_has_so_many_pages_open(
    app: FastAPI, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "MOST", 1)
    with serving(app) as url, httpx.Client(base_url=url, timeout=10) as browser:
        with browser.stream("GET", "/t/cup/live") as one:
            heard = one.iter_raw()  # the page is closed where this is dropped
            assert next(heard)
            refused = browser.get("/t/cup/live")
            assert refused.status_code == 429 and "1 live pages are open" in refused.text
            assert browser.get("/t/cup").status_code == 200
        while app.state.streams:  # it hears that it was closed
            time.sleep(0.01)
        app.state.streams.room = 0
        assert "All places" in browser.get("/t/cup/live").text
