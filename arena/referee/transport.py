"""One player process: bytes and lines over its pipes, its death, its memory, its end.

No asyncio and no threads: one `poll` over stdout, stderr and the process itself, with one deadline
a request. What a player writes is taken in bounded pieces, so that no flood grows our memory.
Times are nanoseconds of `time.monotonic_ns`.
"""

from __future__ import annotations

import os
import select
import time
from contextlib import suppress
from typing import NamedTuple, Protocol

from arena.model.contender import Prepared
from arena.model.fault import PlayerFault
from arena.model.protocol import MAX_LINE_BYTES, Termination
from arena.referee import sentences
from arena.referee.head_tail import Ends
from arena.sandbox.container import Cage
from arena.sandbox.overload import Load, stolen_ms

MAX_BLANK_LINES = 100
"""How many blank lines are let pass in answer to one request."""

_CHUNK_BYTES = 64 * 1024
_FLOOD_BYTES = 32 * 1024
"""So much waiting is no stray answer. Less than a pipe holds: short writes leave gaps in it."""
_WATCH_MS = 25
"""How often memory is sampled while we wait; the first slice of a wait costs nothing."""
_DYING_MS = 500
"""A process that ends closes its pipes a moment before it can be seen dead; a large one on a busy
host, a long moment."""


class Line(NamedTuple):
    """What a player wrote, without the newline, and when the last of it was read."""

    text: bytes
    read_at: int


class Transport(Protocol):
    """What a session needs of a player; every method may raise PlayerFault."""

    def expect_silence(self) -> None:
        """Judge what the player wrote without being asked."""

    def write(self, line: bytes, deadline: int) -> None:
        """Write a request, newline included."""

    def read_line(self, deadline: int) -> Line:
        """The next line, if it was complete by the deadline."""

    def close(self) -> None:
        """Ask the process to exit: no more requests will come."""


