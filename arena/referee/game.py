"""One game from start to record: its moves, its faults, its end."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import cached_property
from random import Random
from typing import Any

from pydantic import TypeAdapter

from arena.model.contender import Prepared
from arena.model.game_spec import GameSetup, derive, first_position
from arena.model.protocol import Termination
from arena.model.record import STDERR_FOLLOWS, Fault, GameRecord, PlayedMove, PlayerFault
from arena.referee.outcome import Outcome, after_plies, finished, make_record
from arena.referee.pool import SessionPool
from arena.referee.requests import Requests
from arena.referee.seat import Seat
from arena.referee.session import PendingRequest, Session
from rules.position import CHANCE, Position, forced_move

IN_STEP = (
    Termination.BAD_UTF8,
    Termination.BAD_JSON,
    Termination.BAD_SCHEMA,
    Termination.WRONG_PLY,
    Termination.ILLEGAL_MOVE,
)
"""Faults of a player that did answer with one line, and can be asked again."""

_PLAYED = TypeAdapter(tuple[PlayedMove, ...])

OnMove = Callable[[Sequence[tuple[int, str]]], None]
"""Takes the moves so far, with their seats."""


def play_game(
    setup: GameSetup,
    players: Sequence[Prepared],
    pool: SessionPool,
    *,
    attempt: int = 1,
    on_move: OnMove | None = None,
) -> GameRecord:
    """Play one game and return its record, whatever the players do; a failure of the host makes it
    void. ValueError: the opening is not legal. Anything else that is raised (an interrupt) leaves
    the players to the pool, which ends them.
    """
    return _Game(setup, players, pool, on_move or (lambda moves: None)).play(attempt)


class _Ended(Exception):
    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.detail)
        self.outcome = outcome


class _Game:
    def __init__(
        self, setup: GameSetup, players: Sequence[Prepared], pool: SessionPool, on_move: OnMove
    ) -> None:
        self.setup = setup
        self.players = players
        self.pool = pool
        self.on_move = on_move
        self.terms = setup.terms
        self.game = self.terms.game
        if len(players) != self.game.seats:
            raise ValueError(
                f"{setup.game}: {self.terms.rules} has {self.game.seats} seats, "
                f"not {len(players)} players"
            )
        self.position: Position = first_position(self.game, setup.seed)
        self.seats = [
            Seat(index, player, Requests.of(setup, index, player.options, player.clock))
            for index, player in enumerate(players)
        ]
        self.moves: list[tuple[int, str]] = []
        self.played: list[dict[str, Any]] = []  # each as a PlayedMove, made at the end
        self.chance = Random(derive(setup.seed, "chance"))
        self.started_at = datetime.now(UTC)
        self.began = time.monotonic()

    @cached_property
    def substitute(self) -> Random:
        """Draws moves for players, after faults."""
        return Random(derive(self.setup.seed, "random moves"))

    def play(self, attempt: int) -> GameRecord:
        self._open()
        try:
            self.pool.rest(self.players, ponder=self.terms.ponder)
            outcome = self._play()
        except OSError as error:
            outcome = Outcome(Termination.VOID, f"The referee's host failed: {error}.")
        except _Ended as early:
            outcome = early.outcome
        self._close(outcome)
        return make_record(
            self.setup,
            attempt,
            seats=tuple(seat.record() for seat in self.seats),
            moves=_PLAYED.validate_python(self.played),
            position=self.position,
            outcome=outcome,
            started_at=self.started_at,
            duration_ms=(time.monotonic() - self.began) * 1000,
        )

    def _open(self) -> None:
        for number, move in enumerate(self.setup.opening, 1):
            seat = self.position.to_move
            try:
                self._apply({"seat": CHANCE if seat is None else seat, "move": move})
            except ValueError as error:
                raise ValueError(f"{self.setup.game}: opening move {number}: {error}") from None

    def _play(self) -> Outcome:
        self._start_all()
        while (mover := self.position.to_move) is not None:
            if self.terms.max_plies is not None and len(self.moves) >= self.terms.max_plies:
                return after_plies(self.position, len(self.moves))
            forced = forced_move(self.position, self.chance)
            if forced is not None:
                self._apply({"seat": mover, "move": forced})
            else:
                self._turn(self.seats[mover])
        return finished(self.position)

    def _turn(self, seat: Seat) -> None:
        asked_at = time.monotonic()
        try:
            player = seat.player or self._restart(seat)
            asked_at = time.monotonic()
            played = self._ask(seat, player)
        except PlayerFault as error:
            # Starting it again is never on the move clock, nor is what we do after the fault.
            used_ms = (time.monotonic() - asked_at) * 1000 if seat.lost is None else 0.0
            fault = self._fault(seat, error)
            move = self.substitute.choice(self.position.legal_moves())
            seat.random_moves += 1
            played = {"seat": seat.index, "move": move, "used_ms": used_ms, "fault": fault}
        seat.stderr_totals.append(seat.stderr.total)
        seat.requests.answered(len(self.moves), played["used_ms"])
        self._apply(played)

    def _apply(self, played: dict[str, Any]) -> None:
        move = played["move"]
        self.position = self.position.play(move)
        self.moves.append((played["seat"], move))
        self.played.append(played)
        self.on_move(self.moves)

    def _ask(self, seat: Seat, player: Session) -> dict[str, Any]:
        request = seat.requests.turn(self.position, self.moves)
        if not self.terms.ponder:
            self.pool.freeze_all_but(player)
        container = player.process.container
        before = container.cpu_ms()
        answered = player.turn(request, self.terms.grace_ms)
        after = container.cpu_ms()
        return {
            "seat": seat.index,
            "move": answered.move.move,
            "used_ms": answered.used_ms,
            "cpu_ms": None if before is None or after is None else after - before,
            "info": seat.info.take(answered.move.info),
        }

    def _start_all(self) -> None:
        """Have all players load; only then are failures judged, the first seat first. They load
        side by side, but for players that may not think in each other's time: these share their
        cores, so that one could keep the other from loading.
        """
        for together in (self.seats,) if self.terms.ponder else ([seat] for seat in self.seats):
            begun = {}
            for seat in together:
                with suppress(PlayerFault):  # it is kept as `lost`
                    begun[seat.index] = self._begin(seat)
            for index, start in begun.items():
                with suppress(PlayerFault):
                    self._await_ready(self.seats[index], start)
        for seat in self.seats:
            if seat.lost is not None:
                self._fault(seat, seat.lost)

    def _restart(self, seat: Seat) -> Session:
        """Go on with a fresh process, unless it failed to start before. Raises PlayerFault."""
        if seat.lost is not None:
            raise seat.lost
        return self._await_ready(seat, self._begin(seat))

    def _begin(self, seat: Seat) -> PendingRequest:
        with self._loading(seat):
            player = seat.player = self.pool.open(seat.prepared, seat.stderr)
            if not self.terms.ponder:
                self.pool.freeze_all_but(player)
            self.pool.play_together([each.player for each in self.seats if each.player])
            request = seat.requests.start(self.position, self.moves)
            try:
                return player.begin(request, self.terms.grace_ms)
            except PlayerFault as error:
                self._kill_reused(seat, player, error)
                return self._begin(seat)

    def _await_ready(self, seat: Seat, start: PendingRequest) -> Session:
        player = seat.player
        assert player is not None, "begun before"
        with self._loading(seat):
            try:
                seat.ready, seat.startup_ms = player.ready(start)
            except PlayerFault as error:
                self._kill_reused(seat, player, error)
                return self._await_ready(seat, self._begin(seat))
        return player

    def _kill_reused(self, seat: Seat, player: Session, error: PlayerFault) -> None:
        """Make way for a fresh process where the fault may come from an earlier game; else raise
        it.
        """
        if not player.reused or error.termination is Termination.VOID:
            raise error
        self._kill(seat)

    @contextmanager
    def _loading(self, seat: Seat) -> Iterator[None]:
        try:
            yield
        except PlayerFault as error:
            seat.lost = error
            raise

    def _fault(self, seat: Seat, error: PlayerFault) -> Fault:
        """The record of a fault; raises _Ended where the game ends with it."""
        word, detail = error.termination, error.detail
        if word is Termination.VOID:
            why = f"The host was overloaded or stopped: {seat.prepared.name} {detail}."
            raise _Ended(Outcome(word, why))
        if STDERR_FOLLOWS not in detail:  # a thread that died may be why no answer came
            last = seat.stderr_totals[-1] if seat.stderr_totals else 0
            crash = seat.stderr.error_since(last)
            detail += f"{STDERR_FOLLOWS}{crash}" if crash else ""
        forfeits = self.terms.on_fault == "forfeit"
        if forfeits or word not in IN_STEP or seat.lost is not None:
            self._kill(seat)
        if forfeits:
            raise _Ended(Outcome(word, detail, seat.index))
        return Fault(ply=len(self.moves), seat=seat.index, termination=word, detail=detail)

    def _kill(self, seat: Seat) -> None:
        if seat.player is not None:
            self.pool.kill(seat.player)
            seat.note_memory()
            seat.player = None

    def _close(self, outcome: Outcome) -> None:
        if outcome.termination is Termination.VOID:  # in the midst of anything: keep no process
            for seat in self.seats:
                self._kill(seat)
        players = {seat.index: seat.player for seat in self.seats if seat.player is not None}
        for player in players.values():
            player.end(self.setup.game, outcome, self.position)
            player.process.note_peak_memory()
        faulty = [players[seat.index] for seat in self.seats if seat.player and seat.random_moves]
        self.pool.finish(players.values(), faulty)
        for seat in self.seats:
            seat.note_memory()
