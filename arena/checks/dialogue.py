"""A process of the program under check, in the referee's own dialogue, its lines counted."""

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

from arena.checks.conditions import CheckClocks, GameNames
from arena.checks.positions import PracticeGame
from arena.model.contender import Prepared
from arena.model.protocol import Clock, Termination
from arena.model.record import STDERR_FOLLOWS, PlayerFault
from arena.referee import SessionPool, sentences
from arena.referee.game import IN_STEP
from arena.referee.head_tail import HeadTail
from arena.referee.outcome import after_plies, finished
from arena.referee.requests import QUIT, Requests, StartRequest, TurnRequest
from arena.referee.session import Answered
from rules.position import Position

_MS = 1_000_000
_FAREWELL_MS = 100
_LISTEN_MS = 50
"""How long a program that was not asked is listened to."""
_AFTER_CLOSE_MS = 500
"""How long one that did not answer is listened to, once its stdin is closed."""
STDERR_KEPT = 4000
"""Characters of its stderr, the last ones, that are read for advice."""
_BLAMES_LINE = (*IN_STEP, Termination.UNSOLICITED)
"""Faults of the last line that was read, rather than of a line that did not come."""


class Heard(NamedTuple):
    """A line of stdout, and which of its process it is, from 1."""

    number: int
    text: bytes


class Belated(NamedTuple):
    """An answer that came that long after its deadline."""

    text: bytes
    after_ms: float
    closed: bool
    """Whether its stdin had to be closed before it came."""


@dataclass(eq=False)
class Offence(Exception):
    """A fault of the program, with the circumstances that the advice needs."""

    fault: PlayerFault
    request: StartRequest | TurnRequest | None = None
    """The request it failed at; None where it was not asked."""
    heard: Heard | None = None
    """The offending line; None where the offence is not one line."""
    stderr: str = ""
    """The end of its stderr."""
    position: Position | None = None
    """The position of the turn it failed at; None where that was not a turn."""
    belated: Belated | None = None
    """The answer after the deadline; None when none came, or none was waited for."""
    waited_ms: int | None = None
    """How long an answer was waited for after the deadline; None where it was not."""
    limit: str = "in time"
    """By when the answer had to come."""

    @property
    def termination(self) -> Termination:
        return self.fault.termination

    @property
    def detail(self) -> str:
        return self.fault.detail

    @property
    def message(self) -> str:
        """The detail, with the end of its stderr where that may have the cause."""
        stderr = HeadTail()
        stderr.feed(self.stderr.encode())
        end = stderr.last_lines()
        is_complete = STDERR_FOLLOWS in self.detail or self.termination is Termination.ILLEGAL_MOVE
        return self.detail if is_complete or not end else f"{self.detail}{STDERR_FOLLOWS}{end}"


class Overloaded(Exception):
    """The host kept the program from answering in time; the message has the measured delay."""


