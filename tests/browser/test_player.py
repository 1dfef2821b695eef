"""The page of a player, and boards of games without a drawing of their own."""

import re
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from rules import registry
from tests.browser.conftest import write_file
from tests.reports.conftest import play_record

pytestmark = pytest.mark.slow

LOG = "ready\nValueError: lost\nmore"
SEATS = [("ant", "bee"), ("bee", "ant"), ("cat", "ant"), ("ant", "cat")] * 2
GAMES = [
    play_record(
        "dots",
        *seats,
        seed=number,
        game=f"g{number}",
        winner=seats.index("ant"),
        forfeit=1 if number == 7 else None,
        stderr=LOG,
        rows=2,
        cols=2,
    )
    for number, seats in enumerate(SEATS)
]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_file(tmp_path_factory.mktemp("players"), GAMES)


def test_its_results_against_each_lead_to_their_games(report: str, page: Page) -> None:
    page.goto(f"{report}#player/ant")
    expect(page.locator("#player-view .facts")).to_contain_text("8 games: 8 won, 0 drawn, 0 lost")
    against = page.get_by_label("Against each").locator("tbody tr")
    assert [row.split() for row in against.all_inner_texts()] == [
        ["bee", "4", "4", "0", "0", "games"],
        ["cat", "4", "4", "0", "0", "games"],
    ]
    sides = page.get_by_label("By side").locator("tbody tr")
    expect(sides.first).to_have_text(re.compile("^first4400"))
    against.last.get_by_role("link", name="games against cat").click()
    page.wait_for_url("**#games?player=ant&against=cat")
    expect(page.locator("#games-count")).to_have_text("4 games.")


def test_its_faults_come_with_their_error(report: str, page: Page) -> None:
    page.goto(f"{report}#player/cat")
    faults = page.locator("#player-view .faults")
    expect(faults).to_contain_text("It ran out of time once, first in g7")
    expect(faults.locator("pre")).to_have_text("ValueError: lost")
    faults.get_by_role("link").click()
    expect(page.locator("#game-view h2")).to_contain_text("Game g7")


def test_a_player_that_is_not_there_says_so(report: str, page: Page) -> None:
    page.goto(f"{report}#player/nobody")
    expect(page.locator("#player-view")).to_contain_text("No player of this run is called nobody.")


def test_everyone_can_use_it(report: str, page: Page, axe: Callable[[Page], None]) -> None:
    page.goto(f"{report}#player/ant")
    expect(page.locator("#player-view")).to_be_visible()
    axe(page)


@pytest.fixture
def connect4() -> Iterator[None]:
    """A game of another package, which has no drawing."""
    point = EntryPoint("connect4", "connect4.rules:REGISTRATION", registry.GROUP)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(Path(__file__).parents[2] / "tournaments" / "connect4")
        patch.setattr(registry, "_registered", lambda: {"connect4": (point,)})
        yield
    registry.registration.cache_clear()
    registry.default.cache_clear()
    registry.unusable.cache_clear()


@pytest.mark.usefixtures("connect4")
def test_a_game_without_a_drawing_shows_its_text(page: Page, tmp_path: Path) -> None:
    played = play_record("connect4", "ant", "bee", seed=1)
    record = played.model_copy(update={"points": (1.0, 0.0)})
    page.goto(f"{write_file(tmp_path, [record])}#game/g1/0")
    board = page.locator(".board.text")
    expect(board).to_have_text(str(record.start()), use_inner_text=True)
    page.keyboard.press("ArrowRight")
    after = record.start().play(record.moves[0].move)
    expect(board).to_have_text(str(after), use_inner_text=True)


def test_a_long_name_is_shortened_in_its_cell_on_a_phone(tmp_path: Path, page: Page) -> None:
    long = "a-student-with-quite-a-long-name"
    games = [play_record("dots", "ant", long, game="g1", rows=2, cols=2)]
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{write_file(tmp_path, games)}#player/ant")
    name = page.get_by_label("Against each").get_by_role("link", name=long, exact=True)
    within = "a => a.getBoundingClientRect().right <= a.closest('th').getBoundingClientRect().right"
    assert name.evaluate(within)
    page.goto(f"{page.url.partition('#')[0]}#games")
    result = page.locator("#games-table tbody td:nth-child(3)").first
    box = result.bounding_box()
    assert box is not None and box["x"] + box["width"] < 390
