"""The list of games: its filter, in the address as in the form."""

from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from arena.reports.games import GameFilter, rows
from arena.tournament.run_view import RunView
from tests.browser.conftest import write_file
from tests.reports.conftest import play_record

pytestmark = pytest.mark.slow

NAMES = ("ant", "bee", "cat & dog")
FILTERS = [
    ("", GameFilter(), None),
    ("player=bee", GameFilter(player="bee"), None),
    ("player=ant&against=cat+%26+dog&side=second", GameFilter("ant", "cat & dog", "second"), None),
    ("player=bee&result=lost", GameFilter(player="bee", results=["lost"]), None),
    ("result=drawn", GameFilter(results=["drawn"]), None),
    ("ending=forfeit", GameFilter(ending="forfeit"), None),
    (
        "player=ant&ending=timeout&result=won",
        GameFilter("ant", None, None, ["won"], "timeout"),
        None,
    ),
    ("against=bee&sort=longest", GameFilter(against="bee"), "longest"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """210 games of three players at 2×2 boxes; some forfeited."""
    records = []
    for number in range(210):
        seats = list(combinations(NAMES, 2))[number % 3]
        forfeit = number % 2 if number % 10 == 0 else None
        players = seats if number % 2 else seats[::-1]
        settings = {"seed": number, "game": f"g{number:04d}", "forfeit": forfeit}
        records.append(play_record("dots", *players, **settings, rows=2, cols=2))
    folder = tmp_path_factory.mktemp("games")
    write_file(folder, records)
    return folder


@pytest.fixture
def opened(folder: Path, page: Page) -> Callable[[str], Page]:
    """Opens the report at a hash."""

    def open_(hash_: str) -> Page:
        page.goto(f"{(folder / 'cup.html').as_uri()}{hash_}")
        return page

    return open_


def listed(page: Page) -> list[str]:
    """The ids in the list."""
    expect(page.locator("#games-count")).not_to_be_empty()
    return page.locator("#games-table tbody th").all_inner_texts()


@pytest.mark.parametrize(("query", "wanted", "sort"), FILTERS)
def test_it_lists_what_arena_games_does(
    query: str, wanted: GameFilter, sort: str | None, opened: Callable[[str], Page], folder: Path
) -> None:
    with RunView(folder / "cup.sqlite") as view:
        expected = [row.game for row in rows(view, wanted, sort)]
    page = opened(f"#games?{query}")
    assert expected
    assert listed(page) == expected[:100]
    expect(page.locator("#games-count")).to_contain_text(f"{len(expected)} games")


def test_more_are_shown_when_asked_for(opened: Callable[[str], Page]) -> None:
    page = opened("#games")
    for shown in (100, 200):
        assert len(listed(page)) == shown
        page.get_by_role("button", name="Show more").click()
        expect(page.locator("#games-table tbody th a").nth(shown)).to_be_focused()
    assert len(listed(page)) == 210
    expect(page.get_by_role("button", name="Show more")).to_have_count(0)


def test_length_bounds(opened: Callable[[str], Page]) -> None:
    page = opened("#games?from=11&to=11")
    assert set(page.locator("#games-table tbody td:nth-child(7)").all_inner_texts()) == {"11"}


def test_the_form_writes_the_address_and_back_undoes_it(opened: Callable[[str], Page]) -> None:
    page = opened("#games?player=bee")
    expect(page.get_by_label("Player")).to_have_value("bee")
    page.get_by_label("Opponent").select_option("cat & dog")
    page.wait_for_url("**#games?player=bee&against=cat+%26+dog")
    both = listed(page)
    page.get_by_label("Moves from").fill("12")
    page.get_by_label("Moves from").press("Enter")
    page.wait_for_url("**&from=12")
    page.go_back()
    expect(page.get_by_label("Moves from")).to_have_value("")
    assert listed(page) == both
    page.go_back()
    expect(page.get_by_label("Opponent")).to_have_value("")
    page.get_by_role("link", name="Clear").click()
    expect(page.get_by_label("Player")).to_have_value("")


def test_a_cell_of_the_crosstable_lists_its_games(opened: Callable[[str], Page]) -> None:
    page = opened("")
    cell = page.locator("#crosstable td a").first
    cell.press("Enter")
    expect(page.locator("#overview")).to_be_hidden()
    expect(page.locator("#games-count")).to_have_text("70 games.")
    page.go_back()
    expect(page.locator("#standings")).to_be_visible()
    expect(cell).to_be_focused()


def test_empty_lists_say_what_to_do(opened: Callable[[str], Page]) -> None:
    page = opened("#games?ending=flood")
    expect(page.locator("#games-count")).to_have_text(
        "No game matches. Clear the filter to see all games."
    )
    page = opened("#games?player=nobody")
    expect(page.locator("#games-count")).to_contain_text("No player of this run is called nobody.")


def test_everyone_can_use_it(opened: Callable[[str], Page], axe: Callable[[Page], None]) -> None:
    page = opened("#games?ending=forfeit")
    listed(page)
    axe(page)


def test_a_phone_scrolls_nothing_but_the_table(opened: Callable[[str], Page]) -> None:
    page = opened("#games")
    page.set_viewport_size({"width": 320, "height": 700})
    listed(page)
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    first = page.locator("#games-table tbody th").first
    left = first.bounding_box()
    page.locator("#games-table").evaluate("box => box.scrollLeft = 200")
    moved = first.bounding_box()
    assert left and moved
    assert abs(left["x"] - moved["x"]) < 1
