"""A run that is played, on an open page: boards move, figures change in place, nothing jumps."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from arena.model.record import GameRecord
from arena.tournament.events import GameVoid, MovesPlayed, RunFinished, RunOutcome, RunStarted
from arena.tournament.store import Store
from arena.web.app import ServerSettings, make_app
from tests.browser.conftest import first_is_dead
from tests.reports.conftest import play_record
from tests.reports.runs import begun, ended, estimate, game_started, void
from tests.web.conftest import serving

pytestmark = pytest.mark.slow

RECORDS = [
    play_record("dots", "ant", "bee", game=f"g{n}", seed=n, rows=2, cols=2) for n in (1, 2, 3)
]
SHIFTS = """() => new PerformanceObserver((seen) => {
    window.shifts = [...(window.shifts ?? []), ...seen.getEntries().flatMap(({sources}) =>
        sources.map(({node}) => node?.outerHTML ?? node?.textContent))];
}).observe({type: "layout-shift"})"""

SHOW = """(shown) => {
    Object.defineProperty(document, "hidden", {value: !shown, configurable: true});
    document.dispatchEvent(new Event("visibilitychange"));
}"""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A run whose first game is being played."""
    with begun(tmp_path / "cup.sqlite", RECORDS) as store:
        store.append(RunStarted(total=3, done=0, estimate=estimate()))
        store.append(game_started(RECORDS[0]))
        yield store


@pytest.fixture
def run(store: Store) -> Iterator[str]:
    """Where its page is served."""
    with serving(make_app(ServerSettings(runs=store.path.parent))) as url:
        yield f"{url}/t/cup"


def moved(record: GameRecord, ply: int, end: int | None = None) -> MovesPlayed:
    moves = tuple(move.move for move in record.moves[ply:end])
    return MovesPlayed(game=record.game, ply=ply, moves=moves)


def test_a_game_from_its_moves_to_the_standings(run: str, store: Store, page: Page) -> None:
    page.goto(run)
    slot = page.locator(".slot")
    expect(slot).to_contain_text("move 0")
    slot.get_by_role("link").focus()
    page.evaluate("addEventListener('focusin', () => (window.isReadOut = true))")
    store.append(moved(RECORDS[0], 0, 3))
    expect(slot).to_contain_text("move 3")
    expect(slot.get_by_role("link")).to_be_focused()
    assert not page.evaluate("window.isReadOut")
    expect(slot.locator(".edge.drawn")).to_have_count(3)
    store.append(game_started(RECORDS[1]))
    expect(slot).to_have_count(2)
    ended(store, RECORDS[0], 1, 3)
    expect(page.locator("#facts")).to_contain_text("1 of 2")
    expect(slot.first).to_contain_text("ended")
    expect(slot.first.locator(".edge.drawn")).to_have_count(12)
    expect(page.locator("#crosstable")).to_be_visible()
    page.evaluate(SHIFTS)
    store.append(game_started(RECORDS[2]))
    expect(slot.first).to_contain_text("move 0")
    store.append(GameVoid(game="g3", attempt=1, detail="the host slept", replayed=False))
    expect(slot.first).to_contain_text("void: the host slept")
    ended(store, RECORDS[1], 2, 3)
    expect(page.locator("#standings .changed").first).to_be_attached()
    assert page.evaluate("window.shifts ?? []") == []
    page.goto(f"{run}#games")
    expect(page.locator("#games-table tbody tr")).to_have_count(2)


def test_the_page_of_a_game_follows_it(run: str, store: Store, page: Page) -> None:
    page.goto(f"{run}#game/g1")
    expect(page.locator(".ending")).to_have_text("This game is being played.")
    store.append(moved(RECORDS[0], 0, 4))
    expect(page.locator(".caption")).to_contain_text("Move 4 of 4")
    page.get_by_text("As a table").click()
    back = page.get_by_role("button", name="Previous move")
    back.press("Enter")
    store.append(moved(RECORDS[0], 4))
    expect(page.locator(".caption")).to_contain_text("Move 3 of 12: ant")
    expect(back).to_be_focused()
    expect(page.get_by_role("row", name=f"12 {RECORDS[0].moves[11].move} ant")).to_be_visible()
    ended(store, RECORDS[0], 1, 3)
    expect(page.locator(".ending")).to_have_text("Ended by the rules after 12 moves.")
    expect(page.locator(".caption")).to_contain_text("Move 3 of 12")


