"""What holds for the repository as a whole: the rooms, the start-up, the README."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from arena.model.contender import Prepared
from arena.model.game_spec import GameSpec
from arena.model.protocol import Termination
from arena.referee import SessionPool, play_game

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
HEAVY = ("numba", "llvmlite", "players")


def modules_after(statement: str) -> set[str]:
    """The top-level modules a fresh interpreter has loaded after `statement`."""
    code = f"import sys; {statement}; print(*{{name.split('.')[0] for name in sys.modules}})"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


@pytest.mark.parametrize(
    "module",
    [
        "rules",
        "arena.model.protocol",
        "arena.referee.game",
        "arena.tournament.run",
        "arena.ratings.standings",
        "arena.reports.terminal",
        "arena.cli",
    ],
)
def test_the_arena_runs_without_players_and_numba(module: str) -> None:
    assert modules_after(f"import {module}").isdisjoint(HEAVY)


def test_help_starts_without_the_tournament() -> None:
    loaded = modules_after("import arena.cli")
    assert loaded.isdisjoint({"numpy", "pydantic", "rules", *HEAVY})


def test_the_rules_need_the_standard_library_only() -> None:
    ours = {"rules"}
    # what an interpreter of this environment has before any import, site hooks included
    extra = modules_after("import rules") - modules_after("pass") - set(sys.stdlib_module_names)
    assert extra <= ours


def test_the_readme_tells_every_end_of_a_game() -> None:
    table = README.split("#### Ends")[1].split("Order of judgement")[0]
    words = {
        word
        for row in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
        for word in re.findall(r"`(\w+)`", row)
    }
    assert words == {word.value for word in Termination}


def test_the_readmes_smallest_tournament_is_toml_of_eight_lines() -> None:
    block = re.search(r"```toml\n(.*?)```", README, re.DOTALL)
    assert block is not None
    assert tomllib.loads(block[1])["player"][0]["bot"] == "uct"
    assert len(block[1].strip().splitlines()) <= 8


def test_the_readmes_bot_is_at_most_ten_lines_and_plays(tmp_path: Path) -> None:
    block = re.search(r"```python\n(.*?)```", README, re.DOTALL)
    assert block is not None
    assert len(block[1].strip().splitlines()) <= 10
    bot = tmp_path / "bot.py"
    bot.write_text(block[1])
    players = tuple(Prepared(name=n, command=(sys.executable, str(bot))) for n in "ab")
    spec = GameSpec(game="g1", rules="othello", variant={"size": 4}, players=players)
    with SessionPool() as pool:
        record = play_game(spec, pool)
    assert record.termination is Termination.NATURAL, record.detail
