"""What a tuning file says otherwise than the run in its folder."""

import json
from pathlib import Path
from typing import Any

import pytest

from players.learning.tuning.config import load_config
from players.learning.tuning.tuner import changes

FILE = """
[tuning]
method = "spsa"
measure_games = 8
[game]
rules = "othello"
preset = "cornerless"
[openings]
plies = 4
[player]
bot = "weighted-uct"
options = { iterations = 20, c = 0.5 }
[parameters.c]
high = 2.0
[weights]
[spsa]
pairs = 4
"""


def identity(folder: Path, text: str) -> Any:
    (folder / "it.toml").write_text(text)
    return json.loads(json.dumps(load_config(folder / "it.toml").identity()))


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("plies = 4", "plies = 6", ["openings.plies: 4 → 6"]),
        ("iterations = 20", "iterations = 30", ["player.options.iterations: 20 → 30"]),
        ("iterations = 20", "depth = 9, iterations = 20", ["player.options.depth: not given → 9"]),
        ("c = 0.5", "c = 0.7", ["player.options.c: 0.5 → 0.7"]),
        ("high = 2.0", "high = 1.5", ["parameters.c.high: 2.0 → 1.5"]),
        ("[weights]", "[weights]\nrange = [0.5, 2]", ["weights.range: [0.9, 1.1] → [0.5, 2.0]"]),
        ("pairs = 4", "pairs = 5", ["spsa.pairs: 4 → 5"]),
        ("measure_games = 8", "measure_games = 6", ["tuning.measure_games: 8 → 6"]),
        ('preset = "cornerless"', "corners = true", None),
        ('"spsa"', '"cma"', ['tuning.method: "spsa" → "cma"']),
    ],
)
def test_it_is_reported_by_the_keys_of_the_file(
    tmp_path: Path, old: str, new: str, expected: list[str] | None
) -> None:
    text = FILE.replace("[spsa]\npairs = 4\n", "") if new == '"cma"' else FILE
    before, after = identity(tmp_path, FILE), identity(tmp_path, text.replace(old, new))
    told = changes(before, after)
    if expected is None:
        expected = [
            'game.start: "empty" → "centre"',
            "game.corners: false → true",
            "game.free_centre: true → false",
        ]
    assert told == expected