def test_the_page_of_a_game_that_is_played_again(run: str, store: Store, page: Page) -> None:
    page.goto(f"{run}#game/g1")
    ending = page.locator(".ending")
    expect(ending).to_have_text("This game is being played.")
    store.add(void(RECORDS[0], "the host slept"))
    store.append(GameVoid(game="g1", attempt=1, detail="the host slept", replayed=True))
    expect(ending).to_have_text("Void after 12 moves, not counted: the host slept")
    again = RECORDS[0].model_copy(update={"attempt": 2})
    store.append(game_started(again))
    expect(ending).to_have_text("This game is being played.")
    ended(store, again, 1, 3)
    expect(ending).to_have_text("Ended by the rules after 12 moves.")


def test_a_lost_connection_says_so_and_loses_nothing(run: str, store: Store, page: Page) -> None:
    asked: list[Route] = []
    page.route("**/live*", lambda route: asked.append(route))
    page.goto(run)
    expect(page.locator(".slot")).to_contain_text("move 0")
    known = asked[0].request.url.partition("after=")[2]
    asked[0].fulfill(content_type="text/event-stream", body=f"retry: 1\nid: {known}\n\n")
    expect(page.locator(".connection")).to_be_visible()
    store.append(moved(RECORDS[0], 0, 5))
    while len(asked) < 2:
        page.evaluate("0")  # requests are heard of while something is waited for
    asked[1].continue_()
    expect(page.locator(".slot")).to_contain_text("move 5")
    expect(page.locator(".connection")).to_be_hidden()


def test_a_connection_that_is_dead_without_an_error_is_given_up(
    run: str, store: Store, page: Page
) -> None:
    """As after a sleep."""
    dead = first_is_dead(page, "**/live?*")
    page.goto(run)
    store.append(moved(RECORDS[0], 0, 5))
    expect(page.locator(".connection")).to_be_visible()
    expect(page.locator(".slot")).to_contain_text("move 5")
    expect(page.locator(".connection")).to_be_hidden()
    assert dead


def test_what_did_not_load_is_asked_for_again(
    run: str, store: Store, page: Page, problems: list[str]
) -> None:
    page.route("**/data", lambda route: route.abort(), times=1)
    page.goto(f"{run}#games")
    expect(page.get_by_role("alert")).to_contain_text("This did not load")
    page.goto(run + "#")
    store.append(moved(RECORDS[0], 0, 3))
    expect(page.locator(".slot")).to_contain_text("move 3")
    ended(store, RECORDS[0], 1, 3)
    expect(page.locator(".slot")).to_contain_text("ended")
    page.route("**/game/g1", lambda route: route.abort(), times=1)
    page.goto(f"{run}#game/g1")
    expect(page.get_by_role("alert")).to_contain_text("This did not load")
    page.goto(f"{run}#game/g1/3")
    expect(page.locator(".caption")).to_contain_text("Move 3 of 12")
    assert set(problems) == {"Failed to load resource: net::ERR_FAILED"}
    problems.clear()


def test_a_late_answer_for_a_void_game_leaves_it_in_play(
    run: str, store: Store, page: Page
) -> None:
    page.goto(f"{run}#game/g1")
    caption = page.locator(".caption")
    expect(caption).to_contain_text("Before the first")
    late: list[Route] = []
    page.route("**/game/g1", lambda route: late.append(route), times=1)
    store.add(void(RECORDS[0], "the host slept"))
    with page.expect_request("**/game/g1"):
        store.append(GameVoid(game="g1", attempt=1, detail="the host slept", replayed=True))
    store.append(game_started(RECORDS[0].model_copy(update={"attempt": 2})))
    store.append(moved(RECORDS[0], 0, 2))
    expect(caption).to_contain_text("Move 2 of 2")
    with page.expect_response("**/game/g1"):
        late[0].continue_()
    page.evaluate("new Promise(requestAnimationFrame)")
    expect(caption).to_contain_text("Move 2 of 2")


