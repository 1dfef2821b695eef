"""The dialogue with one player: start and ready, turn and move, end, quit.

A session knows messages and limits; the transport below it knows bytes. Faults are raised as
PlayerFault, times are milliseconds unless a name says otherwise.
"""

import time
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from arena.model.protocol import End, Message, Move, Quit, Ready, Start, Termination, Turn
from arena.model.record import PlayerFault
from arena.referee import judge, sentences
from arena.referee.transport import MAX_BLANK_LINES, Transport

_NS_PER_MS = 1_000_000
_FAREWELL_MS = 20
"""For writing `end` or `quit` to a player that does not read."""
_SLOW_READER_MS = 100
"""Beyond this, a wait for a player's full pipe counts as its own time."""


class Answered(NamedTuple):
    """A move and its time."""

    move: Move
    used_ms: float


class PendingRequest(NamedTuple):
    """A request without its answer yet."""

    limit_ms: int
    grace_ms: int
    at: int
    """When its last byte was written."""
    deadline: int


class Session:
    """The dialogue with one player process, for one game or several."""

    def __init__(self, transport: Transport, clock: Callable[[], int] = time.monotonic_ns) -> None:
        self.transport = transport
        self._clock = clock

    def start(self, request: Start, grace_ms: int) -> tuple[Ready, float]:
        """Begin a game; the player's introduction and the time it took. Raises PlayerFault."""
        return self.ready(self.begin(request, grace_ms))

    def begin(self, request: Start, grace_ms: int) -> PendingRequest:
        """The first half of `start`, so that several players can load at once."""
        return self._ask(request, request.startup_ms, grace_ms)

    def ready(self, start: PendingRequest) -> tuple[Ready, float]:
        """The second half of `start`."""
        line, used_ms = self._answer(start)
        return judge.ready(line), used_ms

    def turn(self, request: Turn, grace_ms: int) -> Answered:
        """Ask for a move, within `request.time_ms` and the grace. Raises PlayerFault."""
        line, used_ms = self._answer(self._ask(request, request.time_ms, grace_ms))
        return Answered(judge.move(line, ply=request.ply, legal=request.legal), used_ms)

    def end(self, message: End) -> None:
        """Send how the game ended. No answer is expected, and nothing is judged any more."""
        self._send(message)

    def quit(self) -> None:
        """Send `quit`, and close the player's stdin."""
        self._send(Quit())
        self.transport.close()

    def _send(self, message: Message) -> None:
        with suppress(PlayerFault):
            self.transport.write(_line(message), self._clock() + _FAREWELL_MS * _NS_PER_MS)

    def _ask(self, request: Message, limit_ms: int, grace_ms: int) -> PendingRequest:
        """Write a request. The time of its answer runs from the last byte written."""
        allowed = (limit_ms + grace_ms) * _NS_PER_MS
        self.transport.expect_silence()
        line, began = _line(request), self._clock()
        self.transport.write(line, began + allowed)
        at = self._clock()
        deadline = min(at, began + _SLOW_READER_MS * _NS_PER_MS) + allowed
        return PendingRequest(limit_ms, grace_ms, at, deadline)

    def _answer(self, asked: PendingRequest) -> tuple[bytes, float]:
        """The next line that is not blank, and the time to its newline, under one deadline."""
        for _ in range(MAX_BLANK_LINES + 1):
            line, read_at = self.transport.read_line(asked.deadline)
            used_ms = (read_at - asked.at) / _NS_PER_MS
            if read_at > asked.deadline:
                if not line.strip():
                    raise sentences.late(bytearray())
                raise PlayerFault(
                    Termination.TIMEOUT,
                    f"The reply came after {used_ms:.0f} ms; the limit is {asked.limit_ms} ms "
                    f"and {asked.grace_ms} ms of grace.",
                )
            if line.strip():
                return line, used_ms
        raise PlayerFault(
            Termination.FLOOD,
            f"More than {MAX_BLANK_LINES} blank lines in answer to one request. "
            f"Write one line for each request, and nothing else.",
        )


def _line(message: Message) -> bytes:
    """A message as a line, newline included."""
    return message.__pydantic_serializer__.to_json(message) + b"\n"
