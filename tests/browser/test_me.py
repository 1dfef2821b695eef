"""An owner's page in a browser: a bot is submitted, its check goes on by itself."""

import os
import re
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from arena.bots import course
from tests.browser.conftest import first_is_dead
from tests.right_bot import RIGHT
from tests.web import quick_challenger
from tests.web.conftest import course_app, serving
from tests.web.test_mine import hand_in

pytestmark = pytest.mark.slow

NOW = datetime(2026, 11, 1, 12, tzinfo=UTC)


@pytest.fixture
def ada(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page: Page) -> Iterator[Page]:
    """Ada's page, of a course without bots."""
    monkeypatch.setenv("ARENA_CACHE_DIR", str(tmp_path / "cache"))
    folder = tmp_path / "course"
    course.init(folder)
    token = course.add_owners(folder, ["ada"], NOW)["ada"]
    app = course_app(folder)
    app.state.course.challenges.jobs.command = (sys.executable, quick_challenger.__file__)
    with serving(app) as url:
        page.goto(f"{url}/in/{token}")
        yield page
        page.goto("about:blank")  # the server would break off what the page still hears


def test_from_a_file_to_two_games(ada: Page, axe: Callable[[Page], None]) -> None:
    ada.wait_for_selector("text=No bots yet")
    file = {"name": "bot.py", "mimeType": "text/x-python", "buffer": RIGHT.encode()}
    ada.set_input_files("input[type=file]", files=[file])
    ada.click("text=Check it")
    ada.wait_for_selector("#checks li >> text=package safety")
    ada.wait_for_selector("#bots >> text=Version 1 plays.")
    assert ada.locator("#facts b").first.inner_text() == "1"
    axe(ada)
    ada.select_option("select[name=rules]", "dots")
    ada.click("#challenges button")
    ada.wait_for_selector(".matches >> text=ada against monkey")
    expect(ada.locator(".matches a")).to_have_text("ada against monkey")
    expect(ada.locator(".matches .live")).to_have_count(0)  # by itself
    ada.click("text=Withdraw")
    ada.wait_for_selector("text=Withdrawn.")
    ada.click("text=Sign out")
    ada.wait_for_selector("nav >> text=Sign in")


def test_a_check_is_followed_again_after_a_bad_gateway(ada: Page, problems: list[str]) -> None:
    def fail(route: Route) -> None:
        route.fulfill(status=502)

    ada.route("**/me/check/*/live", fail, times=1)
    file = {"name": "bot.py", "mimeType": "text/x-python", "buffer": RIGHT.encode()}
    with ada.expect_response(lambda answer: answer.status == 502):
        ada.set_input_files("input[type=file]", files=[file])
        ada.click("text=Check it")  # which takes longer than the page to come again
    ada.wait_for_selector("#bots >> text=Version 1 plays.")
    expect(ada.locator("#status")).to_contain_text("accepted")
    problems.clear()


def test_a_check_is_not_followed_on_once_its_owner_has_signed_out(
    ada: Page, problems: list[str]
) -> None:
    ada.route("**/me/check/*/live", lambda route: route.fulfill(status=401))
    file = {"name": "bot.py", "mimeType": "text/x-python", "buffer": RIGHT.encode()}
    ada.set_input_files("input[type=file]", files=[file])
    asked = "() => document.querySelector('[data-live]')"
    ada.click("text=Check it")
    ada.wait_for_function(asked)
    ada.context.clear_cookies()
    ada.wait_for_selector("text=Sign in")
    problems.clear()


def test_the_check_of_another_owner_leaves_the_page_once_its_browser_is_signed_in_anew(
    ada: Page, tmp_path: Path, problems: list[str]
) -> None:
    """In another tab, while the stream was away."""
    token = course.add_owners(tmp_path / "course", ["bob"], NOW)["bob"]
    ada.route("**/me/check/*/live", lambda route: route.fulfill(status=502))
    file = {"name": "bot.py", "mimeType": "text/x-python", "buffer": RIGHT.encode()}
    ada.set_input_files("input[type=file]", files=[file])
    ada.click("text=Check it")
    ada.wait_for_selector("[data-live]")
    ada.context.clear_cookies()
    ada.context.request.get(ada.url.replace("/me", f"/in/{token}").partition("#")[0])
    ada.unroute("**/me/check/*/live")
    ada.wait_for_selector("text=No bots yet")
    expect(ada.locator("[data-live]")).to_have_count(0)
    problems.clear()


def test_a_check_whose_connection_is_dead_is_followed_again(ada: Page) -> None:
    """As after a sleep."""
    dead = first_is_dead(ada, "**/me/check/*/live")
    ada.reload()
    file = {"name": "bot.py", "mimeType": "text/x-python", "buffer": RIGHT.encode()}
    ada.set_input_files("input[type=file]", files=[file])
    ada.click("text=Check it")
    ada.wait_for_selector("#bots >> text=Version 1 plays.")
    assert dead


