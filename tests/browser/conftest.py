"""Chromium for the tests of pages. They fail without it: a page is what a browser shows."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from axe_playwright_python.base import AxeResults
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    Error,
    Page,
    Route,
    expect,
    sync_playwright,
)

from arena.model.record import GameRecord
from arena.reports.html.audience import STAFF
from arena.reports.html.one_file import write_report
from arena.tournament.run_view import RunView
from tests.reports.runs import begun

PATIENCE_MS = 120_000
"""How long a page may take on a machine that is busy."""
expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One Chromium for this room. Not for longer: while Playwright runs, no other test of the
    process can call `asyncio.run`.
    """
    program = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    assert program, "pages are tried in Chromium: install Debian's package chromium-headless-shell"
    with sync_playwright() as driver:
        # One process for all pages: each start of another costs as much as three tests.
        arguments = ["--disable-site-isolation-trials", "--renderer-process-limit=1"]
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")
        browser = driver.chromium.launch(executable_path=program, args=arguments)
        yield browser
        browser.close()


@pytest.fixture
def problems() -> list[str]:
    """What the page complained about. A test that expects complaints clears it at its end."""
    return []


@pytest.fixture(scope="package")
def tab(browser: Browser) -> Page:
    """The page that all tests of this room open theirs in: one of its own would cost three times
    as much.
    """
    context = browser.new_context()
    context.set_default_timeout(PATIENCE_MS)
    return context.new_page()


@pytest.fixture
def page(tab: Page, problems: list[str]) -> Iterator[Page]:
    """An empty page, as a new visitor has it, light and still, 1280 pixels wide.
    `page.goto(URL)` opens one, `page.goto(path.as_uri())` a file. A test fails if the page
    complained on its console.
    """

    def note(said: ConsoleMessage) -> None:
        if said.type == "error":
            problems.append(said.text)

    def note_error(error: Error) -> None:
        problems.append(str(error))

    tab.set_viewport_size({"width": 1280, "height": 900})
    tab.emulate_media(color_scheme="light", reduced_motion="reduce")
    tab.on("console", note)
    tab.on("pageerror", note_error)
    yield tab
    tab.goto("about:blank")
    tab.unroute_all()
    tab.context.set_offline(False)
    tab.context.clear_permissions()
    tab.context.clear_cookies()
    tab.remove_listener("console", note)
    tab.remove_listener("pageerror", note_error)
    assert not problems


@pytest.fixture
def axe() -> Callable[[Page], None]:
    """`axe(page)` asserts that people who see or move otherwise can use it, in light and dark."""

    def judge(page: Page) -> None:
        page.evaluate(Axe().axe_script)
        for scheme in ("dark", "light"):
            page.emulate_media(color_scheme=scheme)
            found = AxeResults(page.evaluate("axe.run({resultTypes: ['violations']})"))
            assert found.violations_count == 0, f"{scheme}: {found.generate_report()}"

    return judge


def first_is_dead(page: Page, address: str) -> list[Route]:
    """Let the first connection to `address` bring nothing, and have pages that wait 45 s for a sign
    of life wait half a second; the connection, once it is there.
    """

    def hurry(route: Route) -> None:
        script = route.fetch()
        route.fulfill(response=script, body=script.text().replace("45_000", "500"))

    dead = list[Route]()
    page.route("**/static/arena-*.js", hurry)
    page.route(address, lambda route: dead.append(route), times=1)
    return dead


def write_file(folder: Path, records: list[GameRecord]) -> str:
    """A run of these games and its report as one file; the file's URL."""
    store, report = folder / "cup.sqlite", folder / "cup.html"
    with begun(store, records) as run:
        for record in records:
            run.add(record)
    with RunView(store) as view:
        write_report(view, STAFF, report)
    return report.as_uri()
