"""A task that was serialised, and is played on another machine as it was at home."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.bots.prepare import prepare
from arena.errors import PackageError
from arena.model.contender import Package
from arena.model.game_spec import GameSpec
from arena.model.record import GameRecord
from arena.referee import SessionPool, play_game
from arena.tournament.config import TournamentConfig
from arena.tournament.executors.base import Task
from tests.tournament.helpers import schedule

pytestmark = pytest.mark.slow

Load = Callable[..., TournamentConfig]
GAME = '[tournament]\nsandbox = "none"\n[game]\nrules = "dots"\nrows = 2\ncols = 2\n'
BOT = "from players import sdk\nfrom {choice} import choose\nsdk.play(choose)\n"
SCRIPT = "from players import sdk\nsdk.play(lambda turn: turn.legal[-1])\n"
MANIFEST = """
name = "made"
rules = ["dots"]
command = ["python3", "bot.py"]
build = ["cp", "source.txt", "choice.py"]
"""
PLAY = """
import sys
from arena.bots.prepare import prepare
from arena.referee import SessionPool, play_game
from arena.tournament.executors.base import Task
with SessionPool() as pool:
    for line in sys.stdin:
        spec = Task.model_validate_json(line).spec
        players = [prepare(each, "dots") for each in spec.players]
        print(play_game(spec, players, pool).model_dump_json())
"""


@pytest.fixture
def bots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A script, and a package that does not play before it is built."""
    monkeypatch.setenv("ARENA_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "last.py").write_text(SCRIPT)
    made = tmp_path / "made"
    made.mkdir()
    (made / "bot.toml").write_text(MANIFEST)
    (made / "bot.py").write_text(BOT.format(choice="choice"))
    (made / "source.txt").write_text("def choose(turn):\n    return turn.legal[0]\n")
    return tmp_path


def same(record: GameRecord) -> dict[str, object]:
    """What of a record does not depend on time and place."""
    kept = record.model_dump(exclude={"started_at", "duration_ms", "host", "seats", "moves"})
    moves = [(move.seat, move.move, move.info) for move in record.moves]
    return kept | {"moves": moves, "players": [seat.player for seat in record.seats]}


def first_games(config: TournamentConfig) -> tuple[GameSpec, ...]:
    """One of each pair."""
    return schedule(config)[::2]


def at_home(config: TournamentConfig) -> list[GameRecord]:
    players = {
        player.name: prepare(player.contender, "dots", player.home) for player in config.players
    }
    with SessionPool() as pool:
        return [
            play_game(spec, [players[each.name] for each in spec.players], pool)
            for spec in first_games(config)
        ]


def test_a_moved_task_is_played_as_at_home(load: Load, bots: Path, tmp_path: Path) -> None:
    config = load(
        GAME + "".join(f'[[player]]\nbot = "{bot}"\n' for bot in ("last.py", "made", "monkey")),
        players=0,
    )
    home = at_home(config)
    assert len(home) == 3
    assert {record.termination for record in home} == {"natural"}
    lines = [Task(spec=spec).model_dump_json() for spec in first_games(config)]
    assert not any(str(tmp_path) in line or sys.prefix in line for line in lines)

    away = tmp_path / "away"
    store = away / "cache" / "bots"
    for player in config.players:  # what the sender of tasks has to bring along
        program = player.contender.program
        if isinstance(program, Package):
            shutil.copytree(
                player.home.package or "", store / program.digest, ignore=_others(program)
            )
    shutil.rmtree(bots / "made")
    (bots / "last.py").unlink()
    played = subprocess.run(
        [sys.executable, "-P", "-c", PLAY],
        cwd=away,
        env={**os.environ, "ARENA_CACHE_DIR": str(away / "cache")},
        input="\n".join(lines),
        capture_output=True,
        text=True,
        check=True,
    )
    moved = [GameRecord.model_validate_json(line) for line in played.stdout.splitlines()]
    assert list(map(same, moved)) == list(map(same, home))
    assert len(list(store.glob("*-built"))) == 1


def test_a_bot_that_changed_since_is_not_played(load: Load, bots: Path) -> None:
    config = load(f'{GAME}[[player]]\nbot = "last.py"\n', players=1)
    player = config.players[0]
    assert prepare(player.contender, "dots", player.home).cwd == str(bots)
    (bots / "last.py").write_text(SCRIPT + "# other\n")
    with pytest.raises(PackageError, match="last\\.py: was changed since the tournament was read"):
        prepare(player.contender, "dots", player.home)
    with pytest.raises(PackageError, match="is not there"):
        prepare(player.contender, "dots")


def _others(program: Package) -> Callable[[str, list[str]], list[str]]:
    """Of a script's folder, all but the script; of a package nothing."""
    return lambda _, names: [] if program.opens == "." else [n for n in names if n != program.opens]