@pytest.mark.parametrize("shown", ["g1", "g2"])
def test_a_late_answer_for_a_game_leaves_the_reader_at_a_move(
    run: str, store: Store, page: Page, shown: str
) -> None:
    """Of this game or of another one, to which the reader went before it came."""
    ended(store, RECORDS[1], 1, 3)
    store.append(moved(RECORDS[0], 0))
    page.goto(f"{run}#game/g1/3")
    caption = page.locator(".caption")
    expect(caption).to_contain_text("Move 3 of 12")
    late: list[Route] = []
    page.route("**/game/g1", lambda route: late.append(route), times=1)
    with page.expect_request("**/game/g1"):
        ended(store, RECORDS[0], 2, 3)
    page.goto(f"{run}#game/{shown}/5")
    expect(caption).to_contain_text("Move 5 of 12")
    with page.expect_response("**/game/g1"):
        late[0].continue_()
    expect(page.locator(".ending")).to_have_text("Ended by the rules after 12 moves.")
    page.evaluate("new Promise(requestAnimationFrame)")
    expect(caption).to_contain_text("Move 5 of 12")


def test_a_late_answer_for_a_player_leaves_the_next_one_shown(run: str, page: Page) -> None:
    page.goto(f"{run}#games")
    expect(page.locator("#games-count")).to_contain_text("No game has ended yet")
    late: list[Route] = []
    page.route("**/data", lambda route: late.append(route), times=1)
    with page.expect_request("**/data"):
        page.goto(f"{run}#player/ant")
    page.goto(f"{run}#player/bee")
    heading = page.locator("#player-view h2")
    expect(heading).to_contain_text("bee")
    with page.expect_response("**/data"):
        late[0].continue_()
    page.evaluate("new Promise(requestAnimationFrame)")
    expect(heading).to_contain_text("bee")


def test_a_run_that_was_away_for_a_moment_is_asked_for_again(
    run: str, page: Page, problems: list[str]
) -> None:
    page.route("**/data", lambda route: route.fulfill(status=404), times=1)
    page.goto(f"{run}#games")
    expect(page.get_by_role("alert")).to_have_text("This did not load: The run is not there.")
    page.goto(f"{run}#games?player=ant")
    expect(page.locator("#games-count")).to_contain_text("No game has ended yet")
    assert set(problems) == {
        "Failed to load resource: the server responded with a status of 404 (Not Found)"
    }
    problems.clear()


def test_a_hidden_page_leaves_its_connection_to_others(run: str, store: Store, page: Page) -> None:
    """By HTTP/1.1 a browser has six to a server: a seventh page would wait without end."""
    page.goto(run)
    expect(page.locator(".slot")).to_contain_text("move 0")
    with page.expect_event("requestfailed", lambda request: "/live" in request.url):
        page.evaluate(SHOW, False)
    store.append(moved(RECORDS[0], 0, 5))
    page.evaluate(SHOW, True)
    expect(page.locator(".slot")).to_contain_text("move 5")


def test_a_reader_pauses_what_changes_by_itself(run: str, store: Store, page: Page) -> None:
    page.goto(run)
    slot = page.locator(".slot")
    expect(slot).to_contain_text("move 0")
    with page.expect_event("requestfailed", lambda request: "/live" in request.url):
        page.get_by_role("button", name="Pause updates").press("Enter")
    resume = page.get_by_role("button", name="Resume updates")
    expect(resume).to_be_focused()
    store.append(moved(RECORDS[0], 0, 3))
    page.evaluate(SHOW, True)  # it stays paused
    expect(slot).to_contain_text("move 0")
    resume.press("Enter")
    expect(slot).to_contain_text("move 3")
    store.append(RunFinished(outcome=RunOutcome(total=3, done=0)))
    expect(page.locator("#pause")).to_be_disabled()
    expect(page.locator("#pause")).to_be_focused()


