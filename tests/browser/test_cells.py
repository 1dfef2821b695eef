"""Cells of notebooks are drawn in frames of their own; what strangers wrote commands nothing."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import FrameLocator, Page, expect

import arena
import rules
from arena.errors import UserError
from tests.browser.conftest import write_file
from tests.browser.test_hostile import SEEN, hostile
from tests.browser.tour import shown_by

pytestmark = pytest.mark.slow

Show = Callable[[Any], FrameLocator]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> arena.Run:
    folder = tmp_path_factory.mktemp("cells")
    write_file(folder, [hostile(0), hostile(1)])
    return arena.load_run(folder / "cup.sqlite")


@pytest.fixture
def show(page: Page) -> Show:
    def show(drawn: Any) -> FrameLocator:
        page.set_content(f"<!doctype html><body>{drawn._repr_html_()}</body>")
        return page.frame_locator("iframe")

    return show


def test_tables_are_those_of_the_page(run: arena.Run, show: Show) -> None:
    standings = show(run.standings())
    expect(standings.locator("table.standings tbody tr")).to_have_count(2)
    expect(standings.locator("tbody")).to_contain_text("one<script>")
    expect(show(run.crosstable()).locator("table.cross tbody tr")).to_have_count(2)


def test_a_game_is_stepped_through(run: arena.Run, show: Show, page: Page) -> None:
    cell = show(run.game("g0", ply=3))
    expect(cell.locator("svg.board")).to_be_visible()
    expect(cell.locator(".caption")).to_contain_text("3")
    cell.get_by_role("button", name="Next move").click()
    expect(cell.locator(".caption")).to_contain_text("4")
    for frame in page.frames:
        assert frame.evaluate("window.stolen") is None
    assert not any(character in cell.locator("body").inner_text() for character in SEEN)


@pytest.mark.parametrize(
    ("name", "moves"), [("othello", ["f5", "d6"]), ("dots", ["a1b1"]), ("2048", ["left"])]
)
def test_a_board_is_drawn(name: str, moves: list[str], show: Show) -> None:
    cell = show(arena.board(rules.load(name).start(seed=3), moves))
    expect(cell.locator("svg.board")).to_be_visible()


def test_a_frame_reaches_nothing_of_the_notebook(run: arena.Run, show: Show, page: Page) -> None:
    expect(show(run.game("g0")).locator("svg.board")).to_be_visible()
    (frame,) = page.frames[1:]
    reach = "() => { try { return parent.document.title } catch { return null } }"
    assert frame.evaluate(reach) is None


def test_elsewhere_it_is_text(run: arena.Run) -> None:
    start = rules.load("othello").start()
    assert repr(arena.board(start, ["f5"])) == str(start.play("f5"))
    assert repr(run.board("g0", 0)) == str(run.record("g0").start())
    assert repr(run.game("g0")).startswith("g0: ")
    assert not any(character in repr(run.game("g0")) for character in SEEN)
    with pytest.raises(UserError, match="ply 99: game g0 has 12 moves"):
        run.game("g0", 99)


def test_the_tour_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, show: Show) -> None:
    """Each cell of the tour, and what it ends with, as a notebook shows it."""
    monkeypatch.chdir(tmp_path)
    shown = shown_by(Path(__file__).parents[2] / "tournaments" / "notebook" / "tour.py")
    drawn = [each for each in shown if hasattr(each, "_repr_html_")]
    assert len(drawn) == 5
    for each in drawn:
        expect(show(each).locator("table, svg.board").first).to_be_visible()
