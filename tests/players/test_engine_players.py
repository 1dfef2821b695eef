"""What the players behind GTP and NBoard engines have in common."""

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

import rules
from players.engines.process import EngineFault, EngineProcess
from tests.players.conftest import random_position, start_message, turn_message
from tests.players.scripted_engines import scripted

pytestmark = pytest.mark.usefixtures("importable_rules")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("protocol", "told"),
    [
        ("gtp", "clear_board\nplay black {}\nplay white {}\ngenmove black\n"),
        ("nboard", "go\nmove {}\nmove {}\nping 4\ngo\n"),
    ],
)
def test_a_game_taken_back_is_sent_again(
    protocol: str, told: str, start_player: Callable[..., Any], tmp_path: Path
) -> None:
    log = tmp_path / "log"
    player = start_player(f"players.{protocol}")
    start = rules.load("othello").start()
    command = scripted(f"{protocol}_engine.py", "none", str(log))
    player.ask(start_message(start, options={"command": command}))
    first = player.ask(turn_message(start, 0))["move"]
    other = next(move for move in start.legal_moves() if move != first)
    reply = start.play(other).legal_moves()[0]
    after = start.play(other).play(reply)
    answer = player.ask(turn_message(after, 2, [[0, other], [1, reply]]))
    assert answer["move"] in after.legal_moves()
    assert log.read_text().lower().endswith(told.format(other, reply))


@pytest.mark.parametrize("protocol", ["gtp", "nboard"])
def test_a_position_out_of_nowhere_is_refused(
    protocol: str, start_player: Callable[..., Any]
) -> None:
    position = random_position(rules.load("othello"), 20, Random(1))
    player = start_player(f"players.{protocol}")
    command = scripted(f"{protocol}_engine.py")
    player.tell(start_message(position, options={"command": command}))
    assert player.close() == (1, b"")
    assert "do not lead to the position to play: none." in player.stderr()


@pytest.mark.parametrize(
    ("script", "how"),
    [
        ("exit 0", "with exit code 0"),
        ("kill -SEGV $$", "by SIGSEGV"),
        ("kill -40 $$", "by signal 40"),  # a real-time one, without a name
    ],
)
def test_an_engine_that_ended_says_how(script: str, how: str, tmp_path: Path) -> None:
    engine = EngineProcess(["sh", "-c", script], tmp_path)
    with pytest.raises(EngineFault, match=f"sh ended {how} instead of answering `name`."):
        engine.line("name")
    engine.close()
    engine.output.close()
