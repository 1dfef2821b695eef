"""A process of the program under check, in the referee's own dialogue, its lines counted."""

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

from arena.checks.positions import PracticeGame
from arena.model.contender import Prepared
from arena.model.protocol import Clock, End, Message, Quit, Start, Termination, Turn
from arena.model.record import PlayerFault
from arena.referee import SessionPool, sentences
from arena.referee.outcome import natural, points
from arena.referee.pool import RunningPlayer
from arena.referee.session import Answered, Session
from arena.referee.transport import OutputLine, PlayerProcess
from arena.sandbox.overload import LEAST_MS
from rules.position import Position

GRACE_MS = 100
"""Added to every limit, as a tournament does by default."""
_MS = 1_000_000
_LISTEN_MS = 50
"""How long the check listens to a program that was not asked."""
_AFTER_CLOSE_MS = 500
"""How long a program that did not answer may still write once its stdin is closed."""
_STDERR = 4000
"""Characters of stderr, the last ones, that are read for advice."""
_BLAMES_LINE = (
    Termination.BAD_UTF8,
    Termination.BAD_JSON,
    Termination.BAD_SCHEMA,
    Termination.WRONG_PLY,
    Termination.ILLEGAL_MOVE,
    Termination.UNSOLICITED,
)
"""Faults of the last line that was read, rather than of a line that did not come."""


class CheckClocks(NamedTuple):
    """The clocks of a check, in milliseconds."""

    startup_ms: int = 30_000
    """For `start`, as a tournament has it by default."""
    move_ms: int = 5_000
    """For a move, as a tournament has it by default."""
    short_ms: int = 500
    """For a move at a short clock."""
    hurry_ms: int = 100
    """Sent where the item is not about the clock; the answer is judged by `move_ms`."""


class Heard(NamedTuple):
    """A line of stdout."""

    number: int
    """Which line of the process, from 1."""
    text: bytes


class Belated(NamedTuple):
    """What a program wrote after its time was over."""

    text: bytes
    after_ms: float
    """Since the deadline."""
    closed: bool
    """Whether its stdin had to be closed before it came."""


@dataclass(eq=False)
class Offence(Exception):
    """A fault of the program, with what the advice needs."""

    fault: PlayerFault
    asked: Start | Turn | None = None
    """The request it failed at; None where it was not asked."""
    heard: Heard | None = None
    """The offending line; None where the offence is not one line."""
    stderr: str = ""
    """Its end."""
    position: Position | None = None
    """The position of the turn it failed at; None where that was not a turn."""
    belated: Belated | None = None
    """The answer after the deadline; None when none came, or none was waited for."""

    @property
    def termination(self) -> Termination:
        """The word of the fault."""
        return self.fault.termination

    @property
    def detail(self) -> str:
        """The referee's sentence."""
        return self.fault.detail


class Overloaded(Exception):
    """The host kept the program from answering in time; the message says by how much."""


