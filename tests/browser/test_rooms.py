"""The lab and the documents in the browser: for everyone, at any width, and live."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from arena.files import lock
from arena.web.app import ServerSettings, make_app
from tests.web.conftest import serving
from tests.web.test_lab import CURVE, TUNING, training

pytestmark = pytest.mark.slow

PAGES = (
    "/doc", "/doc/protocol", "/lab", "/lab/run/one.train", "/lab/run/it.tune",
    "/lab/compare?a=one.train&b=two.train",
)  # fmt: skip


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two trainings and a tuning."""
    folder = tmp_path_factory.mktemp("runs")
    training(folder, "one.train", 30)
    training(folder, "two.train", 4)
    (folder / "it.tune").mkdir()
    (folder / "it.tune" / "checkpoint.json").write_text(json.dumps(TUNING))
    return folder


@pytest.fixture(scope="module")
def site(runs: Path) -> Iterator[str]:
    """The address of their server."""
    with serving(make_app(ServerSettings(runs=runs))) as address:
        yield address


@pytest.mark.parametrize("path", PAGES)
def test_everyone_can_use_it_at_any_width(
    page: Page, axe: Callable[[Page], None], site: str, path: str
) -> None:
    page.goto(f"{site}{path}")
    axe(page)
    page.set_viewport_size({"width": 320, "height": 800})
    for size in ("100%", "200%"):
        page.evaluate("size => { document.documentElement.style.fontSize = size }", size)
        assert page.evaluate("document.documentElement.scrollWidth") == 320


def test_the_names_of_documents_are_whole(page: Page, site: str) -> None:
    page.goto(f"{site}/doc")
    lines = "all => all.map(each => each.getClientRects().length)"
    names = page.locator(".pages b")
    assert names.count() > 5 and set(names.evaluate_all(lines)) == {1}


def test_a_training_is_followed(page: Page, site: str, runs: Path) -> None:
    folder = training(runs, "live.train", 3)
    held = lock.acquire(folder / "training")
    page.goto(f"{site}/lab/run/live.train")
    expect(page.locator("#stands")).to_contain_text("300 games")
    page.get_by_role("button", name="Pause updates").press("Enter")
    (folder / "curve.csv").write_text(CURVE + "400,5000,6728,2041,0.02,79390,1.0\n")
    page.wait_for_timeout(3000)  # it asks every two seconds
    expect(page.locator("#stands")).to_contain_text("300 games")
    page.get_by_text("The figures as a table").click()
    page.get_by_role("button", name="Resume updates").press("Enter")
    page.get_by_text("The figures as a table").focus()
    expect(page.locator("#stands")).to_contain_text("400 games", timeout=30_000)
    expect(page.locator("#figures table")).to_be_visible()
    expect(page.locator("#figures summary")).to_be_focused()
    lock.release(folder / "training", held)


@pytest.mark.parametrize("status", [401, 403])  # 403: signed in as an owner since
def test_a_page_of_the_lab_is_loaded_again_where_its_session_ended(
    page: Page, site: str, runs: Path, problems: list[str], status: int
) -> None:
    name = f"night{status}.train"
    folder = training(runs, name, 3)
    held = lock.acquire(folder / "training")
    page.goto(f"{site}/lab/run/{name}")
    expect(page.locator("#stands")).to_be_visible()
    page.route(f"**/{name}*", lambda route: route.fulfill(status=status, body="Sign in."))
    page.route("**/parts", lambda route: route.fulfill(status=status))
    expect(page.locator("body")).to_have_text("Sign in.", timeout=30_000)
    lock.release(folder / "training", held)
    problems.clear()