def test_a_page_that_is_paused_is_not_loaded_again(
    run: str, store: Store, page: Page, problems: list[str]
) -> None:
    page.clock.install()
    page.route("**/live*", lambda route: route.fulfill(status=429), times=1)
    page.goto(run)
    page.evaluate("window.isSame = true")
    expect(page.locator(".connection")).to_be_visible()
    page.get_by_role("button", name="Pause updates").click()
    page.clock.run_for(60_000)
    page.get_by_role("button", name="Resume updates").click()
    store.append(moved(RECORDS[0], 0, 3))
    expect(page.locator(".slot")).to_contain_text("move 3")
    assert page.evaluate("window.isSame")
    problems.clear()


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_page_that_may_be_seen_no_more_is_loaded_again(
    run: str, page: Page, problems: list[str], status: int
) -> None:
    """As that of an owner's match, who has signed out or is somebody else since it was hidden."""
    with page.expect_response("**/live*"):  # a page that never heard anything waits for 30 s
        page.goto(run)
    page.evaluate(SHOW, False)
    page.route(f"{run}**", lambda route: route.fulfill(status=status, body="Sign in."))
    page.evaluate(SHOW, True)
    expect(page.locator("body")).to_have_text("Sign in.", timeout=30_000)
    problems.clear()


def test_a_run_that_ends_says_nothing_of_connections(run: str, store: Store, page: Page) -> None:
    page.goto(run)
    expect(page.locator(".slot")).to_contain_text("move 0")
    with page.expect_event("requestfailed", lambda request: "/live" in request.url):
        store.append(RunFinished(outcome=RunOutcome(total=3, done=0)))
    expect(page.locator(".connection")).to_be_hidden()


def test_back_leads_to_the_link_that_was_followed(run: str, store: Store, page: Page) -> None:
    ended(store, RECORDS[0], 1, 3)
    page.goto(run)
    link = page.locator("#standings").get_by_role("link", name="bee")
    link.press("Enter")
    expect(page.locator("#player-view h2")).to_be_focused()
    ended(store, RECORDS[1], 2, 3)
    expect(page.locator("#facts")).to_contain_text("2 of 2")
    page.go_back()
    expect(link).to_be_focused()


def test_figures_that_come_late_take_no_game_away(run: str, store: Store, page: Page) -> None:
    page.goto(run)
    expect(page.locator(".slot")).to_contain_text("move 0")

    def answer_late(route: Route) -> None:
        early = route.fetch()
        ended(store, RECORDS[0], 1, 3)
        page.locator(".slot", has_text="ended").wait_for(state="attached")
        route.fulfill(response=early)

    page.route("**/data", answer_late)
    page.goto(f"{run}#player/ant")
    expect(page.locator("#player-view h2")).to_contain_text("ant")
    page.goto(f"{run}#games")
    expect(page.locator("#games-table tbody th")).to_have_text("g1")


def test_the_newest_game_comes_first(run: str, store: Store, page: Page) -> None:
    for done, record in enumerate(RECORDS[:2], 1):
        ended(store, record, done, 3)
    page.goto(f"{run}#games")
    expect(page.locator("#games-table tbody th")).to_have_text(["g2", "g1"])
    page.get_by_label("Moves from").press_sequentially("1")
    ended(store, RECORDS[2], 3, 3)
    expect(page.locator("#games-table tbody th")).to_have_text(["g3", "g2", "g1"])
    expect(page.locator("#games-count")).to_have_attribute("aria-live", "off")
    expect(page.get_by_label("Moves from")).to_have_value("1")
    page.get_by_label("Order").select_option("as they ended")
    expect(page.locator("#games-table tbody th")).to_have_text(["g1", "g2", "g3"])


def test_everyone_can_use_it(run: str, page: Page, axe: Callable[[Page], None]) -> None:
    page.goto(run)
    page.locator(".slot .board").wait_for()
    axe(page)