def test_a_check_that_ends_takes_the_focus_of_its_button(ada: Page) -> None:
    held: list[Route] = []
    ada.route("**/me/check/*/live", lambda route: held.append(route))
    file = {"name": "bot.py", "mimeType": "text/x-python", "buffer": RIGHT.encode()}
    ada.set_input_files("input[type=file]", files=[file])
    with ada.expect_request("**/me/check/*/live"):
        ada.click("text=Check it")  # which takes longer than the page to come again
    cancel = ada.get_by_role("button", name="Cancel the check")
    cancel.focus()
    held[0].continue_()
    expect(cancel).to_have_count(0)
    expect(ada.locator("#checks article")).to_be_focused()


def test_a_version_stays_chosen_when_a_check_ends(ada: Page, tmp_path: Path) -> None:
    for text in (RIGHT, f"{RIGHT}\n"):
        hand_in(tmp_path / "course", "ada", text)
    ada.reload()
    held: list[Route] = []
    ada.route("**/me/check/*/live", lambda route: held.append(route))
    file = {"name": "bot.py", "mimeType": "text/x-python", "buffer": f"{RIGHT}\n\n".encode()}
    ada.set_input_files("input[type=file]", files=[file])
    with ada.expect_request("**/me/check/*/live"):
        ada.click("text=Check it")  # which takes longer than the page to come again
    ada.select_option("select[name=against]", "ada@1")
    held[0].continue_()
    expect(ada.locator("select[name=against] option", has_text="ada@2")).to_have_count(1)
    expect(ada.locator("select[name=against]")).to_have_value("ada@1")
    expect(ada.locator("select[name=bot]")).to_have_value("ada")


def test_a_check_is_followed_beyond_the_deadline(ada: Page, tmp_path: Path) -> None:
    file = {"name": "bot.py", "mimeType": "text/x-python", "buffer": RIGHT.encode()}
    ada.set_input_files("input[type=file]", files=[file])
    ada.click("text=Check it")
    ada.wait_for_selector("#checks article")
    (tmp_path / "course" / "course.toml").write_text("deadline = 2026-01-01T00:00:00Z\n")
    ada.reload()
    ada.wait_for_selector("#upload >> text=no bot is taken any more")
    ada.wait_for_selector("#checks article >> text=/accepted|refused/")


def test_a_game_is_chosen_with_its_time(ada: Page, tmp_path: Path) -> None:
    fast = '[game]\nrules = "dots"\n[clock]\nmove_ms = 100\n'
    (tmp_path / "course" / "tournaments" / "fast.toml").write_text(fast)
    hand_in(tmp_path / "course", "ada", RIGHT)
    ada.reload()
    time = ada.locator("select[name=move_ms]")
    expect(time).to_have_value("100")
    ada.select_option("select[name=rules]", "tournaments/ladder")
    expect(time).to_have_value("1000")
    ada.set_viewport_size({"width": 320, "height": 900})
    assert ada.evaluate("document.documentElement.scrollWidth") == 320


def test_a_file_that_was_changed_after_it_was_chosen(ada: Page, tmp_path: Path) -> None:
    script = tmp_path / "bot.py"
    script.write_text(RIGHT)
    ada.set_input_files("input[type=file]", script)
    os.utime(script, (0, 0))
    ada.click("text=Check it")
    ada.wait_for_selector("#upload-said >> text=was changed or moved since it was chosen")
    ada.set_input_files("input[type=file]", script)
    ada.click("text=Check it")
    ada.wait_for_selector("#bots >> text=Version 1 plays.")


def test_a_file_that_is_dropped(ada: Page) -> None:
    drop = "([name, size]) => { const data = new DataTransfer();"
    drop += " data.items.add(new File(['x'.repeat(size)], name)); return data; }"
    large = ada.evaluate_handle(drop, ["big.zip", 10_000_001])
    ada.dispatch_event("form.drop", "drop", {"dataTransfer": large})
    ada.wait_for_selector("#upload-said >> text=more than 10 MB")
    expect(ada.get_by_label("File")).to_have_accessible_description(re.compile("more than 10 MB"))
    noise = ada.evaluate_handle(drop, ["fox.zip", 9])
    ada.dispatch_event("form.drop", "drop", {"dataTransfer": noise})
    ada.wait_for_selector("#checks >> text=is not a zip archive")
    for width in (360, 768):
        ada.set_viewport_size({"width": width, "height": 900})
        assert ada.evaluate("document.documentElement.scrollWidth") == width
