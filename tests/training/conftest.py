"""What the tests of training share."""

import pytest


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures take longer than the games; tests that look at them draw them."""
    monkeypatch.setattr("players.learning.pictures.save_figure", lambda *_: None)
