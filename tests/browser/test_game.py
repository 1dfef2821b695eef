"""The page of a game: its moves, its address, what it copies, what it says."""

import json
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

import rules
from arena.model.protocol import Clock
from arena.model.record import GameRecord
from arena.records.championship import read_record
from rules.dots import Dots
from rules.transcript import read_transcript
from tests.browser.conftest import write_file
from tests.reports.conftest import play_record
from tests.reports.runs import with_clock

pytestmark = pytest.mark.slow

Open = Callable[[str], Page]
BOX = "part => { const {x, y, width, height} = part.getBBox(); return {x, y, width, height}; }"
LOG = "one\ntwo\nthree\nafter"


def by_a_bank(record: GameRecord) -> GameRecord:
    """The same, played without a limit of each move."""
    clock = Clock(move_ms=None, bank_ms=60_000)
    return record.model_copy(update={"terms": record.terms.model_copy(update={"clock": clock})})


def logged(record: GameRecord) -> GameRecord:
    """The same, with a line of stderr for each of the first player's first three moves."""
    first, second = record.seats
    marks = (
        4,
        8,
        14,
        *[14] * sum(move.seat == 0 and move.used_ms is not None for move in record.moves[6:]),
    )
    said = {"stderr_head": LOG, "stderr_bytes": len(LOG), "stderr_marks": marks}
    return record.model_copy(update={"seats": (first.model_copy(update=said), second)})


