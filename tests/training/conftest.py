"""What the tests of training share."""

from pathlib import Path

import pytest

from arena.sandbox.features import usable_cores
from arena.tournament.executors import local


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures take longer than the games; tests that look at them draw them."""
    monkeypatch.setattr("players.learning.pictures.save_figure", lambda *_: None)


@pytest.fixture
def one_core(monkeypatch: pytest.MonkeyPatch) -> None:
    """Games under the referee come one after the other, on the same two players: most of what a
    game costs is their start.
    """
    cores = usable_cores()[:1]
    monkeypatch.setattr(local, "usable_cores", lambda: cores)
