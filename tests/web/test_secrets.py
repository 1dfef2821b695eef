"""What an owner's bots write and are made of, on every page and for each role."""

import io
import json
import re
import zipfile
from itertools import product
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute

from arena.reports.html.audience import PUBLIC, STAFF, Audience
from arena.reports.html.one_file import write_report
from arena.tournament.events import GameVoid
from arena.tournament.run_view import RunView
from arena.web.app import ROUTERS
from arena.web.news import News
from tests.reports.html.test_one_file import blocks
from tests.right_bot import RIGHT

from .conftest import TestClient
from .test_mine import Browser, app, browser, folder, hand_in, play, tokens

__all__ = ["app", "browser", "folder", "tokens"]
FAILS = RIGHT.replace(
    '"move": move}', '"move": move, "info": {"text": f"SECRET-info {__file__}"}}'
).replace(
    "        move =",
    """        print("SECRET-stderr", __file__, file=sys.stderr, flush=True)
        if request["ply"] == 2:
            raise ValueError("SECRET-crash")
        if request["ply"] == 3:
            print(__file__, flush=True)
        move =""",
)
NAMES = {
    "/t/{name}": ["cup"],
    "/api/runs/{name}": ["cup"],
    "/staff/t/{name}": ["cup"],
    "/staff/bot/{name}": ["ada", "bob"],
}
"""Where a name is not one that is nowhere."""
VALUES = {"game": ["g0001", "g0002"], "seat": ["0", "1"], "version": ["ada@1"]}


@pytest.fixture
def course(folder: Path) -> Path:
    """Ada's bot crashes as the first, and as the second answers with its own path."""
    hand_in(folder, "ada", FAILS)
    hand_in(folder, "bob", RIGHT)
    play(folder)
    return folder


def addresses() -> list[str]:
    """Those that are read, with all values that are known of their parts; no streams."""
    routes = (route for router in ROUTERS for route in router.routes)
    paths = [each.path for each in routes if isinstance(each, APIRoute) and "GET" in each.methods]
    return [at for path in paths if not path.endswith("/live") for at in filled(path)]


def filled(path: str) -> list[str]:
    names = next((NAMES[start] for start in NAMES if path.startswith(start)), ["none"])
    parts = re.findall(r"{(\w+)}", path)
    values = product(*(VALUES.get(part, names) for part in parts))
    return [path.format(**dict(zip(parts, each, strict=True))) for each in values]


def read(client: TestClient, address: str) -> str:
    """All that an answer holds, with its headers, and the files of a ZIP."""
    answer = client.get(address, follow_redirects=False)
    if not answer.content.startswith(b"PK"):
        return f"{dict(answer.headers)} {answer.text}"
    with zipfile.ZipFile(io.BytesIO(answer.content)) as files:
        return "".join(f"{name} {files.read(name).decode('latin-1')}" for name in files.namelist())


def test_no_page_shows_others_what_is_an_owners(
    app: FastAPI, browser: Browser, course: Path
) -> None:
    visitors = {"anyone": TestClient(app), "bob": browser("bob"), "ada": browser("ada")}
    seen = {(who, at): read(client, at) for who, client in visitors.items() for at in addresses()}
    places = [each for each, text in seen.items() if str(course) in text]
    assert not places, "the place of the course is shown"
    leaks = [(who, at) for (who, at), text in seen.items() if who != "ada" and "SECRET" in text]
    assert not leaks
    own = "".join(text for (who, _), text in seen.items() if who == "ada")
    assert all(f"SECRET-{what}" in own for what in ("stderr", "crash", "info"))
    assert "This line is not JSON: `bot.py`" in seen["bob", "/t/cup"]


def test_no_message_of_a_stream_names_a_folder(course: Path) -> None:
    with RunView(course / "runs" / "cup.sqlite") as view:
        ada = next(each.home.package for each in view.config.players if each.name == "ada")
        why = f"The referee's host failed: [Errno 13] Permission denied: '{ada}/bot.py'."
        news, void = News(), GameVoid(game="g0001", attempt=1, detail=why, replayed=True)
        news.since(view, [])
        (name, told), *_ = news.since(view, [void])
    assert (name, json.loads(told)["detail"]) == ("void", why.replace(f"{ada}/", ""))


def test_no_report_for_others_shows_it(course: Path, tmp_path: Path) -> None:
    own = Audience(reads=frozenset({"ada"}))
    with RunView(course / "runs" / "cup.sqlite") as view:
        for audience in (STAFF, own, PUBLIC):
            write_report(view, audience, tmp_path / "cup.html")
            text = (tmp_path / "cup.html").read_text(encoding="utf-8")
            text += str(blocks(text))
            assert ("SECRET" in text) == (audience is not PUBLIC)
            assert (str(course) in text) == (audience is STAFF)
