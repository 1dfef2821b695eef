"""What a tuning comes to, as files that a tournament takes."""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

from players.learning.tuning.tuner import Tuner, write_whole

WEIGHTS, PLAYER = "weights.json", "player.toml"


def provenance(tuner: Tuner, gain: dict[str, Any]) -> dict[str, Any]:
    """How the values were found, and what `gain` was measured."""
    config = tuner.config
    return {
        "rules": config.rules,
        "variant": config.variant,
        "bot": config.bot,
        "options": config.options,
        "method": config.method,
        "settings": config.method_settings,
        "games": tuner.counts["games"],
        "seed": config.seed,
        "versions": {"bot-arena": version("bot-arena"), "numba": version("numba")},
        "gain": gain,
    }


def write_result(tuner: Tuner, folder: Path, gain: dict[str, Any]) -> None:
    """Write the table of weights, where one was tuned, and the player. Raises OSError."""
    space, vector, config = tuner.space, tuner.vector, tuner.config
    options = dict(space.contestant(vector).options)
    how = provenance(tuner, gain)
    if config.weights is not None:
        options[config.weights.option] = WEIGHTS
        about = (
            f"Weights tuned by self-play for {config.rules}: {config.method}, "
            f"{tuner.counts['games']} games."
        )
        table = {"about": about, "tuning": how, **space.table(vector)}
        write_whole(folder / WEIGHTS, laid_out(table))
    lines = [f"# {line}" for line in json.dumps(how, indent=1, ensure_ascii=False).splitlines()]
    values = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in options.items()]
    entry = ["", "[[player]]", f'bot = "{config.bot}"', "", "[player.options]", *values, ""]
    write_whole(folder / PLAYER, "\n".join(lines + entry))


def laid_out(table: dict[str, Any]) -> str:
    """JSON with a line for each key, and for each row of a board."""
    entries = []
    for key, value in table.items():
        text = json.dumps(value, ensure_ascii=False)
        if isinstance(value, list):
            text = "[\n    " + ",\n    ".join(map(json.dumps, value)) + "\n  ]"
        entries.append(f"  {json.dumps(key)}: {text}")
    return "{\n" + ",\n".join(entries) + "\n}\n"
