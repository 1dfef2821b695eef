"""A class lives on the server: students submit bots, the ladder plays, the staff runs it all."""

import re
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI
from playwright.sync_api import Browser, ConsoleMessage, Page, expect

from arena.bots import course
from arena.bots.package import open_bot
from tests.browser.conftest import PATIENCE_MS
from tests.right_bot import RIGHT
from tests.web.conftest import course_app, serving
from tests.web.test_staff import NOW

pytestmark = pytest.mark.slow

expect.set_options(timeout=PATIENCE_MS)
LADDER = """
[tournament]
format = "ladder"
rounds = 500
sandbox = "none"
concurrency = 1
[game]
rules = "dots"
rows = 2
cols = 2
[openings]
plies = 0
[[player]]
from = ".."
[[player]]
bot = "monkey"
"""
KNOWS = RIGHT.replace("import sys", "import sys\nimport time").replace(
    '"start":\n', '"start":\n        on_ladder = request["variant"]["rows"] == 2\n'
)
SLOW = KNOWS.replace("        move =", "        time.sleep(0.1 * on_ladder)\n        move =")
BROKEN = RIGHT.replace("        move =", '        print("thinking")\n        move =')
SECRET = "<b>bob's secret</b>"
LOSES = SLOW.replace(
    "        reply =",
    f"""        if on_ladder and request["ply"] > 6:
            print("{SECRET}", file=sys.stderr)
            move = "nowhere"
        reply =""",
)
"""It is right on the boards of the check, and not on those of the ladder."""


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FastAPI]:
    """The server of a course whose ladder is one of small boards. Cem has a bot already."""
    monkeypatch.setenv("ARENA_CACHE_DIR", str(tmp_path / "cache"))
    folder = tmp_path / "course"
    course.init(folder)
    course.add_owners(folder, ["cem"], NOW)
    (tmp_path / "bot.py").write_text(SLOW.replace("[0]", "[-1]"))
    bot = course.admitted(folder, open_bot(tmp_path / "bot.py"), "cem", NOW)
    course.submit(folder, bot, (), "cem", NOW)
    (folder / "tournaments" / "ladder.toml").write_text(LADDER)
    made = course_app(folder)
    yield made
    for child in list(made.state.course.scheduler._children.values()):
        child.kill()
        child.wait()


