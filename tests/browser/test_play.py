"""A person's game in the browser: by the mouse, by keys alone, and 2048 by the arrow keys."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, Route, expect

from arena.web import play
from arena.web.app import ServerSettings, make_app
from arena.web.rates import Rate
from tests.web.conftest import serving

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server without runs."""
    app = make_app(ServerSettings(runs=tmp_path_factory.mktemp("runs")))
    app.state.tables.begun = Rate(100, 300.0)  # all tests are one visitor
    with serving(app) as address:
        yield address


def begin(page: Page, site: str, board: str, opponent: str = "") -> None:
    page.goto(f"{site}/play")
    page.locator("[name=board]").select_option(board)
    if opponent:
        page.locator("[name=opponent]").select_option(opponent)
    page.get_by_role("button", name="Play").click()
    expect(page.get_by_role("status")).to_have_text("Your move.")


def test_by_the_mouse(page: Page, site: str, axe: Callable[[Page], None]) -> None:
    begin(page, site, "othello-6", "greedy")
    axe(page)
    squares = page.locator("#board .target")
    assert squares.evaluate_all("all => all.map((each) => each.ariaLabel)") == [
        *("c2", "b3", "e4", "d5")
    ]
    expect(page.locator("#board desc")).to_have_text("X (black): d3 c4. O (white): c3 d4")
    squares.first.click()
    expect(page.locator("#said")).to_contain_text("O greedy: ")
    expect(page.get_by_role("status")).to_have_text("Your move.")
    assert len(page.locator("#transcript").inner_text()) == 4
    page.get_by_role("button", name="Take back").click()
    expect(page.locator("#written")).to_be_hidden()
    page.get_by_role("button", name="Resign").click()
    expect(page.get_by_role("status")).to_have_text("You resigned. O greedy wins.")
    page.get_by_role("link", name="New game").click()
    assert page.locator("[name=opponent]").input_value() == "greedy"


def test_by_keys_alone_to_the_end(page: Page, site: str) -> None:
    begin(page, site, "dots-3", "greedy")
    expect(page.locator("#score")).to_have_text("A you 0 B greedy 0 ")
    page.locator("#board .target").first.focus()
    page.keyboard.press("ArrowDown")
    first = page.evaluate("document.activeElement.dataset.move")
    assert first == "a2b2"
    page.keyboard.press("Enter")
    status = page.locator("#status")
    while True:
        over = page.locator("#status", has_text="Game over")
        expect(page.locator("#board .target:focus").or_(over)).to_be_visible()
        if status.inner_text().startswith("Game over"):
            break
        before = page.locator("#transcript").text_content() or ""
        page.keyboard.press("Enter")
        expect(page.locator("#transcript")).not_to_have_text(before)


def test_each_place_is_reached_by_keys(page: Page, site: str) -> None:
    begin(page, site, "dots-3", "greedy")
    moves = ["a1", "f2", "b3", "c4", "a5", "d5", "d7"]
    page.evaluate(
        "moves => byId('board').replaceChildren(svg('svg', {}, targetsOf('othello', moves)))", moves
    )
    page.locator("[data-move=a1]").focus()
    for keys, expected in (("ArrowRight", moves[1:]), ("ArrowLeft", moves[-2::-1])):
        for move in expected:
            page.keyboard.press(keys)
            expect(page.locator(f"[data-move={move}]")).to_be_focused()


def test_the_chosen_place_stays_while_the_person_thinks(
    page: Page, site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(play, "_PATIENCE_S", 0.1)
    begin(page, site, "dots-3", "greedy")
    page.locator("#board .target").first.focus()
    page.keyboard.press("ArrowDown")
    for _ in range(3):
        page.wait_for_event("response", lambda answer: "/state" in answer.url)
    assert page.evaluate("document.activeElement.dataset.move") == "a2b2"


def test_the_buttons_keep_the_focus(page: Page, site: str) -> None:
    begin(page, site, "dots-3", "greedy")
    page.locator("#board .target").first.press("Enter")
    for name, after in (("Take back", "Your move."), ("Resign", "You resigned. greedy wins.")):
        button = page.get_by_role("button", name=name)
        expect(button).to_be_enabled()
        button.press("Enter")
        expect(button).to_be_disabled()
        expect(page.get_by_role("status")).to_have_text(after)
        page.evaluate("() => new Promise(requestAnimationFrame)")
        expect(button).to_be_focused(timeout=1000)


def test_moves_that_may_not_be_copied_are_selected(page: Page, site: str) -> None:
    begin(page, site, "dots-3", "greedy")
    page.locator("#board .target").first.click()
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(Error()) }")
    page.locator("#copy").click()
    expect(page.locator("#copy")).to_have_text("Selected: copy it with Ctrl-C")
    assert page.evaluate("getSelection().toString()") == page.locator("#transcript").inner_text()


