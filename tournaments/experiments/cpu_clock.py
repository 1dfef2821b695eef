"""Plays the games of a tournament of built-in players in this process, by a clock of CPU time.

A move of 1 s is a second of CPU, however busy the machine is, so that long experiments may be
played at the lowest priority next to other work. One game at a time; no player has several threads,
and none loses on time.
"""

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from random import Random

from arena.model.contender import Contender, Module
from arena.model.game_spec import GameSpec, derive
from arena.model.protocol import CHANCE
from arena.model.record import GameRecord, PlayedMove, SeatRecord
from arena.referee.outcome import after_plies, finished, make_record
from arena.referee.requests import PlayerClock
from arena.tournament.config import TournamentConfig
from arena.tournament.executors.base import Played, Report, Task
from players import sdk
from players.builtin import Builtin
from players.catalogue import BUILTINS
from rules.position import Position, forced_move


def tell_time_by_cpu() -> None:
    """Let `time.monotonic`, by which players think, tell the CPU time of this process."""
    time.monotonic = time.process_time


class CpuClockExecutor:
    """An executor of one game at a time, here."""

    capacity = 1

    def __init__(self, config: TournamentConfig, files: tuple[str, ...] = ()) -> None:
        for player in config.players:
            if player.builtin is None or player.contender.threads > 1:
                raise SystemExit(f"{player.name}: only built-in players with one thread")
        self._tasks: list[Task] = []

    def warning(self) -> str | None:
        """Nothing keeps a player from its time."""
        return None

    def submit(self, task: Task) -> None:
        """Keep the game until `wait`."""
        self._tasks.append(task)

    def wait(self, timeout_s: float) -> Sequence[Report]:
        """Play the game to its end."""
        played = [
            Played(task, _CpuClockedGame(task.spec).play(task.attempt)) for task in self._tasks
        ]
        self._tasks.clear()
        return played

    def close(self, *, now: bool) -> None:
        """Nothing is left to end."""


class _CpuClockedGame:
    def __init__(self, spec: GameSpec) -> None:
        self.spec = spec
        self.position: Position = spec.start()
        self.moves: list[tuple[int, str]] = []
        self.played: list[PlayedMove] = []
        for move in spec.opening:
            self._apply(move)
        self.told = [len(self.moves)] * len(spec.players)
        self.used_ms = [0.0] * len(spec.players)
        self.clocks = [PlayerClock.full(each.clock or spec.terms.clock) for each in spec.players]
        self.starts = [self._start(seat, player) for seat, player in enumerate(spec.players)]
        self.players = list(map(_player, spec.players, self.starts))

    def play(self, attempt: int) -> GameRecord:
        started_at, began = datetime.now(UTC), time.monotonic()
        chance, most = Random(derive(self.spec.seed, "chance")), self.spec.terms.max_plies
        while not self.position.is_over and (most is None or len(self.moves) < most):
            forced = forced_move(self.position, chance)
            self._apply(forced) if forced is not None else self._ask()
        over = finished(self.position) if self.position.is_over else None
        return make_record(
            self.spec,
            attempt,
            seats=tuple(
                SeatRecord(player=player.name, clock=player.clock) for player in self.spec.players
            ),
            moves=tuple(self.played),
            position=self.position,
            outcome=over or after_plies(self.position, len(self.moves)),
            started_at=started_at,
            duration_ms=(time.monotonic() - began) * 1000,
        )

    def _apply(self, move: str, used_ms: float | None = None) -> None:
        seat = CHANCE if self.position.to_move is None else self.position.to_move
        self.position = self.position.play(move)
        self.moves.append((seat, move))
        self.played.append(PlayedMove(seat=seat, move=move, used_ms=used_ms))

    def _ask(self) -> None:
        seat = self.position.to_move
        assert seat is not None, "the game is not over"
        turn = self._turn(seat)
        answer = self.players[seat].choose(turn)
        used_ms = (time.monotonic() - turn.deadline) * 1000 + turn.time_ms
        self.told[seat], self.used_ms[seat] = len(self.moves), used_ms
        self.clocks[seat] = self.clocks[seat].after(used_ms)
        self._apply(answer if isinstance(answer, str) else answer[0], used_ms)

    def _turn(self, seat: int) -> sdk.Turn:
        clock = self.clocks[seat]
        return sdk.Turn(
            start=self.starts[seat],
            game=self.spec.game,
            ply=len(self.moves),
            time_ms=clock.limit_ms,
            bank_ms=clock.shown_bank_ms,
            state=self.position.state(),
            moves=self.moves[self.told[seat] :],
            legal=list(self.position.legal_moves()),
            used_ms=round(self.used_ms[seat]),
            deadline=time.monotonic() + clock.limit_ms / 1000,
        )

    def _start(self, seat: int, player: Contender) -> sdk.Start:
        terms, game = self.spec.terms, self.position.game
        return sdk.Start(
            game=self.spec.game,
            rules=game.name,
            variant=game.variant,
            seat=seat,
            seats=game.seats,
            clock=sdk.Clock(**self.clocks[seat].control.model_dump()),
            startup_ms=terms.startup_ms,
            seed=derive(self.spec.seed, f"player {seat}"),
            options=player.options,
            state=self.position.state(),
            moves=list(self.moves),
        )


def _player(contender: Contender, start: sdk.Start) -> Builtin:
    assert isinstance(contender.program, Module), "a built-in player"
    module = contender.program.module
    return next(each for each in BUILTINS.values() if each.module == module)(start)