class Person:
    """A person of the class, in a browser of its own."""

    def __init__(self, browser: Browser, problems: list[str]) -> None:
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        context.set_default_timeout(PATIENCE_MS)
        self.page = context.new_page()
        self.page.on("console", self._note)
        self._problems = problems
        self.page.on("pageerror", lambda error: problems.append(str(error)))

    def _note(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self._problems.append(f"{message.location['url']}: {message.text}")

    def hands_in(self, text: str) -> None:
        """A `bot.py` on the person's page, until it is checked."""
        file = {"name": "bot.py", "mimeType": "text/x-python", "buffer": text.encode()}
        self.page.get_by_label("File").set_input_files(file)
        self.page.get_by_role("button", name="Check it").click()

    def presses(self, name: str, answer: str) -> None:
        """A button, and reads the answer."""
        self.page.get_by_role("button", name=name, exact=True).click()
        expect(self.page.locator(".answer")).to_contain_text(answer)

    def reloads_until(self, holds: Callable[[], object]) -> None:
        """Once a second: what is waited for needs the time of the machine too."""
        while not holds():
            self.page.wait_for_timeout(1000)
            self.page.reload()


@pytest.fixture
def person(browser: Browser, problems: list[str]) -> Iterator[Callable[[], Person]]:
    people = list[Person]()

    def come() -> Person:
        people.append(Person(browser, problems))
        return people[-1]

    yield come
    for each in people:
        each.page.context.close()
    assert not problems


def test_a_class(app: FastAPI, person: Callable[[], Person], page: Page, tmp_path: Path) -> None:
    with serving(app) as url:
        staff, visitor = person(), person()
        staff.page.goto(f"{url}/in/{app.state.course.people.staff_token}")
        links = owners_come(staff)
        links["cem"] = f"{url}/in/{course.renew(app.state.settings.course, 'cem')}"
        ada, bob, cem = (come_in(person(), links[name]) for name in ("ada", "bob", "cem"))
        ada.hands_in(SLOW)
        expect(ada.page.locator("#bots")).to_contain_text("Version 1 plays")
        bob.hands_in(BROKEN)
        expect(bob.page.locator("#checks")).to_contain_text("refused")
        expect(bob.page.locator("#checks")).to_contain_text("thinking")
        bob.hands_in(LOSES)
        expect(bob.page.locator("#bots")).to_contain_text("Version 1 plays")
        expect(cem.page.locator("#bots")).to_contain_text("Version 1 plays")

        staff.page.goto(f"{url}/staff")
        staff.presses("Start ladder", "ladder is played as soon as no other is")
        boards_move(visitor, url)
        lost = a_lost_game_is_found(bob, url)
        for other in (cem, visitor):
            other.page.goto(f"{url}{lost}")
            expect(other.page.locator("#game-view")).to_contain_text("nowhere")
            expect(other.page.locator("#game-view")).not_to_contain_text(SECRET)
        visitor.page.goto(url)  # the ladder's page loads itself anew as players join or leave

        bob_is_excluded(staff, bob, url)
        the_table_is_frozen(staff, visitor, url)
        staff.page.goto(f"{url}/staff")
        with staff.page.expect_download() as download:
            staff.page.get_by_role("link", name="Export as ZIP").click()
        download.value.save_as(tmp_path / "all.zip")
        staff.page.goto(f"{url}/staff/t/ladder")
        staff.presses("Pause", "ladder is paused")
        title = staff.page.get_by_role("heading", level=1)
        staff.reloads_until(lambda: "ladder paused" in title.inner_text())
        for each in (staff, visitor, ada, bob, cem):
            each.page.goto("about:blank")  # a live page complains of a server that is gone
    the_report_opens_from_disk(page, tmp_path)


def owners_come(staff: Person) -> dict[str, str]:
    """Their links, as the staff reads them."""
    staff.page.get_by_label("Names of new owners").fill("ada\nbob")
    staff.presses("Add owners", "2 owners are new")
    rows = staff.page.locator(".answer tbody tr").all_inner_texts()
    staff.page.reload()
    expect(staff.page.locator(".answer")).to_have_count(0)
    return dict(row.split("\t") for row in rows)


def come_in(person: Person, link: str) -> Person:
    person.page.goto(link)
    expect(person.page.get_by_role("heading", level=1)).to_contain_text("my bots")
    return person


def boards_move(visitor: Person, url: str) -> None:
    """An open page follows the ladder from its list to its boards and figures."""
    visitor.page.goto(url)
    link = visitor.page.get_by_role("link", name="ladder")
    visitor.reloads_until(link.count)
    link.click()
    slot = visitor.page.locator(".slot").first
    expect(slot.locator(".edge.drawn").nth(2)).to_be_attached()
    facts = visitor.page.locator("#facts")
    before = facts.inner_text()
    expect(facts).not_to_have_text(before)
    expect(visitor.page.locator("#standings")).to_contain_text("monkey")


def a_lost_game_is_found(bob: Person, url: str) -> str:
    """Its address, from the list of losses; its page has what the bot wrote, and was sent."""
    lost = bob.page.locator("#losses tbody a")
    bob.page.goto(f"{url}/me")
    bob.reloads_until(lost.count)
    expect(bob.page.locator("#losses")).to_contain_text(SECRET)
    more = "link => { for (let n = 0; n < 3; n++) link.after(' ', link.cloneNode(true)); }"
    lost.first.evaluate(more)
    cells = bob.page.locator("#losses th")
    cut = "cells => cells.filter(cell => cell.scrollWidth > cell.clientWidth + 1).length"
    assert cells.evaluate_all(cut) == 0, "each link to a lost game is in sight"
    address = lost.first.get_attribute("href")
    lost.first.click()
    expect(bob.page.locator("#game-view .stderr")).to_contain_text(SECRET)
    with bob.page.expect_download() as sent:
        bob.page.get_by_role("link", name="What bob was sent").click()
    assert sent.value.suggested_filename == "bob.jsonl"
    assert sent.value.path().read_text().startswith('{"type":"start"')
    assert address is not None
    return address


def bob_is_excluded(staff: Person, bob: Person, url: str) -> None:
    staff.page.goto(f"{url}/staff/bot/bob")
    staff.presses("Exclude bob", "bob is excluded")
    bob.page.goto(f"{url}/me")
    expect(bob.page.locator("#bots")).to_contain_text("Excluded by the staff")
    staff.page.goto(f"{url}/staff/t/ladder")
    staff.presses("Take new bots", "takes the bots as they are now")
    players = staff.page.get_by_label("Leave out from now on")
    staff.reloads_until(lambda: players.count() and "bob" not in players.inner_text())
    expect(players).to_contain_text("cem")


def the_table_is_frozen(staff: Person, visitor: Person, url: str) -> None:
    """An open page of the public is loaded again, and stands still while the ladder goes on."""
    visitor.page.goto(f"{url}/t/ladder")
    staff.page.goto(f"{url}/staff/t/ladder")
    staff.presses("Freeze", "as it was then")
    expect(visitor.page.get_by_text("This table is frozen")).to_be_visible()
    facts = visitor.page.locator("#facts").inner_text()
    staff.page.goto(f"{url}/t/ladder")
    expect(staff.page.get_by_text("This table is frozen")).to_have_count(0)
    before = staff.page.locator("#facts").inner_text()
    expect(staff.page.locator("#facts")).not_to_have_text(before)
    visitor.page.reload()
    assert visitor.page.locator("#facts").inner_text() == facts


def the_report_opens_from_disk(page: Page, folder: Path) -> None:
    """The file of the class, for all: whole without a network, and without what bots wrote."""
    with zipfile.ZipFile(folder / "all.zip") as archive:
        names = archive.namelist()
        archive.extract("reports/ladder.public.html", folder)
        whole = archive.read("reports/ladder.staff.html")
    assert any(re.fullmatch(r"submissions/bob/\w+/tree/bot\.py", name) for name in names)
    asked = list[str]()
    page.on("request", lambda request: asked.append(request.url))
    page.context.set_offline(True)
    page.goto((folder / "reports/ladder.public.html").as_uri())
    expect(page.locator("#standings")).to_contain_text("cem")
    page.get_by_role("link", name="Games", exact=True).click()
    page.locator("#games-table tbody a").first.click()
    expect(page.locator("#game-view .board").first).to_be_visible()
    assert all(url.startswith(("file:", "data:", "blob:")) for url in asked)
    assert "secret" not in page.content()
    assert len(whole) > 10_000
