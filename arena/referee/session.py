"""The dialogue with one player: start and ready, turn and move, end, quit. Faults are raised as
PlayerFault; times are milliseconds unless a name says otherwise.
"""

import time
from collections.abc import Callable
from contextlib import suppress

import msgspec

from arena.model.protocol import Ready, Termination
from arena.model.record import PlayerFault
from arena.referee import judge, sentences
from arena.referee.outcome import Outcome
from arena.referee.requests import QUIT, StartRequest, TurnRequest, end_request
from arena.referee.transport import MAX_BLANK_LINES, OutputLine, PlayerProcess
from rules.position import Position

_NS_PER_MS = 1_000_000
_FAREWELL_MS = 20  # for writing `end` or `quit` to a player that does not read
_SLOW_READER_MS = 100  # beyond this, a wait for a player's full pipe counts as its own time


class Answered(msgspec.Struct, frozen=True):
    move: judge.JudgedMove
    used_ms: float


class PendingRequest(msgspec.Struct, frozen=True):
    """A request without its answer yet: `at` is when its last byte was written, in ns."""

    limit_ms: int
    grace_ms: int
    at: int
    deadline: int
    banked: bool


class Session:
    """A player process and the dialogue with it, for one game or several."""

    def __init__(
        self, process: PlayerProcess, clock: Callable[[], int] = time.monotonic_ns
    ) -> None:
        self.process = process
        self.reused = False
        """Whether it has played a game before: what it does wrong as the next begins may come from
        there, and a fresh process is tried in its place."""
        self._clock = clock

    def start(self, request: StartRequest, grace_ms: int) -> tuple[Ready, float]:
        """Begin a game; the player's introduction and the time it took. Raises PlayerFault."""
        return self.ready(self.begin(request, grace_ms))

    def begin(self, request: StartRequest, grace_ms: int) -> PendingRequest:
        """The first half of `start`, so that several players can load at once."""
        return self._ask(request.line, request.startup_ms, grace_ms)

    def ready(self, start: PendingRequest) -> tuple[Ready, float]:
        """The second half of `start`."""
        try:
            line, used_ms = self._answer(start)
        except PlayerFault as fault:
            if fault.termination is not Termination.TIMEOUT:
                raise
            raise sentences.late_to_start(fault, start.limit_ms) from None
        return judge.ready(line), used_ms

    def turn(self, request: TurnRequest, grace_ms: int) -> Answered:
        """Ask for a move, within `request.time_ms` and the grace. Raises PlayerFault."""
        pending = self._ask(request.line, request.time_ms, grace_ms, banked=request.banked)
        line, used_ms = self._answer(pending)
        return Answered(judge.move(line, ply=request.ply, legal=request.legal), used_ms)

    def end(self, game: str, outcome: Outcome, position: Position) -> None:
        """Send how the game ended. No answer is expected, and nothing is judged any more."""
        self._send(end_request(game, outcome, position))

    def quit(self) -> None:
        """Send `quit`, and close the player's stdin."""
        self._send(QUIT)
        self.process.close()

    def _send(self, line: bytes) -> None:
        with suppress(PlayerFault):
            self.process.write(line, self._clock() + _FAREWELL_MS * _NS_PER_MS)

    def _ask(
        self, line: bytes, limit_ms: int, grace_ms: int, *, banked: bool = False
    ) -> PendingRequest:
        allowed = (limit_ms + grace_ms) * _NS_PER_MS
        self.process.expect_silence()
        began = self._clock()
        self.process.write(line, began + allowed)
        at = self._clock()
        deadline = min(at, began + _SLOW_READER_MS * _NS_PER_MS) + allowed
        return PendingRequest(limit_ms, grace_ms, at, deadline, banked)

    def _answer(self, pending: PendingRequest) -> tuple[bytes, float]:
        """The next line that is not blank, and the time to its newline, under one deadline. A late
        one is excused (void) while its own time, without what the host took, is within it. What
        the host took comes off no bank: over many moves it would be what loses the game.
        """
        for _ in range(MAX_BLANK_LINES + 1):
            output = self.process.read_line(pending.deadline, metered=pending.banked)
            taken = output.host_delay.ns if pending.banked else 0
            used_ms = max(0, output.read_at - pending.at - max(output.missed, taken)) / _NS_PER_MS
            if output.read_at > pending.deadline:
                _judge_late(output, used_ms, pending)
            if output.text.strip():
                return output.text, used_ms
        raise PlayerFault(
            Termination.FLOOD,
            f"More than {MAX_BLANK_LINES} blank lines in answer to one request. "
            f"Write one line for each request, and nothing else.",
        )


def _judge_late(output: OutputLine, used_ms: float, pending: PendingRequest) -> None:
    """Raise PlayerFault for a line that came too late, but for an excused blank one."""
    text = output.text.strip()
    if output.read_at - pending.deadline <= output.host_delay.ns:
        if text:
            raise sentences.kept_from_answering(output.host_delay.how)
    elif text:
        raise PlayerFault(
            Termination.TIMEOUT,
            f"The reply came after {used_ms:.0f} ms; the limit is {pending.limit_ms} ms "
            f"and {pending.grace_ms} ms of grace.",
        )
    else:
        raise sentences.late(bytearray())
