"""The dialogue with one player: start and ready, turn and move, end, quit.

A session knows messages and limits; the transport below it knows bytes. Faults are raised as
PlayerFault, times are milliseconds unless a name says otherwise.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from arena.protocol import End, Message, Move, Quit, Ready, Start, Termination, Turn
from arena.referee import judge
from arena.referee.fault import PlayerFault
from arena.referee.transport import MAX_BLANK_LINES, Transport

_NS_PER_MS = 1_000_000
_FAREWELL_MS = 20
"""How long a player that does not read may keep us from saying `end` or `quit`."""


class Answered(NamedTuple):
    """A move and what it took."""

    move: Move
    used_ms: float


class Session:
    """One player process in dialogue, for one game or several."""

    def __init__(self, transport: Transport, clock: Callable[[], int] = time.monotonic_ns) -> None:
        self.transport = transport
        self._clock = clock

    def start(self, request: Start, grace_ms: int) -> tuple[Ready, float]:
        """Begin a game; the player's introduction and the time it took. Raises PlayerFault."""
        line, used_ms = self._ask(request, request.startup_ms, grace_ms)
        return judge.ready(line), used_ms

    def turn(self, request: Turn, grace_ms: int) -> Answered:
        """Ask for a move, within `request.time_ms` and the grace. Raises PlayerFault."""
        line, used_ms = self._ask(request, request.time_ms, grace_ms)
        return Answered(judge.move(line, ply=request.ply, legal=request.legal), used_ms)

    def end(self, message: End) -> None:
        """Tell how the game ended. Nobody answers, and nothing is judged any more."""
        self._tell(message)

    def quit(self) -> None:
        """Tell the player to exit, and close its stdin."""
        self._tell(Quit())
        self.transport.close()

    def _tell(self, message: Message) -> None:
        with suppress(PlayerFault):
            self.transport.write(_line(message), self._clock() + _FAREWELL_MS * _NS_PER_MS)

    def _ask(self, request: Message, limit_ms: int, grace_ms: int) -> tuple[bytes, float]:
        """Write a request and read the next line that is not blank, under one deadline.

        The time runs from the last byte written to the newline read.
        """
        transport, allowed = self.transport, (limit_ms + grace_ms) * _NS_PER_MS
        transport.expect_silence()
        transport.write(_line(request), self._clock() + allowed)
        asked = self._clock()
        deadline = asked + allowed
        for _ in range(MAX_BLANK_LINES + 1):
            line = transport.read_line(deadline)
            used = self._clock() - asked
            if used > allowed:
                raise PlayerFault(
                    Termination.TIMEOUT,
                    f"The reply came after {used / _NS_PER_MS:.0f} ms; the limit is {limit_ms} ms "
                    f"and {grace_ms} ms of grace.",
                )
            if line.strip():
                return line, used / _NS_PER_MS
        raise PlayerFault(
            Termination.FLOOD,
            f"More than {MAX_BLANK_LINES} blank lines in answer to one request. "
            f"Write one line for each request, and nothing else.",
        )


def _line(message: Message) -> bytes:
    """A message as it is written, newline included."""
    return message.__pydantic_serializer__.to_json(message) + b"\n"
