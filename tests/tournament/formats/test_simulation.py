"""The simulations of tournaments/README.md run."""

import pytest

from tournaments.experiments import formats


@pytest.mark.slow
@pytest.mark.parametrize("name", ["knockout", "ladder"])
def test_a_trial(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(formats, "BOTS", 8)
    games, _, tau = formats.trial(name, 2, {}, seed=1)
    assert games >= 16 and -1 <= tau <= 1


def test_a_stopped_trial() -> None:
    games, claimed, wrong = formats.stopped("round-robin", [0, -600], 1, 60, seed=1)
    assert claimed and not wrong and games < 120
