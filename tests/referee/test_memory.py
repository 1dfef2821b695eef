"""What a player floods us with does not make the referee grow."""

from __future__ import annotations

import subprocess
import sys

import pytest

from arena.referee.spec import GameSpec
from tests.referee.conftest import Bots, Spec

PLAY = """
import re, sys
from pathlib import Path
from arena.referee import SessionPool, play_game
from arena.referee.spec import GameSpec

with SessionPool() as pool:
    record = play_game(GameSpec.model_validate_json(sys.argv[1]), pool)
peak = re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())
print(record.termination, int(peak[1]) // 1024)
"""


@pytest.mark.parametrize(
    ("fault", "word"),
    [
        ("endless_line", "line_too_long"),
        ("ready_1_mb_name", "line_too_long"),
        ("endless_lines", "flood"),
        ("endless_blank_lines", "flood"),
        ("stderr_flood", "natural"),
    ],
)
def test_the_referee_stays_small(fault: str, word: str, bots: Bots, dots: Spec) -> None:
    spec: GameSpec = dots(bots.hostile(fault), bots.hostile())
    run = subprocess.run(
        [sys.executable, "-c", PLAY, spec.model_dump_json()],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    ended, peak_mb = run.stdout.split()
    assert ended == word
    assert int(peak_mb) <= 100
    assert bots.left() == []
