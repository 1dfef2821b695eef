"""The pages of a course: everyone can use them. Other files judge those of a run and of the lab."""

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Page, expect

from arena.bots import course
from arena.web.app import ServerSettings, make_app
from tests.web.conftest import serving
from tests.web.test_staff import NOW, write_course

pytestmark = pytest.mark.slow

PAGES = {
    "nobody": ("/", "/in"),
    "cat": ("/me", "/play"),
    "staff": ("/staff", "/staff/t/cup", "/staff/bot/cat"),
}
"""Addresses, by whose they are."""


class Site(NamedTuple):
    """The server of a course."""

    url: str
    tokens: dict[str, str]
    """What lets people in."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = write_course(tmp_path_factory.mktemp("class"))
    app = make_app(ServerSettings(course=folder, runs=folder / "runs"))
    tokens = {"cat": course.renew(folder, "cat"), "staff": app.state.course.people.staff_token}
    with serving(app) as url:
        yield Site(url, tokens)


@pytest.mark.parametrize(("who", "at"), [(who, at) for who in PAGES for at in PAGES[who]])
def test_everyone_can_use_it(
    who: str, at: str, site: Site, page: Page, axe: Callable[[Page], None]
) -> None:
    if who != "nobody":
        page.goto(f"{site.url}/in/{site.tokens[who]}")
    page.goto(f"{site.url}{at}")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    axe(page)


@pytest.mark.parametrize("width", [390, 1280])
def test_the_buttons_of_the_staff_are_on_the_screen(site: Site, page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{site.url}/in/{site.tokens['staff']}")
    buttons = page.locator("td button")
    expect(buttons.filter(has_text="Revoke cat")).to_be_visible()
    right = buttons.evaluate_all("all => all.map(each => each.getBoundingClientRect().right)")
    assert len(right) == 8 and max(right) < width
    assert page.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize("width", [360, 1280])
def test_a_long_name_leaves_all_owners_on_the_screen(
    tmp_path: Path, page: Page, width: int
) -> None:
    folder = write_course(tmp_path)
    course.add_owners(folder, ["maximiliane-wolkenstein-von-hohenlohe-langenburg"], NOW)
    app = make_app(ServerSettings(course=folder, runs=folder / "runs"))
    page.set_viewport_size({"width": width, "height": 900})
    with serving(app) as url:
        page.goto(f"{url}/in/{app.state.course.people.staff_token}")
        owners = page.get_by_role("region", name="Owners")
        expect(owners).to_contain_text("maximiliane")
        assert owners.evaluate("each => each.scrollWidth - each.clientWidth") == 0
        page.set_viewport_size({"width": 800, "height": 900})
        button = owners.get_by_role("button", name="New link for maximiliane")
        assert button.evaluate("each => each.offsetHeight") < 120, "a word a line"
    page.goto("about:blank")


def test_nobody_is_left_out_who_was_not_chosen(site: Site, page: Page) -> None:
    page.goto(f"{site.url}/in/{site.tokens['staff']}")
    page.goto(f"{site.url}/staff/t/cup")
    page.get_by_role("button", name="Leave out").click()
    assert page.get_by_label("Leave out from now on").evaluate("each => each.matches(':invalid')")
    assert "?answer" not in page.url


def test_a_form_sent_twice_shows_the_links_of_new_owners(
    site: Site, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    add = course.add_owners

    def slowly(*asked: Any) -> dict[str, str]:
        time.sleep(0.5)
        return add(*asked)

    monkeypatch.setattr(course, "add_owners", slowly)
    page.goto(f"{site.url}/in/{site.tokens['staff']}")
    page.get_by_label("Names of new owners").fill("dee")
    page.get_by_role("button", name="Add owners").focus()
    page.keyboard.press("Enter")
    page.wait_for_timeout(100)
    page.keyboard.press("Enter")
    expect(page.locator(".answer td")).to_contain_text("/in/")


def test_the_answer_of_a_form_is_read_out(site: Site, page: Page) -> None:
    page.goto(f"{site.url}/in/{site.tokens['staff']}")
    names = page.get_by_label("Names of new owners")
    names.fill("../dee")
    page.get_by_role("button", name="Add owners").press("Enter")
    expect(page.get_by_role("alert")).to_be_focused()
    expect(names).to_have_attribute("aria-invalid", "true")
    expect(names).to_have_accessible_description(re.compile('"../dee"'))
    page.get_by_role("button", name="Revoke cat").press("Enter")
    expect(page.get_by_text("The link of cat is no longer valid").locator("..")).to_be_focused()
    expect(names).not_to_have_attribute("aria-invalid", "true")