class Dialogue:
    """One process, from its start on. Every method may raise Offence, or Overloaded."""

    def __init__(self, pool: SessionPool, spec: Prepared, clocks: CheckClocks) -> None:
        """Start the process. Raises Offence (`start_failed`)."""
        self._clocks = clocks
        self._pool = pool
        self._told = 0
        self._used_ms = 0.0
        self.games = 0
        """Games begun so far."""
        try:
            self._player: RunningPlayer = pool.open(spec)
        except PlayerFault as fault:
            raise Offence(fault) from None
        self.process = self._player.process
        self._listener = _Listener(self.process)
        self._session = Session(self._listener)

    @property
    def lines(self) -> int:
        """Lines of its stdout read so far."""
        return self._listener.last.number

    def start(self, practice: PracticeGame, move_ms: int | None = None) -> float:
        """Begin a game, by default at `hurry_ms` a move; the milliseconds `ready` took."""
        self.games += 1
        game = practice.position.game
        request = Start(
            game=f"check{self.games}",
            rules=game.name,
            variant=game.variant,
            seat=practice.seat,
            seats=game.seats,
            clock=Clock(move_ms=move_ms or self._clocks.hurry_ms),
            startup_ms=self._clocks.startup_ms,
            seed=self.games,
            options={},
            state=practice.position.state(),
            moves=practice.moves,
        )
        self._told, self._used_ms = len(practice.moves), 0.0
        with self._judged(request):
            _, used_ms = self._session.start(request, GRACE_MS)
        return used_ms

    def ask(self, practice: PracticeGame, time_ms: int | None = None) -> Answered:
        """Ask for a move within `time_ms`.

        Without it the request says `hurry_ms` and the answer is judged by `move_ms`: the item is
        not about the clock.
        """
        told_ms = time_ms or self._clocks.hurry_ms
        lenience_ms = 0 if time_ms else self._clocks.move_ms - told_ms
        request = Turn(
            game=f"check{self.games}",
            ply=len(practice.moves),
            time_ms=told_ms,
            bank_ms=None,
            state=practice.position.state(),
            moves=practice.moves[self._told :],
            legal=list(practice.position.legal_moves()),
            used_ms=round(self._used_ms),
        )
        with self._judged(request, practice.position):
            answered = self._session.turn(request, GRACE_MS + lenience_ms)
        self._told, self._used_ms = len(practice.moves), answered.used_ms
        return answered

    def play_on(self, practice: PracticeGame, moves: int, seconds: float = math.inf) -> None:
        """Ask for moves until the game, the moves or the time are over.

        For an illegal answer another move is played.
        """
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
        """Tell the program that the game is over; one that is not is called void."""
        outcome = natural(practice.position)
        if not practice.is_over:
            outcome = outcome._replace(termination=Termination.VOID, detail="The check goes on.")
        message = End(
            game=f"check{self.games}",
            termination=outcome.termination,
            detail=outcome.detail,
            scores=list(practice.position.scores()),
            points=list(points(outcome, practice.position)),
        )
        self._session.end(message)

    def listen(self) -> None:
        """Ask nothing: the program must be silent, and alive."""
        time.sleep(_LISTEN_MS / 1000)
        with self._judged():
            try:
                while not (line := self._listener.read_line(0)).text.strip():
                    pass
            except PlayerFault:  # no line came: anything else has its own sentence
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
        """Whether it ends by itself in this time; its output is thrown away."""
        self.process.wait_for_exit(time.monotonic_ns() + int(patience_s * 1e9))
        try:
            self.process.expect_silence()
        except PlayerFault as fault:
            return fault.termination is Termination.EXITED
        return False

    def kill(self) -> None:
        """Kill the process."""
        self._pool.kill(self._player)

    def _write(self, message: Message) -> None:
        line = message.model_dump_json().encode() + b"\n"
        with self._judged():
            self._listener.write(line, time.monotonic_ns() + GRACE_MS * _MS)

    @contextmanager
    def _judged(
        self, asked: Start | Turn | None = None, position: Position | None = None
    ) -> Iterator[None]:
        """Turn a fault into an offence, with what is known of it."""
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
        for closed, patience_ms in ((False, self._clocks.move_ms), (True, _AFTER_CLOSE_MS)):
            if closed:
                self.process.close()
            try:
                line = self._listener.read_line(time.monotonic_ns() + patience_ms * _MS)
            except PlayerFault:
                continue
            return Belated(line.text, (line.read_at - began) / _MS, closed)
        return None


class _Listener:
    """A session's transport that counts the lines it reads and keeps the last."""

    def __init__(self, process: PlayerProcess) -> None:
        self._process = process
        self.last = Heard(0, b"")

    def expect_silence(self) -> None:
        self._process.expect_silence()

    def write(self, line: bytes, deadline: int) -> None:
        self._process.write(line, deadline)

    def read_line(self, deadline: int) -> OutputLine:
        line = self._process.read_line(deadline)
        self.last = Heard(self.last.number + 1, line.text)
        return line

    def close(self) -> None:
        self._process.close()
