"""Packages of bots, made for the tests of this room; the cache is each test's own."""

from collections.abc import Callable
from pathlib import Path

import pytest

from arena.bots.trees import remove
from arena.errors import SandboxError
from arena.files.cache import CACHE_VARIABLE
from arena.model.containment import Mode
from arena.model.contender import Prepared
from arena.sandbox.probe import resolve

MANIFEST = 'name = "corner"\nrules = ["othello"]\ncommand = ["python3", "bot.py"]\n'
BOT = "print('hello')\n"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv(CACHE_VARIABLE, str(folder))
    return folder


@pytest.fixture(params=["bwrap", "limits", "none"])
def mode(request: pytest.FixtureRequest) -> Mode:
    asked: Mode = request.param
    try:
        return resolve(asked, Prepared(name="bot", command=("/bin/sh",))).mode
    except SandboxError as error:
        pytest.skip(str(error))


Package = Callable[..., Path]


@pytest.fixture
def package(tmp_path: Path) -> Package:
    """Makes a folder with a bot.toml, a bot.py, and files of any other name and text."""

    def make(name: str = "corner", manifest: str = MANIFEST, **files: str) -> Path:
        folder = tmp_path / name
        remove(folder)
        folder.mkdir(parents=True)
        texts = {"bot.toml": manifest, "bot.py": BOT}
        texts |= {file.replace("_", "."): text for file, text in files.items()}
        for file, text in texts.items():
            (folder / file).write_text(text)
        return folder

    return make
