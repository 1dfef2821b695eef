"""What strangers wrote is shown as text and commands nothing, on every view."""

from collections.abc import Callable
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from arena.model.record import GameRecord
from tests.browser.conftest import write_file
from tests.reports.conftest import play_record

pytestmark = pytest.mark.slow

SCRIPT = "<script>window.stolen = 1</script>"
PICTURE = "\"'><img src=x onerror='window.stolen = 1'>"
TURNED = "\u202egnp.\u2066exe"
COLOURED = "\x1b[31mred\x07"
LONG = "n" * 10_000
TEXTS = (SCRIPT, PICTURE, TURNED, COLOURED, LONG)
SEEN = ("\u202e", "\u2066", "\x1b", "\x07")
"""Characters that no page may show as they are."""


def hostile(number: int) -> GameRecord:
    """A game in which both players say the worst."""
    names = (f"one{SCRIPT}{TURNED}", f"two{PICTURE}{COLOURED}{LONG}")
    log = "\n".join(TEXTS) + "</script></pre>"
    record = play_record("dots", *names, seed=number, game=f"g{number}", stderr=log, rows=2, cols=2)
    told = [
        move.model_copy(update={"info": {"text": TEXTS[ply % 5], "pv": [TEXTS[ply % 5]]}})
        for ply, move in enumerate(record.moves)
    ]
    return record.model_copy(update={"moves": tuple(told), "detail": SCRIPT})


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    names = [seat.player for seat in hostile(0).seats]
    settings = {"game": "g9", "forfeit": 1, "stderr": SCRIPT, "rows": 2, "cols": 2}
    forfeited = play_record("dots", *names, **settings)
    games = [*map(hostile, range(2)), forfeited.model_copy(update={"detail": PICTURE + TURNED})]
    return write_file(tmp_path_factory.mktemp("hostile"), games)


@pytest.mark.parametrize(
    "hash_",
    [
        "",
        "#games",
        f"#games?player={quote(SCRIPT)}",
        "#game/g9",
        "#game/g0/1",
        "#player/two",
        f"#player/{quote(SCRIPT + TURNED)}%ff",
    ],
)
def test_no_view_is_commanded(hash_: str, report: str, page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(report + hash_)
    page.wait_for_function("document.querySelector('main section:not([hidden])')?.textContent")
    if hash_ == "#player/two":
        page.goto(report)
        page.locator("#standings th a").last.click()
        expect(page.locator("#player-view h3").first).to_be_visible()
    for _ in range(6):
        page.keyboard.press("ArrowRight")
    assert page.evaluate("window.stolen") is None
    assert not any(character in page.locator("body").inner_text() for character in SEEN)
    assert all(url.startswith(("file:", "data:")) for url in asked)
    page.set_viewport_size({"width": 320, "height": 700})
    assert page.evaluate("document.documentElement.scrollWidth") == 320


def test_they_can_still_be_read(report: str, page: Page, axe: Callable[[Page], None]) -> None:
    page.goto(f"{report}#game/g0/1")
    expect(page.locator(".caption")).to_contain_text(SCRIPT)
    expect(page.locator("#game-view .stderr").first).to_contain_text("\\u202egnp.\\u2066exe")
    expect(page.locator("#game-view .stderr").first).to_contain_text("\\x1b[31mred\\x07")
    axe(page)
