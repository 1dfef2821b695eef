"""The result of a tuning, as files that a tournament takes."""

import json
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from arena.files.whole_file import write_whole
from players.learning import picture_files
from players.learning.tuning.config import BUDGETS
from players.learning.tuning.space import Space
from players.learning.tuning.tuner import Tuner

WEIGHTS, PLAYER, START = "weights.json", "player.toml", "start.json"
PARAMETERS, BOARD = "parameters", "board"
PICTURES = (*picture_files(PARAMETERS), *picture_files(BOARD))
FILES = frozenset({WEIGHTS, PLAYER, START, *PICTURES})


def _provenance(tuner: Tuner, verdict: dict[str, Any]) -> dict[str, Any]:
    config, plan = tuner.config, tuner.config.weights
    start: dict[str, Any] = {
        each.name: {"value": each.start, "low": each.low, "high": each.high}
        for each in config.ranges
    }
    if plan is not None:
        shared = {"colours": plan.colours, "symmetry": plan.symmetry}
        start[plan.option] = {"table": plan.start, "low": plan.low, "high": plan.high, **shared}
    packages = ("bot-arena", "numba", *(("cma",) if config.method == "cma" else ()))
    return {
        "rules": config.rules,
        "variant": config.variant,
        "bot": config.bot,
        "options": config.options,
        "start": start,
        "method": config.method,
        "settings": config.method_settings,
        "games": tuner.counts["games"],
        "games_by": "the referee" if config.referee else "kernels in process",
        "opening_plies": config.plies,
        "seed": config.seed,
        "versions": {package: version(package) for package in packages},
        **verdict,
    }


def player_options(
    space: Space, vector: Sequence[float], path: Path, notes: dict[str, Any]
) -> dict[str, Any]:
    """The options that make a player of these values. Where a table of weights is tuned, it is
    written to `path` with `notes` before it. Raises OSError.
    """
    options = dict(space.contestant(vector).options)
    if space.plan is not None:
        write_whole(path, _laid_out({**notes, **space.table(vector)}))
        options[space.plan.option] = str(path.resolve())
    return options


def write_result(tuner: Tuner, folder: Path, verdict: dict[str, Any]) -> dict[str, Any]:
    """Write the table of weights, where one was tuned, and the player; its options. Raises OSError.
    The player names the table next to it, so that both can be moved.

    `verdict` is what was found about the values, by key.
    """
    config, how = tuner.config, _provenance(tuner, verdict)
    about = (
        f"Weights tuned by self-play for {config.rules}: {config.method}, "
        f"{tuner.counts['games']} games."
    )
    notes = {"about": about, "tuning": how}
    options = player_options(tuner.space, tuner.vector, folder / WEIGHTS, notes)
    lines = [f"# {line}" for line in json.dumps(how, indent=1, ensure_ascii=False).splitlines()]
    name = json.dumps(config.name, ensure_ascii=False)
    entry = ["", "[[player]]", f'bot = "{config.bot}"', f"name = {name}", "", "[player.options]"]
    table = {} if config.weights is None else {config.weights.option: WEIGHTS}
    write_whole(folder / PLAYER, "\n".join([*lines, *entry, *_values(options | table), ""]))
    return options


def player_entry(bot: str, options: Mapping[str, Any]) -> list[str]:
    """A player with these options, as lines of a tournament file."""
    return ["[[player]]", f'bot = "{bot}"', f"options = {{ {', '.join(_values(options))} }}"]


def _values(options: Mapping[str, Any]) -> list[str]:
    """The options as a tournament file has them: without the budget, for there a clock runs."""
    return [
        f"{key} = {json.dumps(value, ensure_ascii=False)}"
        for key, value in options.items()
        if key not in BUDGETS
    ]


def _laid_out(table: dict[str, Any]) -> str:
    """JSON with a line for each value, and for each row of a board."""
    entries = []
    for key, value in table.items():
        text = json.dumps(value, ensure_ascii=False, indent=2).replace("\n", "\n  ")
        if isinstance(value, list):
            text = "[\n    " + ",\n    ".join(map(json.dumps, value)) + "\n  ]"
        entries.append(f"  {json.dumps(key)}: {text}")
    return "{\n" + ",\n".join(entries) + "\n}\n"