def test_a_connection_that_is_back_says_so_at_once(
    page: Page, site: str, problems: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(play, "_PATIENCE_S", 0.5)
    begin(page, site, "dots-3", "greedy")
    page.context.set_offline(True)
    expect(page.get_by_role("alert")).to_contain_text("The connection is lost.")
    monkeypatch.setattr(play, "_PATIENCE_S", 60)
    page.context.set_offline(False)
    expect(page.get_by_role("alert")).to_be_hidden(timeout=30_000)
    problems.clear()


def test_a_game_goes_on_after_a_bad_gateway(page: Page, site: str, problems: list[str]) -> None:
    """Of a proxy, while the server does not answer."""
    begin(page, site, "dots-3", "greedy")
    page.route("**/state?*", lambda route: route.fulfill(status=502))
    page.locator("#board .target").first.click()
    expect(page.get_by_role("alert")).to_contain_text("The connection is lost.")
    page.unroute("**/state?*")
    expect(page.get_by_role("alert")).to_be_hidden()
    expect(page.locator("#board .target")).to_have_count(22)
    problems.clear()


@pytest.mark.parametrize(
    ("asked", "status", "ending"),
    [
        ("state?*", 401, "You are signed out. Sign in at /in, and load this page again."),
        ("do", 403, "This page is too old. Load it again."),
        ("state?*", 404, "This game is not there any more. Begin a new one."),
    ],
)
def test_a_page_that_the_server_refuses_says_so_and_asks_no_more(
    page: Page, site: str, problems: list[str], asked: str, status: int, ending: str
) -> None:
    refused = list[Route]()

    def refuse(route: Route) -> None:
        refused.append(route)
        route.fulfill(status=status)

    begin(page, site, "dots-3", "greedy")
    page.route(f"**/{asked}", refuse)
    page.locator("#board .target").first.click()
    expect(page.get_by_role("status")).to_have_text(ending)
    expect(page.get_by_role("alert")).to_be_hidden()
    expect(page.locator("#board .target")).to_have_count(0)
    expect(page.locator("#resign")).to_have_attribute("aria-disabled", "true")
    page.wait_for_timeout(1500)
    assert len(refused) == 1
    problems.clear()


def test_tiles_by_the_arrow_keys(page: Page, site: str, axe: Callable[[Page], None]) -> None:
    begin(page, site, "2048")
    axe(page)
    before = page.locator("#score").inner_text()
    for _ in range(8):
        for key in ("ArrowLeft", "ArrowDown", "ArrowRight", "ArrowUp"):
            page.keyboard.press(key)
            expect(page.get_by_role("status")).to_have_text("Your move.")
    expect(page.locator("#score")).not_to_have_text(before)
    for _ in range(2):  # the buttons by keys
        page.locator("#choices button:not([aria-disabled])").first.press("Enter")
        expect(page.locator("#choices button:focus")).to_be_visible()


@pytest.mark.parametrize(
    ("legal", "shown"),
    [
        (["up", "stay"], ["↑", "stay"]),
        (["left"], ["↑", "↓", "←", "→"]),
        (["m0", "m4"], ["m0", "m4"]),
        (["z1", "pass"], ["z1", "pass"]),
    ],
)
def test_each_move_of_a_game_of_a_package_has_a_button_in_sight(
    page: Page, site: str, legal: list[str], shown: list[str]
) -> None:
    def change(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, json={**answer.json(), "legal": legal})

    page.route("**/state?*", change)
    begin(page, site, "2048")
    buttons = page.locator("#choices button")
    assert buttons.all_inner_texts() == shown
    for button in buttons.all():
        expect(button).to_be_in_viewport(ratio=1)
    page.unroute_all(behavior="ignoreErrors")  # a question for the next state is still open


def test_the_arrow_keys_scroll_where_a_person_places_tiles(page: Page, site: str) -> None:
    page.set_viewport_size({"width": 320, "height": 400})
    page.goto(f"{site}/play?board=2048-two&opponent=greedy&seat=1")
    page.get_by_role("button", name="Play").click()
    expect(page.get_by_role("status")).to_have_text("Your move.")
    page.keyboard.press("ArrowDown")
    page.wait_for_function("scrollY > 0")


def test_the_end_leaves_the_focus_at_the_board(page: Page, site: str) -> None:
    begin(page, site, "2048")
    page.locator("#choices button").first.focus()
    page.request.post(f"{site}/play", form={"board": "2048"})  # which ends this game
    expect(page.get_by_role("status")).to_contain_text("Another game was begun")
    expect(page.locator("#choices button")).to_have_count(0)
    expect(page.locator("#board")).to_be_focused()


def test_a_form_that_is_sent_says_what_is_wrong(page: Page, site: str) -> None:
    page.goto(f"{site}/play?board=2048-two")
    options = page.locator("[name=opponent]").locator("option:not([hidden])")
    names = options.evaluate_all("all => all.map((each) => each.value)")
    assert names[0] == ""
    assert "uct" not in names
    assert "expectimax" in names
