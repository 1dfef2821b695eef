"""The fixtures themselves: a page opens from disk, and complaints are heard."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

pytestmark = pytest.mark.slow


def written(folder: Path, body: str) -> str:
    file = folder / "page.html"
    head = "<!doctype html><html lang=en><title>A page</title><body>"
    file.write_text(f"{head}<main><h1>A page</h1>{body}</main>")
    return file.as_uri()


def test_a_page_that_serves_everyone_passes(
    page: Page, axe: Callable[[Page], None], tmp_path: Path
) -> None:
    page.goto(written(tmp_path, "<p>Words.</p>"))
    axe(page)


def test_a_picture_without_words_does_not(
    page: Page, axe: Callable[[Page], None], tmp_path: Path
) -> None:
    page.goto(written(tmp_path, '<img src="data:,">'))
    with pytest.raises(AssertionError, match="image-alt"):
        axe(page)


def test_complaints_are_heard(page: Page, problems: list[str], tmp_path: Path) -> None:
    page.goto(written(tmp_path, "<script>console.error('no board'); missing()</script>"))
    assert any("no board" in problem for problem in problems)
    assert any("missing" in problem for problem in problems)
    problems.clear()
