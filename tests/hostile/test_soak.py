"""A short soak; `python -m tests.hostile.soak` is the long one."""

from pathlib import Path

import pytest

from tests.hostile.soak import soak

pytestmark = pytest.mark.slow


def test_disturbed_at_random_every_game_is_judged_by_its_faults(tmp_path: Path) -> None:
    soak(tmp_path, games=40, seed=7, sandbox="auto", disturbances=10)
