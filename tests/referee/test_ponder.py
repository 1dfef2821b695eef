"""A player that may not think in the opponent's time is stopped: all of it, and at no cost."""

import json
import os
import signal
import sys
import time
from pathlib import Path

import pytest

from arena.model.containment import Mode, Policy
from arena.model.contender import Prepared
from arena.model.protocol import Clock, Termination
from arena.model.record import GameRecord, PlayerFault
from arena.referee import SessionPool, play_game
from arena.referee.transport import PlayerProcess
from arena.sandbox import cgroups
from tests.conftest import BOTS, Bots, Spec

pytestmark = pytest.mark.slow

PYTHON = (sys.executable, "-I", "-S")
FREEZER = pytest.mark.skipif(
    not any("freezer" in part.serves for part in cgroups.usable()),
    reason="no freezer among the control groups that this user may write",
)
MODES = ["none", pytest.param("limits", marks=FREEZER)]
"""Stopped by signals; by the freezer of a control group."""
THREAD, CHILD, DAEMON = range(3)
FROZEN = {"ponder": False, "clock": Clock(move_ms=3000), "max_plies": 6}


def ponderer(folder: Path, mode: Mode) -> Prepared:
    policy = Policy(mode=mode, writable=(str(folder),), readable=(str(BOTS),))
    command = (*PYTHON, str(BOTS / "ponderer.py"), str(folder / "counters"))
    return Prepared(name="ponderer", command=command, policy=policy)


def watcher(folder: Path) -> Prepared:
    command = (*PYTHON, str(BOTS / "watcher.py"), str(folder / "counters"))
    return Prepared(name="watcher", command=command)


def steps(record: GameRecord) -> list[list[int]]:
    """How far each counter went while the watcher was to move, at each of its moves."""
    assert record.termination is Termination.ADJUDICATED, record.detail
    return [json.loads(move.info["text"]) for move in record.moves if move.info]


@pytest.mark.parametrize("mode", MODES)
def test_nothing_of_a_player_runs_in_the_opponents_time(
    mode: Mode, tmp_path: Path, dots: Spec
) -> None:
    players = ponderer(tmp_path, mode), watcher(tmp_path)
    with SessionPool(keep_alive=True) as pool:  # frozen between its games, it plays on
        seen = [
            step
            for game in ("g1", "g2")
            for step in steps(play_game(*dots(*players, game=game, **FROZEN), pool))
        ]
    assert {(step[THREAD], step[CHILD]) for step in seen} == {(0, 0)}
    if mode == "limits":  # signals cannot tell whose a process is that was forked away
        assert {step[DAEMON] for step in seen} == {0}


def test_it_may_run_where_pondering_is_allowed(
    tmp_path: Path, pool: SessionPool, dots: Spec
) -> None:
    players = ponderer(tmp_path, "none"), watcher(tmp_path)
    record = play_game(*dots(*players, **{**FROZEN, "ponder": True}), pool)
    assert all(map(sum, zip(*steps(record), strict=True)))


@pytest.mark.parametrize("mode", MODES)
def test_a_player_killed_while_it_is_frozen_has_exited(mode: Mode, bots: Bots) -> None:
    process = PlayerProcess(bots.hostile(policy=Policy(mode=mode, readable=(str(BOTS),))))
    try:
        process.freeze()
        os.kill(process.pid, signal.SIGKILL)
        with pytest.raises(PlayerFault, match="SIGKILL") as caught:
            # v1 lets a frozen process die when it is thawed
            deadline = time.monotonic_ns() + 10_000_000_000
            process.expect_silence()
            process.write(b"{}\n", deadline)
            process.read_line(deadline)
        assert caught.value.termination is Termination.EXITED
    finally:
        process.kill()
    assert bots.left() == []


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("fault", "ends"),
    [
        ("stops_itself", Termination.TIMEOUT),
        ("ignores_quit", Termination.NATURAL),
        ("stderr_flood", Termination.NATURAL),
        ("daemon", Termination.NATURAL),
        ("exit_3", Termination.EXITED),
        ("leaves_after_answering", Termination.EXITED),
    ],
)
def test_faults_are_what_they_are_without_freezing(
    fault: str, ends: Termination, mode: Mode, bots: Bots, dots: Spec
) -> None:
    policy = Policy(mode=mode, readable=(str(BOTS),))
    players = bots.hostile(fault, policy=policy), bots.hostile(policy=policy)
    with SessionPool() as pool:
        record = play_game(*dots(*players, ponder=False, startup_ms=10_000), pool)
    assert record.termination is ends, record.detail
    assert bots.left() == []
