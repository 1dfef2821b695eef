"""What the tests of commands share: a small tournament, and a run of it."""

import contextlib
import shutil
from pathlib import Path

import pytest

from tests.command import arena

MONKEYS = """
[tournament]
rounds = {rounds}
concurrency = 1
sandbox = "none"
[game]
rules = "dots"
rows = 2
cols = 2
[clock]
move_ms = 1000
[openings]
plies = 2
[[player]]
bot = "monkey"
[[player]]
bot = "greedy"
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, with a small tournament file `t.toml`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.toml").write_text(MONKEYS.format(rounds=2))
    return tmp_path


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run of `t.toml`, played once."""
    folder = tmp_path_factory.mktemp("played")
    (folder / "t.toml").write_text(MONKEYS.format(rounds=2))
    with contextlib.chdir(folder):
        assert arena("run", "t.toml").exit_code == 0
    return folder / "runs"


@pytest.fixture
def finished(folder: Path, played: Path) -> Path:
    """The file of a finished run of `t.toml`, a test's own."""
    shutil.copytree(played, folder / "runs")
    return folder / "runs/t.sqlite"
