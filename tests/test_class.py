"""A class of two weeks: bots in three languages, broken, late, hostile, new and withdrawn ones."""

import csv
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from arena.tournament.run_view import RunView
from tests import command
from tests.right_bot import RIGHT

pytestmark = pytest.mark.slow

TOOLS = {"python": "python3", "cpp": "g++", "js": "node"}
BUILDERS = {"ada": "python", "bob": "cpp", "cem": "js"}
"""Owners and the language of their starter."""
NAMES = [*BUILDERS, "fay", "gus", "hal"]
BOT = (
    RIGHT.replace("import json", "import json\nimport os\nimport signal")
    .replace("        move =", "        TURN\n        move =")
    .replace("[0]", "[-1]")
)
CHEATER = """for entry in filter(str.isdecimal, os.listdir("/proc")):
            try:
                if b"bot" in open(f"/proc/{entry}/cmdline", "rb").read():
                    if int(entry) != os.getpid():
                        os.kill(int(entry), signal.SIGKILL)
            except OSError:
                pass"""
CUP = """
[tournament]
name = "cup"
seed = 7
keep_alive = true
on_fault = "forfeit"
[game]
rules = "dots"
rows = 2
cols = 2
[clock]
move_ms = 5000
[[player]]
bot = "monkey"
[[player]]
from = "course"
"""
Arena = Callable[..., str]


@pytest.fixture
def arena(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Arena:
    """Runs a command in the folder of the class; it must end with `code`."""
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("ARENA_TOKEN", "")
    monkeypatch.chdir(tmp_path)

    def run(line: str, code: int = 0) -> str:
        result = command.arena(*line.split())
        assert result.exit_code == code, (line, result.output, result.exception)
        return result.output

    return run


def interrupted(store: Path, least: int) -> int:
    """Begin the night, send Ctrl-C once that many games are there, and say how many there are."""
    command = [sys.executable, "-m", "arena", "run", "cup.toml"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as night:
        while played(store) < least:
            assert night.poll() is None, night.stderr and night.stderr.read().decode()
            time.sleep(0.2)
        os.kill(night.pid, signal.SIGINT)
        assert night.wait() == 130
    return played(store)


def played(store: Path) -> int:
    with suppress(Exception), RunView(store) as view:  # it may not be there yet
        return len(view.games)
    return 0


def points(store: Path, *, without: str = "") -> dict[str, tuple[float, int]]:
    """The points and games of each player, counted from the games themselves."""
    total, games = Counter[str](), Counter[str]()
    with RunView(store) as view:
        for game in view.games:
            assert game.offender is None, game.detail
            if without not in game.players:
                total.update(dict(zip(game.players, game.points, strict=True)))
                games.update(game.players)
    return {name: (total[name], games[name]) for name in games}


def table(arena: Arena, store: Path) -> dict[str, tuple[float, int]]:
    """The points and games of each player, as the report has them."""
    rows = csv.DictReader(io.StringIO(arena(f"report {store} --csv players")))
    return {
        row["name"]: (float(row["wins"]) + float(row["draws"]) / 2, int(row["games"]))
        for row in rows
    }


def test_two_weeks(arena: Arena, tmp_path: Path) -> None:
    missing = [tool for tool in TOOLS.values() if shutil.which(tool) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    (tmp_path / "cup.toml").write_text(CUP)
    (tmp_path / "names.csv").write_text("owner\n" + "\n".join(NAMES))
    arena("course init course")
    given = arena("course roster add names.csv --course course")
    token = dict(re.findall(r"^(\w+),([0-9a-f]{32})$", given, re.MULTILINE))
    assert list(token) == NAMES

    def submit(owner: str, bot: str, code: int = 0) -> str:
        return arena(f"submit {bot} --to course --token {token[owner]} --tournament cup.toml", code)

    # The first week: three starters; fay's bot is broken and then fixed; gus kills what it can.
    for owner, language in BUILDERS.items():
        arena(f"new {owner}-bot --lang {language}")
        submit(owner, f"{owner}-bot")
    fay = tmp_path / "bot.py"
    fay.write_text(BOT.replace("TURN", 'print("thinking")'))
    assert "4 ✗ clean stdout" in submit("fay", "bot.py", code=1)
    fay.write_text(BOT.replace("TURN", "pass"))
    submit("fay", "bot.py")
    (tmp_path / "gus").mkdir()
    (tmp_path / "gus" / "bot.py").write_text(BOT.replace("TURN", CHEATER))
    submit("gus", "gus/bot.py")
    arena("new ada-bot2 --lang python")
    (tmp_path / "ada-bot2" / "bot.toml").write_text((tmp_path / "ada-bot" / "bot.toml").read_text())
    stolen = submit("gus", "ada-bot2", code=2)
    assert "belongs to ada" in stolen

    # The night stops once; a bot that is submitted meanwhile does not change it.
    store = tmp_path / "runs" / "cup.sqlite"
    assert 4 <= interrupted(store, 4) < 30
    with (tmp_path / "ada-bot2" / "bot.py").open("a") as program:
        program.write("# version 2\n")
    submit("ada", "ada-bot2")
    arena("run cup.toml")
    first_week = {"monkey", *(f"{owner}-bot" for owner in BUILDERS), "fay", "gus"}
    shown = table(arena, store)
    assert {name: games for name, (_, games) in shown.items()} == dict.fromkeys(first_week, 10)
    assert shown == points(store)

    # The second week: hal is late, ada has a second version, bob withdraws.
    (tmp_path / "late.py").write_text(BOT.replace("TURN", "pass").replace("[-1]", "[0]"))
    submit("hal", "late.py")
    arena(f"bots withdraw course/bob-bot --token {token['bob']}")
    arena("run cup.toml --take-new")
    shown = table(arena, store)
    old = first_week - {"ada-bot", "bob-bot"}  # ada-bot@2 plays in place of ada-bot
    games = dict.fromkeys(old, 12) | {"ada-bot": 8, "ada-bot@2": 10, "hal": 10}
    assert {name: games for name, (_, games) in shown.items()} == games
    assert shown == points(store, without="bob-bot")
    found = [
        len(json.loads(arena(f"games {store} --player {who} --json")))
        for who in ("bob-bot", "hal --won", "hal --drawn", "hal --lost")
    ]
    assert found[0] == 10, "the games of a withdrawn bot stay"
    assert sum(found[1:]) == 10
    assert found[1] + found[2] / 2 == shown["hal"][0]