class Dialogue:
    """One process, from its start on. Every method may raise Offence, or Overloaded."""

    def __init__(
        self, pool: SessionPool, spec: Prepared, clocks: CheckClocks, names: GameNames
    ) -> None:
        """Start the process. Raises Offence (`start_failed`)."""
        self._clocks, self._options = clocks, spec.options
        self._names = names
        self._pool = pool
        self.games = 0  # games begun so far
        try:
            self._session = pool.open(spec)
        except PlayerFault as fault:
            raise Offence(fault) from None
        self.process = self._session.process

    def start(self, practice: PracticeGame, clock: Clock | None = None) -> float:
        """Begin a game at that clock; the milliseconds `ready` took. Without one it is `hurry`, and
        moves are judged by `patience_ms`: the item is not about the clock.
        """
        self.games += 1
        self._grace_ms = self._clocks.grace_ms if clock else self._clocks.lenient_ms
        game, sent = self._names.next(), clock or self._clocks.hurry
        startup_ms, seed = self._clocks.startup_ms, self._names.seed(game)
        self._requests = Requests(game, practice.seat, sent, startup_ms, seed, self._options)
        request = self._requests.start(practice.position, practice.moves)
        with self._judged(request):
            _, used_ms = self._session.start(request, self._clocks.grace_ms)
        return used_ms

    def ask(self, practice: PracticeGame) -> Answered:
        """Ask for a move within the limit of the game."""
        request = self._requests.turn(practice.position, practice.moves)
        with self._judged(request, practice.position):
            answered = self._session.turn(request, self._grace_ms)
        self._requests.answered(len(practice.moves), answered.used_ms)
        return answered

    def turns(self, practice: PracticeGame, moves: int) -> Iterator[Answered]:
        """Ask for and play that many moves, or until the game is over; each answer."""
        for _ in range(moves):
            if not practice.is_over:
                answered = self.ask(practice)
                yield answered
                practice.play(answered.move.move)

    def play_on(self, practice: PracticeGame, moves: int, seconds: float = math.inf) -> None:
        """Ask for moves until the game, the moves or the time are over; replace illegal ones."""
        deadline = time.monotonic() + seconds
        for _ in range(moves):
            if practice.is_over or time.monotonic() >= deadline:
                return
            try:
                move = self.ask(practice).move.move
            except Offence as offence:
                if offence.termination not in (Termination.ILLEGAL_MOVE, Termination.WRONG_PLY):
                    raise
                move = practice.position.legal_moves()[0]
            practice.play(move)

    def end(self, practice: PracticeGame) -> None:
        """Send `end`; a game that is not over is ended by its plies."""
        if practice.is_over:
            outcome = finished(practice.position)
        else:
            outcome = after_plies(practice.position, len(practice.moves))
        self._session.end(self._requests.game, outcome, practice.position)

    def listen(self) -> None:
        """Ask nothing: the program must be silent, and alive."""
        time.sleep(_LISTEN_MS / 1000)
        with self._judged():
            try:
                while not (line := self.process.read_line(0, excused=False)).text.strip():
                    pass
            except PlayerFault:  # no line came: anything else has its own sentence
                self.process.expect_silence()
            else:
                raise sentences.spoke_unasked(line.text)

    def send_quit(self) -> None:
        """Send `quit`, and leave its stdin open."""
        with self._judged():
            self.process.write(QUIT, time.monotonic_ns() + _FAREWELL_MS * _MS)

    def close_stdin(self) -> None:
        """Close its stdin without sending `quit`."""
        self.process.close()

    def exits(self, patience_s: float) -> bool:
        """Whether it ends by itself in this time; its output is thrown away."""
        self.process.wait_for_exit(time.monotonic_ns() + int(patience_s * 1e9), excused=True)
        try:
            self.process.expect_silence()
        except PlayerFault as fault:
            return fault.termination is Termination.EXITED
        return False

    def kill(self) -> None:
        self._pool.kill(self._session)

    @contextmanager
    def _judged(
        self, request: StartRequest | TurnRequest | None = None, position: Position | None = None
    ) -> Iterator[None]:
        before = self.process.lines_read
        try:
            yield
        except PlayerFault as fault:
            if fault.termination is Termination.VOID:
                raise Overloaded(f"it {fault.detail}") from None
            lines = self.process.lines_read
            blamed = fault.termination in _BLAMES_LINE and lines > before
            waits = request and fault.termination is Termination.TIMEOUT and lines == before
            raise Offence(
                fault,
                request,
                Heard(lines, self.process.last_line) if blamed else None,
                (self.process.stderr.head + self.process.stderr.tail)[-STDERR_KEPT:],
                position,
                self._belated() if waits else None,
                self._clocks.patience_ms if waits else None,
            ) from None

    def _belated(self) -> Belated | None:
        """The answer after its deadline: late by itself, or once stdin is closed."""
        began = time.monotonic_ns()
        for closed, patience_ms in ((False, self._clocks.patience_ms), (True, _AFTER_CLOSE_MS)):
            if closed:
                self.process.close()
            try:
                until = time.monotonic_ns() + patience_ms * _MS
                line = self.process.read_line(until, excused=False)
            except PlayerFault:
                continue
            return Belated(line.text, (line.read_at - began) / _MS, closed)
        return None