RECORDS = {
    "dots": [
        play_record("dots", "ant", "bee", seed=3, game="g1", fault_at=2, rows=2, cols=2),
        play_record("dots", "bee", "ant", seed=4, game="g2", forfeit=1, rows=2, cols=2),
    ],
    "bank": [by_a_bank(play_record("dots", "bee", "ant", game="g1", forfeit=0, rows=2, cols=2))],
    "odds": [
        with_clock(play_record("dots", "ant", "bee", game="g1", rows=2, cols=2), Clock(move_ms=20))
    ],
    "othello": [
        logged(play_record("othello", "ant", "bee", seed=5, game="g1", size=6, preset="cornerless"))
    ],
    "2048": [play_record("2048", "ant", seed=5, game="g1")],
    "no zone": [
        play_record("dots", "ant", "bee", game="g1", rows=2, cols=2).model_copy(
            update={"started_at": "2003-12-15T12:33:18"}
        )
    ],
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A report of each game."""
    return {
        name: write_file(tmp_path_factory.mktemp("run"), records)
        for name, records in RECORDS.items()
    }


@pytest.fixture
def opened(files: dict[str, str], page: Page) -> Open:
    """Opens `dots#game/g1` or alike, and waits until the board is there."""

    def open_(address: str) -> Page:
        name, _, hash_ = address.partition("#")
        page.goto(f"{files[name]}#{hash_}")
        page.locator(".stand > *").wait_for()
        return page

    return open_


def scores_after(record: GameRecord, ply: int) -> tuple[int, ...]:
    position = record.start()
    for move in record.moves[:ply]:
        position = position.play(move.move)
    return position.scores()


def ply_of(page: Page) -> int:
    return int(page.get_by_label("Move", exact=True).input_value())


@pytest.mark.parametrize(("name", "unit"), [("dots", "boxes"), ("othello", "discs")])
def test_keys_step_through_the_moves(name: str, unit: str, opened: Open) -> None:
    record = RECORDS[name][0]
    last = len(record.moves)
    page = opened(f"{name}#game/g1")
    steps = {"Home": 0, "ArrowRight": 1, "End": last, "ArrowLeft": last - 1}
    for key, ply in steps.items():
        page.keyboard.press(key)
        assert ply_of(page) == ply
        score = f" {unit} to ".join(map(str, scores_after(record, ply)))
        expect(page.locator(".board")).to_have_attribute("aria-label", re.compile(f"{score}$"))


def test_the_address_holds_game_and_move(opened: Open, files: dict[str, str]) -> None:
    page = opened("dots#game/g1/5")
    assert ply_of(page) == 5
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**#game/g1/6")
    page.goto(f"{files['dots']}#game/g2/1")
    expect(page.locator("#game-view h2")).to_contain_text("Game g2")
    expect(page).to_have_title(re.compile("^Game g2 "))
    assert ply_of(page) == 1


@pytest.mark.parametrize(
    ("name", "shown"), [("dots", "2025-01-01 00:00 UTC · "), ("no zone", "2003-12-15 12:33 · ")]
)
def test_a_time_has_a_zone_where_it_is_known(name: str, shown: str, opened: Open) -> None:
    page = opened(f"{name}#game/g1")
    expect(page.locator("#game-view .note", has_text=shown)).to_be_visible()


def test_back_leaves_the_game_at_once(page: Page, files: dict[str, str]) -> None:
    page.goto(f"{files['dots']}#games")
    page.get_by_role("link", name="g1").click()
    expect(page.locator("#game-view")).to_be_visible()  # keys before that are the list's
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**#game/g1/1")
    page.go_back()
    expect(page.locator("#games-table")).to_be_visible()
    expect(page.locator("#game-view")).to_be_hidden()


def test_slider_chips_and_buttons_jump(opened: Open) -> None:
    page = opened("othello#game/g1/0")
    page.get_by_label("Move", exact=True).fill("7")
    expect(page.locator(".moves [aria-current]")).to_have_attribute("data-ply", "7")
    page.locator(".moves button").nth(3).click()
    assert ply_of(page) == 4
    for name, ply in [("Next move", 5), ("Previous move", 4), ("Last move", 32), ("First move", 0)]:
        page.get_by_role("button", name=name).click()
        assert ply_of(page) == ply
    page.locator(".times").click(position={"x": 1, "y": 5})
    assert ply_of(page) == 1


def test_a_chip_keeps_the_focus_where_others_come(opened: Open) -> None:
    last = len(RECORDS["2048"][0].moves)
    assert last > 240
    page = opened("2048#game/g1/240")
    page.locator("[data-ply='240']").focus()
    for key, ply in (("ArrowRight", 241), ("Home", 1), ("End", last)):
        page.keyboard.press(key)
        expect(page.locator(f"[data-ply='{ply}']")).to_be_focused()


def test_space_plays_to_the_end_and_stops(opened: Open) -> None:
    page = opened("dots#game/g1")
    last = len(RECORDS["dots"][0].moves)
    page.get_by_label("Move", exact=True).fill(str(last - 2))
    page.locator("h1").click()
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    expect(page.locator(".caption")).to_contain_text(f"Move {last} of {last}")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()


def test_what_is_copied_is_read_by_the_arena(opened: Open) -> None:
    page = opened("dots#game/g1/6")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])

    def copied(what: str) -> str:
        page.get_by_role("button", name=f"Copy {what}").click()
        expect(page.locator(".copy", has_text="copied")).to_be_visible()
        expect(page.locator(".copy", has_text="copied")).to_have_count(0)
        return str(page.evaluate("navigator.clipboard.readText()"))

    record = RECORDS["dots"][0]
    moves = tuple(move.move for move in record.moves)
    game = rules.load("dots", rows=2, cols=2)
    assert isinstance(game, Dots)
    assert read_transcript(game.start(), copied("transcript")) == moves
    assert tuple(read_record(game, copied("record")).moves) == moves
    position = game.start()
    for move in moves[:6]:
        position = position.play(move)
    assert game.position(json.loads(copied("position"))) == position


def test_copying_without_a_clipboard_keeps_the_focus(opened: Open) -> None:
    page = opened("dots#game/g1")
    page.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    button = page.get_by_role("button", name="Copy transcript")
    button.press("Enter")
    expect(button).to_contain_text("copied")
    expect(button).to_be_focused()


def test_stderr_goes_as_far_as_the_move(opened: Open) -> None:
    page = opened("othello#game/g1/1")
    text = page.locator("#game-view .stderr")
    for ply, now, before in [(1, "one\n", ""), (2, "", "one\n"), (3, "two\n", "one\n")]:
        page.get_by_label("Move", exact=True).fill(str(ply))
        assert text.locator("span").all_text_contents() == [before, now]
    page.keyboard.press("End")
    expect(text).to_have_text(LOG)


def test_ends_and_faults_are_sentences(opened: Open) -> None:
    page = opened("dots#game/g2")
    ran_out = "ant ran out of time after 11 moves and lost the game: no reply within 5100 ms"
    expect(page.locator(".ending")).to_have_text(ran_out)
    page = opened("dots#game/g1")
    expect(page.locator(".ending")).to_have_text("Ended by the rules after 12 moves.")
    expect(page.locator("#game-view .faults")).to_contain_text("Move 3: ")
    expect(page.locator("#game-view .faults")).to_contain_text("the referee played a random move")


def test_each_limit_is_drawn_on_the_side_of_its_player(opened: Open) -> None:
    page = opened("odds#game/g1")
    heading = page.get_by_role("heading", name="Time a move")
    first, second = (
        "dashed: the limit of the first, 20 ms",
        "the limit of the second, 5 s, is far above",
    )
    expect(heading).to_contain_text(f"{first}; {second}")
    limit, axis = (page.locator(f".times .{part}").evaluate(BOX) for part in ("limit", "axis"))
    assert limit["y"] < axis["y"] and limit["height"] == 0
    page.goto(page.url.partition("#")[0] + "#player/ant")
    expect(page.locator("#player-view .facts")).to_contain_text("its own clock: 0.02 s a move")


def test_a_turn_that_ran_out_of_time_is_drawn_over_the_limit(opened: Open) -> None:
    page = opened("dots#game/g2")
    heading = page.get_by_role("heading", name="Time a move")
    expect(heading).to_contain_text("dashed: the limit, 5 s; the last turn ran out of time")
    late, limits = (page.locator(f".times .{part}").evaluate(BOX) for part in ("late", "limit"))
    before = page.locator(".times .bars:not(.late)").evaluate_all(f"all => all.map({BOX})")
    assert late["y"] + late["height"] > limits["y"] + limits["height"]
    assert all(late["x"] > bars["x"] + bars["width"] for bars in before)
    page.locator(".times").click(position={"x": 1, "y": 5})
    assert ply_of(page) == 1
    page = opened("dots#game/g1")
    expect(page.locator(".times .late")).to_have_count(0)
    expect(heading).to_contain_text("is far above")


def test_a_late_turn_by_a_bank_is_drawn_over_all_moves(opened: Open) -> None:
    page = opened("bank#game/g1")
    heading = page.get_by_role("heading", name="Time a move")
    expect(heading).to_contain_text("up: first, down: second; the last turn ran out of time")
    late = page.locator(".times .late").evaluate(BOX)
    others = page.locator(".times .bars:not(.late)").evaluate_all(f"all => all.map({BOX})")
    assert late["height"] > max(bars["height"] for bars in others) > late["height"] / 2
    assert all(late["x"] > bars["x"] + bars["width"] for bars in others)


def test_tiles_are_drawn_with_the_new_one_ringed(opened: Open) -> None:
    page = opened("2048#game/g1/0")
    expect(page.locator(".tile")).to_have_count(2)
    page.keyboard.press("ArrowRight")
    expect(page.locator(".ring")).to_have_count(0)
    page.keyboard.press("ArrowRight")
    expect(page.locator(".ring")).to_have_count(1)


def test_moves_and_thoughts_as_a_table(opened: Open) -> None:
    page = opened("dots#game/g1")
    page.get_by_text("As a table").click()
    rows = page.get_by_label("Moves as a table").locator("tbody tr")
    expect(rows).to_have_count(12)
    expect(rows.first).to_contain_text(RECORDS["dots"][0].moves[0].move)


def test_a_game_that_is_not_there_says_so(page: Page, files: dict[str, str]) -> None:
    page.goto(f"{files['dots']}#game/g99")
    expect(page.locator("#game-view")).to_contain_text("No game of this run is called g99.")
    page.get_by_role("link", name="See all games.").click()
    expect(page.locator("#games-table tbody tr")).to_have_count(2)


@pytest.mark.parametrize("name", list(RECORDS))
def test_everyone_can_use_it(name: str, opened: Open, axe: Callable[[Page], None]) -> None:
    axe(opened(f"{name}#game/g1/3"))


@pytest.mark.parametrize("name", list(RECORDS))
def test_a_phone_scrolls_only_down(name: str, opened: Open) -> None:
    page = opened(f"{name}#game/g1")
    page.set_viewport_size({"width": 320, "height": 700})
    for size in ("200%", "100%"):
        page.evaluate("size => { document.documentElement.style.fontSize = size }", size)
        assert page.evaluate("document.documentElement.scrollWidth") == 320
    for button in page.locator(".keys button").all():
        box = button.bounding_box()
        assert box
        assert min(box["width"], box["height"]) >= 44
    bottoms = "all => all.map(each => each.getBoundingClientRect().bottom)"
    rows = page.locator(".keys > *").evaluate_all(bottoms)
    assert rows == sorted(rows), "Tab goes down"
