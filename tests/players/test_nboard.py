"""The player behind NBoard engines: whole games, what an engine says of a move, and its faults."""

import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

import rules
from arena.model.contender import Prepared
from arena.referee import SessionPool, play_game
from players.catalogue import BUILTINS
from players.nboard import NBoard, _info
from tests.players.conftest import play_with, refusal, start_message, turn_message
from tests.players.scripted_engines import adapter, game, lost_game, monkey, scripted, whole_games

engine = partial(scripted, "nboard_engine.py")
pytestmark = pytest.mark.usefixtures("importable_rules")


def nboard(command: list[str], **options: Any) -> Prepared:
    return adapter("nboard", command=command, **options)


@pytest.mark.slow
def test_whole_games_from_both_seats(pool: SessionPool, tmp_path: Path) -> None:
    log = tmp_path / "log"
    player = nboard(engine("none", str(log)), depth=7)
    whole_games(player, range(4), pool)
    commands = log.read_text().splitlines()
    assert commands[:2] == ["nboard 2", "set depth 7"]
    assert commands.count("nboard 2") == 1, "one process serves all games"
    games = [line for line in commands if line.startswith("set game ")]
    assert len(games) == 4, "else the engine is told a move at a time"
    assert "move PA" in commands


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("none", {"depth": 7, "score": 2.0}),
        ("spaces", {"depth": 7, "score": 2.0}),
        ("bare", {"depth": 7, "score": 1.5}),
        ("solves", {"text": "solved: 100%W", "score": 2.0}),
    ],
)
def test_what_the_engine_says_of_its_move_reaches_info(
    kind: str, expected: dict[str, Any], start_player: Callable[..., Any]
) -> None:
    start = rules.load("othello").start()
    player = start_player("players.nboard")
    player.ask(start_message(start, options={"command": engine(kind)}))
    answer = player.ask(turn_message(start, 0))
    first, *_, last = start.legal_moves()
    assert answer["move"] == first
    assert answer["info"] == {"nodes": 4711, "pv": [first, last], **expected}


@pytest.mark.parametrize("score", [None, float("nan"), float("-inf")])
def test_what_cannot_be_told_of_a_move_is_left_out(score: float | None) -> None:
    """An engine may call a won game infinite; a line that is not understood is ignored."""
    lines = ["", "nodestats", "nodestats many 0.1", "search", "search f5-D6 inf 0 7 text"]
    assert _info("f5", score, lines) == {"pv": ["f5", "d6"], "depth": 7}


@pytest.mark.slow
def test_the_clock_reaches_the_engine(start_player: Callable[..., Any], tmp_path: Path) -> None:
    log, start = tmp_path / "log", rules.load("othello").start()
    player = start_player("players.nboard")
    options = {"command": engine("none", str(log)), "tell_clock": True}
    clock = {"move_ms": None, "bank_ms": 3_723_000, "increment_ms": 0}
    player.ask(start_message(start, options=options, clock=clock))
    player.ask(turn_message(start, 0, time_ms=3_723_000, bank_ms=3_723_000))
    assert log.read_text().count("TI[1:02:03]") == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "termination", "expected"),
    [
        ("exits", "exited", "Error: I lost my book."),
        ("never_ends", "exited", "answers `go` without an end"),
        ("plays_corner", "illegal_move", "played 'A1': 'a1' is illegal: it turns no disc"),
        ("babbles", "illegal_move", "played 'I play f5!'"),
    ],
)
def test_an_engines_fault_is_reported_and_loses(
    fault: str, termination: str, expected: str, pool: SessionPool
) -> None:
    record = lost_game(nboard(engine(fault)), termination, pool)
    assert expected in record.seats[0].stderr_head
    assert "The game so far: f5d6, black to move; legal: " in record.seats[0].stderr_head


@pytest.mark.slow
def test_what_keeps_an_engine_from_starting(pool: SessionPool) -> None:
    silent = nboard(engine("never_pongs"))
    record = play_game(*game(silent, monkey(), startup_ms=2500), pool)
    assert record.offender == 0
    assert "has not answered `ping 1` in time" in record.seats[0].stderr_head


def test_what_cannot_be_an_engine_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    start = rules.load("othello").start()
    for options, said in (
        ({"command": "no-such-engine"}, 'there is no engine "no-such-engine" on the PATH or in'),
        ({"command": engine(), "depth": 0}, "options.depth: must be greater than or equal to 1"),
    ):
        assert said in refusal(NBoard, start, monkeypatch, options=options)


def test_it_plays_the_standard_board_alone() -> None:
    player = BUILTINS["nboard"]
    assert player.unsupported("othello", rules.load("othello").variant) is None
    assert "size 8 and not 6" in (player.unsupported("othello", {"size": 6}) or "")


@pytest.mark.slow
def test_a_game_with_the_real_ntest(start_player: Callable[..., Any]) -> None:
    ntest = shutil.which("ntest")
    if ntest is None:
        pytest.skip("NTest is not on the PATH")
    options = {"command": [ntest, "x"], "folder": str(Path(ntest).resolve().parent), "depth": 4}
    player = start_player("players.nboard")
    answers = play_with(player, rules.load("othello"), 0, Random(2), options=options)
    assert len(answers) > 20
