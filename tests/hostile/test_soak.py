"""A short soak; `python -m tests.hostile.soak` is the long one."""

import random
from pathlib import Path

from tests.hostile.soak import soak


def test_killed_at_random_a_tournament_comes_to_the_same(tmp_path: Path) -> None:
    seed = random.SystemRandom().randrange(10**6)
    print(f"seed {seed}")  # noqa: T201 - shown when the test fails
    soak(tmp_path, games=40, seed=seed, sandbox="auto", kills=6)
