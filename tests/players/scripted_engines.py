"""Scripted engines, and games of the players that drive them."""

import sys
from typing import Any

import rules
from arena.model.contender import Prepared
from arena.model.protocol import Clock, Termination
from arena.model.record import GameRecord
from arena.referee import SessionPool, play_game
from rules.position import PASS
from rules.transcript import read_transcript
from tests.conftest import Match, match
from tests.players.conftest import REPOSITORY

_MODULE = (sys.executable, "-P", "-m")


def scripted(program: str, fault: str = "none", *arguments: str) -> list[str]:
    """The command of a scripted engine."""
    return [sys.executable, str(REPOSITORY / "tests/programs" / program), fault, *arguments]


def adapter(name: str, **options: Any) -> Prepared:
    """A built-in player that drives an engine."""
    return Prepared(name=name, command=(*_MODULE, f"players.{name}"), options=options)


def monkey() -> Prepared:
    return Prepared(name="monkey", command=(*_MODULE, "players.monkey"))


def game(*players: Prepared, **more: Any) -> Match:
    standard = rules.load("othello").variant
    return match(*players, rules="othello", variant=standard, **more)


def whole_games(player: Prepared, seeds: range, pool: SessionPool) -> int:
    """The passes in games against the monkey, from both seats."""
    opening, passes = read_transcript(rules.load("othello").start(), "f5d6c3"), 0
    for seed in seeds:
        seats = (player, monkey()) if seed % 2 else (monkey(), player)
        record = play_game(*game(*seats, opening=opening, seed=seed), pool)
        assert record.termination is Termination.NATURAL, (seed, record.detail)
        passes += sum(move.move == PASS for move in record.moves)
    assert passes, "these seeds test no pass"
    return passes


def lost_game(player: Prepared, termination: str, pool: SessionPool) -> GameRecord:
    """The game that it loses in that way, from its first move after f5d6 on."""
    opening = read_transcript(rules.load("othello").start(), "f5d6")
    clock = Clock(move_ms=300 if termination == Termination.TIMEOUT else 5000)
    record = play_game(*game(player, monkey(), opening=opening, clock=clock), pool)
    assert (record.termination, record.offender) == (termination, 0), record.detail
    return record
