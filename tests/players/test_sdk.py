"""The SDK, by real processes: bots as a student writes them."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import players.sdk
import rules
from arena.model.contender import Prepared
from arena.model.protocol import Termination
from arena.referee import SessionPool, play_game
from tests.conftest import match
from tests.players.conftest import END, start_message, turn_message

GAME = rules.load("othello", size=4)
START = GAME.start()

TEN_LINES = """
import random
from sdk import play

def choose(turn):
    print("thinking about", turn.legal)
    return random.choice(turn.legal)

play(choose)
"""


@pytest.fixture
def bot(tmp_path: Path, start_player: Callable[..., Any]) -> Callable[..., Any]:
    """Starts a bot from its source, next to a copy of the SDK and nothing else."""
    shutil.copy(players.sdk.__file__, tmp_path / "sdk.py")

    def start(source: str) -> Any:
        path = tmp_path / "bot.py"
        path.write_text(source)
        return start_player(path, PYTHONPATH="", PYTHONSAFEPATH="", PYTHONUNBUFFERED="")

    return start


def test_a_bot_of_ten_lines_plays_and_its_prints_go_to_stderr(bot: Callable[..., Any]) -> None:
    player = bot(TEN_LINES)
    assert player.ask(start_message(START)) == {"type": "ready"}
    answer = player.ask(turn_message(START, 0))
    assert answer == {"type": "move", "ply": 0, "move": answer["move"]}
    assert answer["move"] in START.legal_moves()
    player.tell({"type": "quit"})
    assert player.close() == (0, b"")
    assert "thinking about" in player.stderr()


PYENV = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))


@pytest.mark.parametrize("python", sorted(PYENV.glob("versions/3.[789].*/bin/python")), ids=str)
def test_it_runs_on_older_pythons(python: Path, tmp_path: Path) -> None:
    shutil.copy(players.sdk.__file__, tmp_path / "sdk.py")
    (tmp_path / "bot.py").write_text(TEN_LINES)
    requests = [start_message(START), turn_message(START, 0), END, {"type": "quit"}]
    done = subprocess.run(
        (python, "-W", "error", "bot.py"),
        input="".join(json.dumps(request) + "\n" for request in requests),
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert [json.loads(line)["type"] for line in done.stdout.splitlines()] == ["ready", "move"]


def test_everything_on_stdout_goes_to_stderr(bot: Callable[..., Any]) -> None:
    player = bot(
        "import os, subprocess, sys, ctypes\n"
        "print('before play')\n"
        "from sdk import play\n"
        "def choose(turn):\n"
        "    os.write(1, b'raw descriptor\\n')\n"
        "    subprocess.run([sys.executable, '-c', 'print(\"child process\")'], check=True)\n"
        "    ctypes.CDLL(None).puts(b'c library'); ctypes.CDLL(None).fflush(None)\n"
        "    sys.stdout.write('stream\\n'); assert not sys.stdin.read()\n"
        "    return turn.legal[-1]\n"
        "play(choose)\n"
    )
    player.ask(start_message(START))
    assert player.ask(turn_message(START, 0))["move"] == START.legal_moves()[-1]
    assert player.close() == (0, b"")
    said = player.stderr()
    for words in ("before play", "raw descriptor", "child process", "c library", "stream"):
        assert words in said


def test_hooks_get_everything_and_one_process_plays_several_games(bot: Callable[..., Any]) -> None:
    player = bot(
        "import time\n"
        "from sdk import play\n"
        "def start(start): print(start)\n"
        "def end(end): print(end)\n"
        "def choose(turn):\n"
        "    print(turn.moves, turn.seat, turn.bank_ms, turn.used_ms, turn.state['to_move'])\n"
        "    left = turn.deadline - time.monotonic()\n"
        "    assert 0 < left <= turn.time_ms / 1000, left\n"
        "    assert turn.start.options == {'depth': 3}\n"
        "    return turn.legal[0], {'score': 0.5, 'pv': [turn.legal[0]]}\n"
        "play(choose, start=start, end=end, name='Ada', version='2', author='A. L.')\n"
    )
    for game in ("first", "second"):
        message = start_message(START, game=game, options={"depth": 3}, moves=[[0, "a1"]])
        ready = player.ask(message)
        assert ready == {"type": "ready", "name": "Ada", "version": "2", "author": "A. L."}
        turn = turn_message(START, 3, [[0, "c1"], [-1, "x"]], bank_ms=5000, used_ms=17, new=1)
        assert player.ask({**turn, "game": game}) == {
            "type": "move",
            "ply": 3,
            "move": START.legal_moves()[0],
            "info": {"score": 0.5, "pv": [START.legal_moves()[0]]},
        }
        player.tell({**END, "game": game})
    assert player.close() == (0, b"")
    said = player.stderr()
    assert re.search(r"Start\(game='first', rules='othello', variant=\{'size': 4", said)
    assert "clock=Clock(move_ms=1000, bank_ms=None, increment_ms=0)" in said
    assert "[(0, 'c1'), (-1, 'x')] 0 5000 17 0" in said
    assert "End(game='second', termination='natural', detail='it is over', scores=[1, 0]" in said


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("return 1 // 0", "ZeroDivisionError"),
        ("return None", "must return one of turn.legal, a string; it returned None"),
        ("return turn.legal[0], {'score': float('nan')}", "ValueError"),
    ],
)
def test_a_mistake_ends_the_process_with_its_traceback(
    bot: Callable[..., Any], body: str, words: str
) -> None:
    player = bot(f"from sdk import play\ndef choose(turn):\n    {body}\nplay(choose)\n")
    player.ask(start_message(START))
    player.tell(turn_message(START, 0))
    assert player.close() == (1, b"")
    assert "Traceback" in player.stderr()
    assert words in player.stderr()


def test_a_bot_that_ends_slowly_has_exited_with_its_last_words(tmp_path: Path) -> None:
    """It has not closed its pipes and gone on running, which would hide what it said."""
    shutil.copy(players.sdk.__file__, tmp_path / "sdk.py")
    bot = tmp_path / "bot.py"
    bot.write_text(
        "import atexit, sys, time\n"
        "from sdk import play\n"
        "atexit.register(time.sleep, 1)\n"
        "play(lambda turn: turn.legal[0], start=lambda start: sys.exit('no such weights'))\n"
    )
    broken = Prepared(name="broken", command=(sys.executable, str(bot)))
    spec = match(broken, broken, rules="othello", variant={"size": 4})
    with SessionPool() as pool:
        record = play_game(*spec, pool)
    assert record.termination is Termination.EXITED, record.detail
    assert "no such weights" in record.detail


def test_the_sdk_needs_the_standard_library_alone() -> None:
    source = Path(players.sdk.__file__).read_text()
    imported = set(re.findall(r"^(?:from|import) (\w+)", source, re.MULTILINE))
    assert imported <= {
        "__future__",
        "json",
        "os",
        "sys",
        "time",
        "collections",
        "dataclasses",
        "typing",
    }
