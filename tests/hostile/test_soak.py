"""A short soak; `python -m tests.hostile.soak` is the long one."""

import random
from pathlib import Path

from tests.hostile.soak import soak


def test_disturbed_at_random_every_game_is_judged_by_its_faults(tmp_path: Path) -> None:
    seed = random.SystemRandom().randrange(10**6)
    print(f"seed {seed}")  # noqa: T201 - shown when the test fails
    soak(tmp_path, games=40, seed=seed, sandbox="auto", disturbances=10)
