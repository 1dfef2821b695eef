"""The list of tournaments and errors, for everyone."""

import re
from collections.abc import Callable
from itertools import combinations, permutations
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from arena.reports.html.audience import STAFF
from arena.reports.html.one_file import write_report
from arena.tournament.run_view import RunView
from arena.web.app import ServerSettings, make_app
from tests.browser.conftest import write_file
from tests.reports.conftest import play_record
from tests.reports.runs import begun, game_started
from tests.web.conftest import serving

pytestmark = pytest.mark.slow


def test_from_the_list_to_a_run_that_is_played(
    tmp_path: Path, page: Page, axe: Callable[[Page], None], problems: list[str]
) -> None:
    record = play_record("dots", "<b>ant</b>", "bee", game="g1", rows=2, cols=2)
    with (
        begun(tmp_path / "cup.sqlite", [record]) as store,
        serving(make_app(ServerSettings(runs=tmp_path))) as url,
    ):
        store.append(game_started(record))
        (tmp_path / "broken.sqlite").write_text("nothing")
        page.goto(url)
        expect(page.locator("section").first).to_contain_text("<b>ant</b> – bee")
        axe(page)
        page.get_by_role("link", name="broken").click()
        expect(page.locator("main")).to_contain_text("broken.sqlite: ")
        axe(page)
        page.go_back()
        page.get_by_role("link", name="cup").click()
        expect(page.locator(".slot")).to_contain_text("move 0")
    problems[:] = []  # the browser says that a page has the status 500, and a connection ended


def test_the_ranking_of_a_format_is_printed_without_its_rounds(tmp_path: Path, page: Page) -> None:
    records = [
        play_record("dots", *both, game=f"g{n}", pair="p", rows=2, cols=2)
        for n, both in enumerate(permutations(("ant", "bee")), 1)
    ]
    with begun(tmp_path / "cup.sqlite", records, format="swiss") as store:
        for record in records:
            store.add(record)
    with RunView(tmp_path / "cup.sqlite") as view:
        write_report(view, STAFF, tmp_path / "cup.html")
    page.goto((tmp_path / "cup.html").as_uri())
    expect(page.locator(".meetings")).to_be_visible()
    page.emulate_media(media="print")
    expect(page.locator("#rounds")).to_contain_text("Buchholz")
    expect(page.locator("#rounds table")).to_be_visible()
    expect(page.locator(".meetings")).to_be_hidden()
    for view in ("games", "game/g1", "player/ant"):
        page.goto(f"{(tmp_path / 'cup.html').as_uri()}#{view}")
        expect(page.locator(f"#{view.partition('/')[0]}-view")).to_be_visible()
    page.emulate_media(media="screen")


def test_the_standings_are_whole_at_1280_pixels(tmp_path: Path, page: Page) -> None:
    pairs = [*permutations(("ant", "a-player-with-a-very-long-name-to-see", "bee"), 2)] * 12
    records = [
        play_record("dots", *both, forfeit=n % 2 or None, game=f"g{n}", rows=2, cols=2)
        for n, both in enumerate(pairs, 1)
    ]
    page.goto(write_file(tmp_path, records))
    for text in ("±", "LOS", "Difference", "Mean move", "Forfeits"):
        column = page.locator("#standings").get_by_role("columnheader", name=text, exact=True)
        expect(column).to_be_visible()
    too_wide = "each => each.scrollWidth - each.clientWidth"
    assert page.get_by_role("region", name="Standings").evaluate(too_wide) == 0


def test_a_phone_shows_ratings_and_whole_numbers(tmp_path: Path, page: Page) -> None:
    pairs = [*permutations(("ant", "a bot of a long name", "bee"), 2)] * 52
    records = [
        play_record("dots", *both, winner=n % 5 % 2, game=f"g{n}", rows=2, cols=2)
        for n, both in enumerate(pairs, 1)
    ]
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(write_file(tmp_path, records))
    standings = page.locator("#standings")
    for text in ("Elo", "±", "95% interval", "LOS", "Course points"):
        expect(standings.get_by_role("columnheader", name=text, exact=True)).to_be_visible()
    expect(standings.locator("td", has_text=re.compile(r"±\d+")).first).to_be_in_viewport()
    cells = page.locator("#crosstable td a")
    expect(cells.first).to_have_text(re.compile(r"\d+/104"))
    heights = cells.evaluate_all("cells => cells.map(cell => cell.offsetHeight)")
    assert max(heights) < 50, "a number is on two lines"
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    links = "all => all.map(link => link.getBoundingClientRect().height)"
    assert min(page.locator("main a:visible").evaluate_all(links)) >= 24
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    widths = "all => all.map(name => name.offsetWidth)"
    names = page.locator("main th[scope=row]:visible").evaluate_all(widths)
    assert max(names) < 390 / 2, "figures have room next to a name"


def test_the_names_on_a_phone_do_not_cover_the_focus(tmp_path: Path, page: Page) -> None:
    names = [f"{name} of the north" for name in ("ant", "bee", "cat", "dog", "elk", "fox")]
    records = [
        play_record("dots", *both, game=f"g{n}", rows=2, cols=2)
        for n, both in enumerate(combinations(names, 2))
    ]
    page.set_viewport_size({"width": 320, "height": 700})
    page.goto(write_file(tmp_path, records))
    row = page.locator("#crosstable tbody tr").first
    row.locator("th a").focus()
    for cell in row.locator("td a").all():
        page.keyboard.press("Tab")
        expect(cell).to_be_focused()
        focused, covered = cell.bounding_box(), row.locator("th").bounding_box()
        assert focused and covered
        assert focused["x"] >= covered["x"] + covered["width"] - 1
