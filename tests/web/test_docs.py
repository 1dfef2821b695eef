"""/doc: every page of the package in HTML, its links, and the starters."""

import io
import re
import zipfile

import pytest

from arena.bots.starter import LANGUAGES, starter_files
from arena.reports.handbook import PAGES, text_of
from arena.web.manual import chapter
from tests.web.conftest import TestClient


def test_the_contents_name_every_page_and_starter(client: TestClient) -> None:
    text = client.get("/doc").text
    assert 'href="/doc" aria-current="page"' in text
    for name in PAGES:
        assert f'href="/doc/{name}"' in text
    for language in LANGUAGES:
        assert f'href="/doc/starter/{language}.zip"' in text


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_shown(client: TestClient, name: str) -> None:
    answer = client.get(f"/doc/{name}")
    assert answer.status_code == 200
    title = re.match("# (.*)", text_of(name))
    assert title is not None
    assert f'">{title[1]}</h1>' in answer.text
    assert "<th></th>" not in answer.text


@pytest.mark.parametrize("name", PAGES)
def test_links_between_pages_lead_somewhere(name: str) -> None:
    for link in re.findall(r'href="([^"]*)"', chapter(name).html):
        target, _, anchor = link.partition("#")
        if target.startswith("https://"):
            continue
        found = chapter(target.removeprefix("/doc/") or name)
        assert not anchor or f'id="{anchor}"' in found.html, link


def test_html_of_a_page_is_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.web.manual.text_of", lambda name: "# A\n<b onclick=x>b</b>\n")
    assert "&lt;b onclick=x&gt;" in chapter.__wrapped__("bots").html


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_starter_is_a_zip_of_what_arena_new_writes(client: TestClient, language: str) -> None:
    answer = client.get(f"/doc/starter/{language}.zip")
    assert answer.headers["content-type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        found = {name: archive.read(name).decode() for name in archive.namelist()}
    wanted = starter_files("mybot", language)
    assert found == {f"mybot/{name}": text for name, text in wanted.items()}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/doc/nothing", "The pages to read are: readme, bots"),
        ("/doc/starter/cobol.zip", "There are starters in: python, cpp"),
    ],
)
def test_what_is_not_there_names_what_is(client: TestClient, path: str, expected: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404
    assert expected in answer.text