class PlayerProcess:
    """A player's process and its pipes, in a sandbox that may use `cores` (None: all of ours).

    Starting it may raise PlayerFault (`start_failed`).
    """

    def __init__(self, spec: Prepared, cores: tuple[int, ...] | None = None) -> None:
        self.stderr = Ends()
        self.peak_memory_bytes = 0
        self.beside: tuple[PlayerProcess, ...] = ()
        """The game's other players, looked after whenever this one keeps us waiting."""
        self.fault: PlayerFault | None = None
        """Why it was ended while another was waited for; raised when it is asked again."""
        self._limit_bytes = spec.memory_mb * 2**20 if spec.memory_mb is not None else None
        self.cage = Cage(spec, cores)
        self._process = self.cage.start()
        self.pid = self._process.pid
        self._stdin, self._stdout, self._stderr = (
            pipe.fileno()
            for pipe in (self._process.stdin, self._process.stdout, self._process.stderr)
            if pipe is not None
        )
        for descriptor in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(descriptor, False)
        self._pidfd = os.pidfd_open(self.pid)
        self._poll = select.poll()
        for descriptor in (self._stdout, self._stderr, self._pidfd):
            self._poll.register(descriptor, select.POLLIN)
        self._buffer = bytearray()
        self._read_at = time.monotonic_ns()
        self._sample_at = 0
        self._before: Load | None = None
        """Taken early in the wait for an answer."""
        self._late = False
        """Whether the last line was complete, but not in time."""
        self._frozen = False
        self._killed = False

    # Requests and replies

    def expect_silence(self) -> None:
        """Nobody was asked: a dead process, a closed stdout and waiting bytes are faults.

        Blank lines are let pass. Raises PlayerFault.
        """
        events = self._events(0)
        if self.fault is not None:
            raise self.fault
        open_ = self._read_stdout() if self._stdout in events else True
        if self._pidfd in events:
            raise self._exited()
        self._watch_memory()  # who always answers at once is never waited for
        if self._buffer:
            self._judge_waiting()
        if not open_:
            raise self._closed_pipe("stdout", Termination.STDOUT_CLOSED)

    def _judge_waiting(self) -> None:
        waiting = bytes(self._buffer)
        self._buffer.clear()
        blank = not waiting.strip()
        if len(waiting) >= _FLOOD_BYTES or (blank and waiting.count(b"\n") > MAX_BLANK_LINES):
            raise sentences.too_much_unasked(waiting)
        if not blank:
            raise sentences.spoke_unasked(waiting)

    def write(self, line: bytes, deadline: int) -> None:
        """Write all of `line`, to a player that is not frozen any more.

        Raises PlayerFault: exited, stdin_closed, timeout, out_of_memory.
        """
        self._before = None
        self._late = False
        if self._frozen:
            self._frozen = False
            self.cage.thaw()
        try:
            try:
                written = os.write(self._stdin, line)
            except BlockingIOError:
                written = 0
            if written < len(line):
                self._write_rest(memoryview(line)[written:], deadline)
        except BrokenPipeError:
            raise self._closed_pipe("stdin", Termination.STDIN_CLOSED) from None

    def _write_rest(self, rest: memoryview, deadline: int) -> None:
        """The pipe is full: wait for room, until the deadline."""
        self._poll.unregister(self._stdout)  # what it says meanwhile can wait
        self._poll.register(self._stdin, select.POLLOUT)
        try:
            while rest:
                events = self._wait(deadline)
                if self._pidfd in events:
                    raise self._exited()
                if not events:
                    raise sentences.did_not_read()
                with suppress(BlockingIOError):
                    rest = rest[os.write(self._stdin, rest) :]
        finally:
            self._poll.unregister(self._stdin)
            self._poll.register(self._stdout, select.POLLIN)

    def read_line(self, deadline: int) -> Line:
        """The next line.

        One deadline: partial output never extends it. Raises PlayerFault: exited, stdout_closed,
        line_too_long, timeout, out_of_memory.
        """
        searched = 0
        if self.fault is not None:
            raise self.fault
        while True:
            newline = self._buffer.find(b"\n", searched)
            if newline > MAX_LINE_BYTES or (newline < 0 and len(self._buffer) > MAX_LINE_BYTES):
                if self._read_at > deadline:
                    raise sentences.late(self._buffer)
                raise sentences.line_too_long(self._buffer)
            if newline >= 0:
                line = bytes(self._buffer[:newline])
                del self._buffer[: newline + 1]
                self._late = self._read_at > deadline
                return Line(line, self._read_at)
            searched = len(self._buffer)
            events = self._wait(deadline)
            if not events:
                raise sentences.late(self._buffer)
            open_ = self._read_stdout()  # also at a death alone: its last line may just be there
            if self._pidfd in events and len(self._buffer) == searched:
                raise self._exited()
            if not open_:
                raise self._closed_pipe("stdout", Termination.STDOUT_CLOSED)

    def _read_stdout(self) -> bool:
        """Take a piece into the buffer; False at the end of the stream."""
        try:
            data = os.read(self._stdout, _CHUNK_BYTES)
        except BlockingIOError:
            return True
        self._buffer += data
        self._read_at = time.monotonic_ns()
        return bool(data)

    # Waiting

    def _wait(self, deadline: int) -> set[int]:
        """Descriptors that are ready; empty when the deadline has passed. stderr is seen to."""
        while True:
            left_ms = max(0, -(-(deadline - time.monotonic_ns()) // 1_000_000))
            events = self._events(min(left_ms, _WATCH_MS))
            if events:
                return events
            if left_ms <= _WATCH_MS and time.monotonic_ns() > deadline:
                return events
            self._watch_memory()
            if self._before is None:
                self._before = self._load()
            for other in self.beside:
                other.look_after()

    def look_after(self) -> None:
        """While another is waited for: take what this player says, and watch its memory.

        Nothing is judged before it is asked again, and no more than a line's worth is taken.
        """
        if self._killed:
            return
        if self._frozen:
            self.cage.freeze()  # signals miss who was being forked
        if self._stdout in self._events(0) and len(self._buffer) <= MAX_LINE_BYTES:
            self._read_stdout()
        try:
            self._watch_memory()
        except PlayerFault as fault:
            self.fault = fault

    def _events(self, timeout_ms: int) -> set[int]:
        """Descriptors that are ready now or within the timeout, stderr drained and left out."""
        ready = {descriptor for descriptor, _ in self._poll.poll(timeout_ms)}
        if self._stderr in ready:
            ready.discard(self._stderr)
            self._drain_stderr()
        return ready

    def _drain_stderr(self) -> None:
        """Take what is there, one piece a call: a flood must not keep us from the clock."""
        with suppress(BlockingIOError):
            data = os.read(self._stderr, _CHUNK_BYTES)
            self.stderr.feed(data)
            if not data:
                self._poll.unregister(self._stderr)

    def _watch_memory(self) -> None:
        """Raise PlayerFault when the process tree holds more than its limit; taken in samples."""
        now = time.monotonic_ns()
        if now < self._sample_at:
            return
        self._sample_at = now + _WATCH_MS * 1_000_000
        used = self.cage.memory_bytes()
        self.peak_memory_bytes = max(self.peak_memory_bytes, used)
        if self._limit_bytes is not None and used > self._limit_bytes:
            self.cage.stop()
            raise sentences.out_of_memory(used, self._limit_bytes)
        self._judge_memory()

    def _judge_memory(self) -> None:
        """Raise PlayerFault when the system killed one of its processes for their limit."""
        if self._limit_bytes is not None and self.cage.out_of_memory():
            raise sentences.out_of_memory(self.cage.peak_bytes(), self._limit_bytes)

    def note_peak_memory(self) -> None:
        """Bring `peak_memory_bytes` up to date: short games end between two samples."""
        self.peak_memory_bytes = max(self.peak_memory_bytes, self.cage.peak_bytes())

    def cpu_ms(self) -> float | None:
        """CPU time of the process so far; None when it is gone."""
        return self.cage.cpu_ms()

    # Freezing, and time on a CPU

    def freeze(self) -> None:
        """Stop it until something is written to it. OSError: the host fails."""
        if not self._frozen and not self._killed:
            self._frozen = True
            self.cage.freeze()

    def stolen_ms(self) -> float:
        """What it waited for a CPU that others used, from early in our wait for it until now.

        0 for one that has not answered and sleeps.
        """
        if self._before is None:
            return 0.0
        after = self._load()
        return stolen_ms(self._before, after) if after.ready or self._late else 0.0

    def _load(self) -> Load:
        return self.cage.load([other.pid for other in self.beside])

    # Ends

    def _exited(self) -> PlayerFault:
        """The fault of a process that is dead: how it ended, and its last words."""
        for _ in range(4):  # what it wrote to stderr before its death; bounded, a child may flood
            self._events(0)
        self._judge_memory()
        if (failure := self.cage.host_failure()) is not None:
            raise OSError(f"{failure}: {self.stderr.last_lines()}")
        # Left unreaped: until `kill`, its pid and its group are nobody else's.
        return sentences.exited(self.cage.end(), self.stderr.last_lines())

    def _closed_pipe(self, stream: str, termination: Termination) -> PlayerFault:
        """The fault behind a closed pipe: a process that is dying, or one that lives on."""
        death = select.poll()
        death.register(self._pidfd, select.POLLIN)
        if death.poll(_DYING_MS):
            return self._exited()
        return sentences.closed_pipe(stream, termination)

    def close(self) -> None:
        """Close its stdin: a player that reads its requests will see the end and exit."""
        if self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.close()

    def wait_for_exit(self, deadline: int) -> None:
        """Let the process end by itself until the deadline; what it still says is thrown away."""
        with suppress(PlayerFault):
            while events := self._wait(deadline):
                if self._pidfd in events:
                    return
                self._buffer.clear()
                if not self._read_stdout():
                    self._poll.unregister(self._stdout)

    def kill(self) -> None:
        """End the process, its group and every descendant, and reap it. May be called twice."""
        if self._killed:
            return
        self._killed = True
        self.note_peak_memory()
        self.cage.kill()
        self._events(0)  # its last words
        os.close(self._pidfd)
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None:
                with suppress(OSError):  # closing flushes: the reader may be gone
                    pipe.close()
