"""Versions of bots are downloaded as they are kept, by their owner and the staff."""

import gc
import io
import random
import zipfile
from contextlib import suppress
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
from fastapi import FastAPI

from arena.bots import course
from arena.bots.package import open_bot
from tests.right_bot import RIGHT

from .conftest import TestClient, serving, wait_for
from .test_mine import NOW, Browser, app, browser, folder, hand_in, tokens

__all__ = ["app", "browser", "folder", "tokens"]
FOX = 'name = "fox"\nrules = ["dots"]\ncommand = ["./bot"]\n'


@pytest.fixture
def fox(folder: Path, tmp_path: Path) -> Path:
    """The folder of a bot of Ada's that was accepted."""
    made = tmp_path / "fox"
    (made / "data").mkdir(parents=True)
    (made / "bot.toml").write_text(FOX)
    (made / "data" / "böök.txt").write_text("e4")
    (made / "bot").write_text(RIGHT)
    (made / "bot").chmod(0o755)
    course.submit(folder, course.admitted(folder, open_bot(made), "ada", NOW), (), "ada", NOW)
    return made


def test_a_folder_comes_back_as_it_was_handed_in(
    app: FastAPI, browser: Browser, folder: Path, fox: Path, tmp_path: Path
) -> None:
    ada = browser("ada")
    assert '<a href="/me/bots/fox@1" download>fox<' in ada.get("/me").text
    sent = ada.get("/me/bots/fox@1")
    assert sent.headers["content-type"] == "application/zip"
    assert sent.headers["content-disposition"] == "attachment; filename*=UTF-8''fox-1.zip"
    with zipfile.ZipFile(io.BytesIO(sent.content)) as archive:
        modes = {each.filename: each.external_attr >> 16 for each in archive.infolist()}
        assert archive.read("fox-1/bot").decode() == RIGHT
    assert modes == {
        "fox-1/bot": 0o100755, "fox-1/bot.toml": 0o100644, "fox-1/data/böök.txt": 0o100644,
    }  # fmt: skip
    (tmp_path / "again.zip").write_bytes(sent.content)
    assert open_bot(tmp_path / "again.zip").digest == course.bot(folder, "fox").versions[0].digest


def test_a_single_file_comes_back_as_it_is_once(browser: Browser, folder: Path) -> None:
    for text in (RIGHT, f"{RIGHT}\n"):
        hand_in(folder, "ada", text)
    ada = browser("ada")
    first = ada.get("/me/bots/ada@1")
    assert (first.text, first.headers["content-type"]) == (RIGHT, "application/octet-stream")
    assert first.headers["content-disposition"] == "attachment; filename*=UTF-8''bot.py"
    assert ada.get("/me/bots/ada@2").text == f"{RIGHT}\n"
    known = ada.get("/me/bots/ada@1", headers={"If-None-Match": first.headers["etag"]})
    assert (known.status_code, known.content) == (304, b"")
    for header in ("etag", "cache-control"):
        assert known.headers[header] == first.headers[header]


def test_versions_are_their_owners(
    app: FastAPI, browser: Browser, folder: Path, tokens: dict[str, str]
) -> None:
    hand_in(folder, "ada", RIGHT)
    digest = course.bot(folder, "ada").versions[0].digest
    staff, anyone = TestClient(app), TestClient(app)
    staff.get(f"/in/{app.state.course.people.staff_token}")
    assert 'href="/me/bots/ada@1"' in staff.get("/staff/bot/ada").text
    assert staff.get("/me/bots/ada@1").text == RIGHT
    assert anyone.get("/me/bots/ada@1").status_code == 401
    by_token = {name: {"Authorization": f"Bearer {token}"} for name, token in tokens.items()}
    assert anyone.get(f"/api/bots/ada@{digest[:8]}", headers=by_token["ada"]).text == RIGHT
    for foreign in (browser("bob").get("/me/bots/ada@1"), browser("bob").get("/me/bots/no@1")):
        assert foreign.status_code == 404 and "There is no such bot of yours." in foreign.text
    assert anyone.get("/api/bots/ada@1", headers=by_token["bob"]).status_code == 404
    for name in ("ada@2", "ada", "ada@"):
        refused = anyone.get(f"/api/bots/{name}", headers=by_token["ada"])
        assert refused.status_code == 404
        assert refused.json()["detail"] == f"name a version of ada: ada@1 ({digest[:8]})"
    for name in ("..@1", "%2e%2e", "%00@1", "ada@1%2Freceipt.json", "x" * 5000):
        assert anyone.get(f"/api/bots/{name}", headers=by_token["ada"]).status_code == 404


def test_no_link_is_followed(browser: Browser, folder: Path, fox: Path) -> None:
    (folder.parent / "secret").write_text("of the staff")
    tree = folder / "fox" / course.bot(folder, "fox").versions[0].version / "tree"
    tree.chmod(0o755)
    (tree / "bot").unlink()
    (tree / "bot").symlink_to(folder.parent / "secret")
    refused = browser("ada").get("/me/bots/fox@1")
    assert refused.status_code == 422 and "is not as it was accepted" in refused.text
    assert "of the staff" not in refused.text and str(folder) not in refused.text


def test_a_download_that_is_cut_closes_its_file(
    app: FastAPI, folder: Path, fox: Path, tokens: dict[str, str]
) -> None:
    (fox / "data" / "large").write_bytes(random.Random(1).randbytes(9_900_000))  # beyond buffers
    course.submit(folder, course.admitted(folder, open_bot(fox), "ada", NOW), (), "ada", NOW)
    tree = folder / "fox" / course.bot(folder, "fox").versions[1].version / "tree"

    def is_open() -> bool:
        found = set[Path]()
        for descriptor in Path("/proc/self/fd").iterdir():
            with suppress(FileNotFoundError):
                found.add(descriptor.readlink())
        return tree / "data" / "large" in found

    gc.disable()
    try:
        with serving(app) as url:
            by_token = {"Authorization": f"Bearer {tokens['ada']}"}
            with urlopen(Request(f"{url}/api/bots/fox@2", headers=by_token)) as sent:
                sent.read(100_000)
                assert is_open()
            wait_for(lambda: not is_open(), 10)
    finally:
        gc.enable()
