"""Plays the games of a tournament of built-in players in this process, by a clock of CPU time.

A move of 1 s is a second of CPU, however busy the machine is, so that long experiments may be
played at the lowest priority next to other work. One game at a time; no player has several threads,
and none loses on time.
"""

import json
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from random import Random
from typing import Any, NamedTuple

from arena.model.contender import Contender, Module
from arena.model.game_spec import GameSpec, derive
from arena.model.record import GameRecord, PlayedMove, SeatRecord
from arena.referee.outcome import after_plies, finished, make_record
from arena.referee.requests import Moves, Requests
from arena.tournament.config import TournamentConfig
from arena.tournament.executors.base import Played, Report, Task
from players import sdk
from players.builtin import Builtin
from players.catalogue import BUILTINS
from rules.position import CHANCE, forced_move


def use_cpu_time() -> None:
    """Let `time.monotonic`, by which players think, give the CPU time of this process."""
    time.monotonic = time.process_time


class CpuClockExecutor:
    """An executor of one game at a time, here."""

    capacity = 1

    def __init__(self, config: TournamentConfig, files: tuple[str, ...] = ()) -> None:
        for player in config.players:
            if player.builtin is None or player.contender.threads > 1:
                raise SystemExit(
                    f"{player.name}: by CPU time only built-in players with one thread are played; "
                    "play this file by `arena run`, and keep its run"
                )
        self._tasks: list[Task] = []

    def warning(self) -> str | None:
        """Nothing keeps a player from its time."""
        return None

    def submit(self, task: Task) -> None:
        """Keep the game until `wait`."""
        self._tasks.append(task)

    def wait(self, timeout_s: float) -> Sequence[Report]:
        """Play the game to its end."""
        played = [Played(task, _play(task.spec, task.attempt)) for task in self._tasks]
        self._tasks.clear()
        return played

    def close(self, *, now: bool) -> None:
        """Nothing is left to end."""


def _play(spec: GameSpec, attempt: int) -> GameRecord:
    position, moves, played = spec.start(), Moves(), list[PlayedMove]()

    def apply(move: str, used_ms: float | None = None) -> None:
        nonlocal position
        seat = CHANCE if position.to_move is None else position.to_move
        position = position.play(move)
        moves.append((seat, move))
        played.append(PlayedMove(seat=seat, move=move, used_ms=used_ms))

    for move in spec.opening:
        apply(move)
    requests = [
        Requests.of(spec, seat, player.options, player.clock)
        for seat, player in enumerate(spec.players)
    ]
    starts = [_start(each.start(position, moves).line) for each in requests]
    players = list(map(_player, spec.players, starts))
    started_at, began = datetime.now(UTC), time.monotonic()
    chance, most = Random(derive(spec.seed, "chance")), spec.terms.max_plies
    while (seat := position.to_move) is not None and (most is None or len(moves) < most):
        forced = forced_move(position, chance)
        if forced is not None:
            apply(forced)
            continue
        values = _fields_of(sdk.Turn, requests[seat].turn(position, moves).line)
        deadline = time.monotonic() + values["time_ms"] / 1000
        answer = players[seat].choose(sdk.Turn(start=starts[seat], deadline=deadline, **values))
        used_ms = (time.monotonic() - deadline) * 1000 + values["time_ms"]
        requests[seat].answered(len(moves), used_ms)
        apply(answer if isinstance(answer, str) else answer[0], used_ms)
    return make_record(
        spec,
        attempt,
        seats=tuple(SeatRecord(player=each.name, clock=each.clock) for each in spec.players),
        moves=tuple(played),
        position=position,
        outcome=finished(position) if position.is_over else after_plies(position, len(moves)),
        started_at=started_at,
        duration_ms=(time.monotonic() - began) * 1000,
    )


def _start(line: bytes) -> sdk.Start:
    values = _fields_of(sdk.Start, line)
    return sdk.Start(**values | {"clock": sdk.Clock(**values["clock"])})


def _fields_of(kind: type[NamedTuple], line: bytes) -> dict[str, Any]:
    """The fields of a class that a request has."""
    request = json.loads(line)
    return {name: request[name] for name in kind._fields if name in request}


def _player(contender: Contender, start: sdk.Start) -> Builtin:
    assert isinstance(contender.program, Module), "a built-in player"
    module = contender.program.module
    return next(each for each in BUILTINS.values() if each.module == module)(start)
