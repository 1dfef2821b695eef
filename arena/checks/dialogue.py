"""A process of the program under check, asked in the referee's own dialogue, its lines counted."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from arena.checks.table import Table
from arena.model.fault import PlayerFault
from arena.model.game_spec import PlayerSpec
from arena.model.protocol import Clock, End, Message, Quit, Start, Termination, Turn
from arena.referee import SessionPool, sentences
from arena.referee.outcome import natural, points
from arena.referee.pool import Player
from arena.referee.session import Answered, Session
from arena.referee.transport import Line, PlayerProcess
from arena.sandbox.overload import LEAST_MS
from rules.position import Position

GRACE_MS = 100
"""Added to every limit, as a tournament does by default."""
_MS = 1_000_000
_LISTEN_MS = 50
"""How long a program is listened to that was not asked."""
_AFTER_CLOSE_MS = 500
"""How long a program that did not answer may still write once its stdin is closed."""
_STDERR = 4000
"""So many last characters of stderr are read for advice."""
_BLAMES_LINE = (
    Termination.BAD_UTF8,
    Termination.BAD_JSON,
    Termination.BAD_SCHEMA,
    Termination.WRONG_PLY,
    Termination.ILLEGAL_MOVE,
    Termination.UNSOLICITED,
)
"""What is wrong with the last line that was read, rather than with none having come."""


class Limits(NamedTuple):
    """The clocks of a check, in milliseconds."""

    startup_ms: int = 30_000
    """For `start`, as a tournament has it by default."""
    move_ms: int = 5_000
    """For a move, as a tournament has it by default."""
    short_ms: int = 500
    """For a move at a short clock."""
    hurry_ms: int = 100
    """What is told where the clock is not what is looked at; judged by `move_ms`."""


class Heard(NamedTuple):
    """A line of stdout."""

    number: int
    """Which line of the process, from 1."""
    text: bytes


class Belated(NamedTuple):
    """What a program wrote when its time was over."""

    text: bytes
    after_ms: float
    """Since the deadline."""
    closed: bool
    """Whether its stdin had to be closed before it came."""


class Offence(Exception):
    """A fault of the program, and what is needed to say what to change."""

    def __init__(
        self,
        fault: PlayerFault,
        asked: Start | Turn | None = None,
        heard: Heard | None = None,
        stderr: str = "",
        position: Position | None = None,
        belated: Belated | None = None,
    ) -> None:
        super().__init__(fault.detail)
        self.termination = fault.termination
        self.detail = fault.detail
        self.asked = asked
        """The request it failed at; None where it was not asked, or before its first."""
        self.heard = heard
        """The offending line; None where the offence is not one line."""
        self.stderr = stderr
        """The end of it."""
        self.position = position
        """Where it was asked for a move; None where it was not."""
        self.belated = belated
        """The answer that came after the deadline; None when none did, or none was awaited."""


class Overloaded(Exception):
    """The host kept the program from answering in time; the message says by how much."""


class Dialogue:
    """One process, from its start on. Every method may raise Offence, or Overloaded."""

    def __init__(self, pool: SessionPool, spec: PlayerSpec, limits: Limits) -> None:
        """Start the process. Raises Offence (`start_failed`)."""
        self._limits = limits
        self._pool = pool
        self._told = 0
        self._used_ms = 0.0
        self.games = 0
        """How many games it was told to start."""
        try:
            self._player: Player = pool.open(spec)
        except PlayerFault as fault:
            raise Offence(fault) from None
        self.process = self._player.process
        self._listener = _Listener(self.process)
        self._session = Session(self._listener)

    @property
    def lines(self) -> int:
        """How many lines of its stdout were read."""
        return self._listener.last.number

    def start(self, table: Table, clock: Clock) -> float:
        """Begin a game at its seat of the table; how many milliseconds `ready` took."""
        self.games += 1
        game = table.position.game
        request = Start(
            game=f"check{self.games}",
            rules=game.name,
            variant=game.variant,
            seat=table.seat,
            seats=game.seats,
            clock=clock,
            startup_ms=self._limits.startup_ms,
            seed=self.games,
            options={},
            state=table.position.state(),
            moves=table.moves,
        )
        self._told, self._used_ms = len(table.moves), 0.0
        with self._judged(request):
            _, used_ms = self._session.start(request, GRACE_MS)
        return used_ms

    def ask(self, table: Table, time_ms: int | None = None) -> Answered:
        """Ask for a move within `time_ms`. Without it the program is told to hurry, and judged as
        if it had not been: its clock is not what is looked at.
        """
        told_ms = time_ms or self._limits.hurry_ms
        lenience_ms = 0 if time_ms else self._limits.move_ms - told_ms
        request = Turn(
            game=f"check{self.games}",
            ply=len(table.moves),
            time_ms=told_ms,
            bank_ms=None,
            state=table.position.state(),
            moves=table.moves[self._told :],
            legal=list(table.position.legal_moves()),
            used_ms=round(self._used_ms),
        )
        with self._judged(request, table.position):
            answered = self._session.turn(request, GRACE_MS + lenience_ms)
        self._told, self._used_ms = len(table.moves), answered.used_ms
        return answered

    def go_on(self, table: Table) -> None:
        """Ask for a move and play it, or another one for an answer that is none."""
        try:
            move = self.ask(table).move.move
        except Offence as offence:
            if offence.termination not in (Termination.ILLEGAL_MOVE, Termination.WRONG_PLY):
                raise
            move = table.position.legal_moves()[0]
        table.play(move)

    def end(self, table: Table) -> None:
        """Tell that the game is over; one that is not is called void."""
        outcome = natural(table.position)
        if not table.is_over:
            outcome = outcome._replace(termination=Termination.VOID, detail="The check goes on.")
        message = End(
            game=f"check{self.games}",
            termination=outcome.termination,
            detail=outcome.detail,
            scores=list(table.position.scores()),
            points=list(points(outcome, table.position)),
        )
        self._session.end(message)

    def listen(self) -> None:
        """Nobody asks it anything: it is to be silent, and alive."""
        time.sleep(_LISTEN_MS / 1000)
        with self._judged():
            try:
                while not (line := self._listener.read_line(0)).text.strip():
                    pass
            except PlayerFault:  # there is no line: whatever else there is has its own sentence
                self.process.expect_silence()
            else:
                raise sentences.spoke_unasked(line.text)

    def say_quit(self) -> None:
        """Tell it to quit, and leave its stdin open."""
        self._write(Quit())

    def close_stdin(self) -> None:
        """Close its stdin without a word."""
        self.process.close()

    def exits(self, patience_s: float) -> bool:
        """Whether it ends by itself in this time; what it still says is thrown away."""
        self.process.wait_for_exit(time.monotonic_ns() + int(patience_s * 1e9))
        try:
            self.process.expect_silence()
        except PlayerFault as fault:
            return fault.termination is Termination.EXITED
        return False

    def kill(self) -> None:
        """End the process, whatever it does."""
        self._pool.kill(self._player)

    def _write(self, message: Message) -> None:
        line = message.model_dump_json().encode() + b"\n"
        with self._judged():
            self._listener.write(line, time.monotonic_ns() + GRACE_MS * _MS)

    @contextmanager
    def _judged(
        self, asked: Start | Turn | None = None, position: Position | None = None
    ) -> Iterator[None]:
        """Turn a fault into an offence, with all there is to know of it."""
        before = self.lines
        try:
            yield
        except PlayerFault as fault:
            stolen_ms = self.process.stolen_ms()  # the referee calls such a game void
            if fault.termination is Termination.TIMEOUT and stolen_ms > max(GRACE_MS, LEAST_MS):
                raise Overloaded(
                    f"it was late, and had waited {stolen_ms:.0f} ms for a CPU that others used"
                ) from None
            blamed = fault.termination in _BLAMES_LINE and self.lines > before
            silent = fault.termination is Termination.TIMEOUT and self.lines == before
            raise Offence(
                fault,
                asked,
                self._listener.last if blamed else None,
                (self.process.stderr.head + self.process.stderr.tail)[-_STDERR:],
                position,
                self._belated() if asked and silent else None,
            ) from None

    def _belated(self) -> Belated | None:
        """The answer after its deadline: late by itself, or once stdin is closed."""
        began = time.monotonic_ns()
        for closed, patience_ms in ((False, self._limits.move_ms), (True, _AFTER_CLOSE_MS)):
            if closed:
                self.process.close()
            try:
                line = self._listener.read_line(time.monotonic_ns() + patience_ms * _MS)
            except PlayerFault:
                continue
            return Belated(line.text, (line.read_at - began) / _MS, closed)
        return None


class _Listener:
    """The transport of a session that keeps the last line it has read, and how many there were."""

    def __init__(self, process: PlayerProcess) -> None:
        self._process = process
        self.last = Heard(0, b"")

    def expect_silence(self) -> None:
        self._process.expect_silence()

    def write(self, line: bytes, deadline: int) -> None:
        self._process.write(line, deadline)

    def read_line(self, deadline: int) -> Line:
        line = self._process.read_line(deadline)
        self.last = Heard(self.last.number + 1, line.text)
        return line

    def close(self) -> None:
        self._process.close()
