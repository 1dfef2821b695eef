"""Nothing in the dialogue tells a bot whether it is checked or plays in a tournament."""

import json
import re
import sys
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from arena.tournament.config_file import load_config
from arena.tournament.executors.local import fit
from arena.tournament.played_store import PlayedStore
from arena.tournament.run import run
from tests.right_bot import RIGHT

from .conftest import QUICK, Check

pytestmark = pytest.mark.slow

Dialogue = list[dict[str, Any]]
LISTENING = RIGHT.replace("import sys", "import os\nimport sys").replace(
    "    request = json.loads(line)\n",
    '    with open(f"FOLDER/{os.getpid()}", "a") as log:\n'
    "        log.write(line)\n"
    "    request = json.loads(line)\n",
)
TOURNAMENT = """
[tournament]
rounds = 1
concurrency = 1
keep_alive = true
sandbox = "none"
[game]
rules = "dots"
rows = 2
cols = 2
[clock]
move_ms = 100
grace_ms = 5000
startup_ms = {startup_ms}
[openings]
plies = 0
"""


def heard(folder: Path) -> list[Dialogue]:
    """What each process was told."""
    return [[json.loads(line) for line in log.read_text().splitlines()] for log in folder.iterdir()]


def facts(dialogues: list[Dialogue]) -> dict[str, set[Any]]:
    """All in a dialogue that is no board and no time."""
    found = defaultdict(set)
    for dialogue in dialogues:
        found["order"] |= {(one["type"], next_["type"]) for one, next_ in pairwise(dialogue)}
        started: dict[str, Any] = {}
        ids = [message["game"] for message in dialogue if message["type"] == "start"]
        found["ids"].add(("rising", ids == sorted(set(ids))))
        for message in dialogue:
            kind = message["type"]
            started = message if kind == "start" else started
            found[kind].add(tuple(message))
            found["id"].add(re.sub(r"\d", "9", message.get("game", "")))
            found["ids"].add(("its own", message.get("game") in (None, started["game"])))
            if kind == "start":
                found["seed"].add(1000 < message["seed"] < 2**31)
                found["clock"].add(tuple(message["clock"]))
                for key in ("protocol", "seats", "startup_ms"):
                    found[key].add(message[key])
                found["options"].add(json.dumps(message["options"]))
                found["bank"].add(json.dumps(message["clock"] | {"move_ms": 0}))
            elif kind == "turn":
                found["time"].add(message["time_ms"] == started["clock"]["move_ms"])
            elif kind == "end":
                found["end"].add((message["termination"], re.sub(r"\d+", "9", message["detail"])))
    return found


def test_a_check_speaks_as_a_tournament_does(check: Check, tmp_path: Path) -> None:
    checked, played = tmp_path / "checked", tmp_path / "played"
    for folder in (checked, played):
        folder.mkdir()
        (tmp_path / f"{folder.name}.py").write_text(LISTENING.replace("FOLDER", str(folder)))
    results = list(check(tmp_path / "checked.py"))
    assert all(result.passed for result in results), results
    for most in ("", "max_plies = 7\n"):
        text = TOURNAMENT.format(startup_ms=QUICK.startup_ms)
        text = text.replace("rounds", f"{most}rounds")
        for name in ("one", "other"):
            command = json.dumps([sys.executable, "-I", "-S", str(tmp_path / "played.py")])
            text += f'[[player]]\nname = "{name}"\ncommand = {command}\n'
        path = tmp_path / f"cup{len(most)}.toml"
        path.write_text(text)
        config = load_config(path, {}, fit=fit)
        with PlayedStore.open_run(path.with_suffix(".sqlite"), config) as store:
            assert run(config, store).exit_code == 0
    in_check, in_tournament = facts(heard(checked)), facts(heard(played))
    assert in_check.keys() == in_tournament.keys()
    for what, seen in in_check.items():
        assert seen <= in_tournament[what], what


def test_two_checks_have_other_games(check: Check, tmp_path: Path) -> None:
    starts = []
    for seed, name in enumerate(("first", "second")):
        (tmp_path / name).mkdir()
        script = tmp_path / f"{name}.py"
        script.write_text(LISTENING.replace("FOLDER", str(tmp_path / name)))
        for result in check(script, seed=seed):
            if result.number == 4:
                break
        starts.append({one["seed"] for log in heard(tmp_path / name) for one in log[:1]})
    assert len(starts[0]) > 1
    assert not starts[0] & starts[1]
