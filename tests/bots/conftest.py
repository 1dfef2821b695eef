"""Packages of bots, made for the tests of this room; the cache is each test's own."""

from collections.abc import Callable
from pathlib import Path

import pytest

from arena.bots.trees import remove
from arena.files.cache import CACHE_VARIABLE

MANIFEST = 'name = "corner"\nrules = ["othello"]\ncommand = ["python3", "bot.py"]\n'
BOT = "print('hello')\n"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv(CACHE_VARIABLE, str(folder))
    return folder


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
