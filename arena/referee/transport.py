"""A player process: bytes and lines over its pipes, its death, memory and end. No asyncio, no
threads: one `poll` with one deadline a request, and output taken in bounded pieces. Times are
nanoseconds of `time.monotonic_ns`.
"""

import os
import select
import time
from collections.abc import Collection, Iterable
from contextlib import suppress

import msgspec

from arena.model.contender import Prepared
from arena.model.protocol import MAX_LINE_BYTES, Termination
from arena.model.record import STDERR_FOLLOWS, PlayerFault
from arena.referee import sentences
from arena.referee.head_tail import HeadTail
from arena.referee.lateness import NO_DELAY, WATCH_NS, HostDelay, Lateness, Presence
from arena.sandbox.container import Container

MAX_BLANK_LINES = 100
"""Blank lines that are ignored in answer to one request."""

_CHUNK_BYTES = 64 * 1024
# More waiting output than this is no stray answer. Below a pipe's size: short writes leave gaps.
_FLOOD_BYTES = 32 * 1024
_FIRST_LOOK = 8  # the first comes after that part of a short limit; until then a wait costs nothing
_WATCH_SHARE = 5  # samples that take long come more seldom: a fifth of the time at most
# A process that ends closes its pipes before it can be seen dead; on a busy host long before.
_DYING_MS = 500


class OutputLine(msgspec.Struct, frozen=True):
    """A line of a player, without the newline, and when the last of it was read."""

    text: bytes
    read_at: int
    missed: int
    """How long we did not run since the player was asked, in ns: not its time."""
    host_delay: HostDelay
    """The part of the time to it that the host took, where it is late or was metered."""


class PlayerProcess:
    """A player's process, on `cores` (None: all of ours). Raises PlayerFault: it cannot start."""

    def __init__(
        self,
        spec: Prepared,
        cores: tuple[int, ...] | None = None,
        stderr: HeadTail | None = None,
        presence: Presence | None = None,
    ) -> None:
        self.spec = spec
        self.cores = cores
        self.stderr = stderr or HeadTail()
        self.stderr.begin()
        self.memory_bytes = self.peak_memory_bytes = 0  # when it was last looked at; so far
        self.lines_read = 0
        self.last_line = b""
        self.others: tuple[PlayerProcess, ...] = ()
        """The game's other players, looked after while we wait for this one."""
        self.fault: PlayerFault | None = None
        """Why it was ended while we waited for another; raised when it is asked again."""
        self._limit_bytes = spec.memory_mb * 2**20 if spec.memory_mb is not None else None
        self.container = Container(spec, cores)
        process = self.container.start()
        self.pid = process.pid
        self._pipes = [
            pipe for pipe in (process.stdin, process.stdout, process.stderr) if pipe is not None
        ]
        self._stdin, self._stdout, self._stderr = (pipe.fileno() for pipe in self._pipes)
        for descriptor in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(descriptor, False)
        try:
            self._pidfd = os.pidfd_open(self.pid)
        except OSError:  # too many open files
            self.container.kill()
            raise
        self._poll = select.poll()
        for descriptor in (self._stdout, self._stderr, self._pidfd):
            self._poll.register(descriptor, select.POLLIN)
        self._buffer = bytearray()
        self._read_at = time.monotonic_ns()
        self._sample_at = 0
        self._presence = presence or Presence()
        self._lateness = Lateness(self._presence, self.container.load)
        self._owes = False  # whether it was asked and has not answered
        self._file_bytes = 0  # of its memory, when it was last seen near its limit
        self._frozen = False
        self._killed = False

    # Requests and replies

    def expect_silence(self) -> None:
        """Raise PlayerFault for a dead process, a closed stdout, or bytes that are not blank."""
        found = self._poll.poll(0)
        if found or self._buffer or self.fault is not None:
            self._judge_silence(self._without_stderr(found))

    def _judge_silence(self, events: Collection[int]) -> None:
        if self.fault is not None:
            raise self.fault
        open_ = self._read_stdout() if self._stdout in events else True
        if self._pidfd in events:
            raise self._exited()
        self._watch_memory()
        if self._buffer:
            self._judge_unasked()
        if not open_:
            raise self._closed_pipe("stdout", Termination.STDOUT_CLOSED)

    def _judge_unasked(self) -> None:
        waiting = bytes(self._buffer)
        self._buffer.clear()
        blank = not waiting.strip()
        if len(waiting) >= _FLOOD_BYTES or (blank and waiting.count(b"\n") > MAX_BLANK_LINES):
            raise sentences.too_much_unasked(waiting)
        if not blank:
            raise sentences.spoke_unasked(waiting)

    def write(self, line: bytes, deadline: int) -> None:
        """Thaw the player and write all of `line`. Raises PlayerFault."""
        self._lateness.begin()
        self._owes = True
        if self._frozen:
            self._thaw()
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
        self._poll.unregister(self._stdout)  # its output can wait meanwhile
        self._poll.register(self._stdin, select.POLLOUT)
        try:
            while rest:
                events = self._wait(deadline, excused=True)
                if self._pidfd in events:
                    raise self._exited()
                if not events:
                    raise sentences.did_not_read()
                with suppress(BlockingIOError):
                    rest = rest[os.write(self._stdin, rest) :]
        finally:
            self._poll.unregister(self._stdin)
            self._poll.register(self._stdout, select.POLLIN)

    def read_line(
        self, deadline: int, *, excused: bool = True, metered: bool = False
    ) -> OutputLine:
        """The next line. One deadline: partial output never extends it; where the host keeps the
        player from answering, it is waited for until its own time has passed the deadline, but for
        those not `excused`. What the host took is measured for a late line, and for one that was
        waited for where it is `metered`. Raises PlayerFault: exited, stdout_closed, line_too_long,
        timeout, out_of_memory; void, where the host kept it from answering for too long.
        """
        if self.fault is not None:
            raise self.fault
        searched, buffer = 0, self._buffer
        while (newline := buffer.find(b"\n", searched)) < 0:
            searched = len(buffer)
            if searched > MAX_LINE_BYTES:
                raise self._too_long(deadline)
            events = self._wait(deadline, excused=excused)
            if not events:
                raise sentences.late(buffer)
            open_ = self._read_stdout()  # also after a death: its last line may have come
            if self._pidfd in events and len(buffer) == searched:
                raise self._exited()
            if not open_:
                raise self._closed_pipe("stdout", Termination.STDOUT_CLOSED)
        if newline > MAX_LINE_BYTES:
            raise self._too_long(deadline)
        line = bytes(buffer[:newline])
        del buffer[: newline + 1]
        self._owes = False
        self.lines_read, self.last_line = self.lines_read + 1, line
        late = excused and self._read_at > deadline
        judged = late or (metered and self._lateness.watched)
        host_delay = self._lateness.host_delay() if judged else NO_DELAY
        self._watch_memory()  # what answers before we look is never waited for
        return OutputLine(line, self._read_at, self._lateness.missed, host_delay)

    def _too_long(self, deadline: int) -> PlayerFault:
        late = self._read_at > deadline
        return sentences.late(self._buffer) if late else sentences.line_too_long(self._buffer)

    def _read_stdout(self) -> bool:
        """Take a piece into the buffer; False at the end of the stream."""
        try:
            data = os.read(self._stdout, _CHUNK_BYTES)
        except BlockingIOError:
            return True
        self._buffer += data
        self._read_at = self._presence.look()
        return bool(data)

    # Waiting

    def _wait(self, deadline: int, *, excused: bool = False) -> Collection[int]:
        """Descriptors that are ready; empty when the deadline has passed, and with `excused` when
        the player's own time has passed it. Drains stderr.
        """
        until, presence = deadline, self._presence
        slice_ns = min(WATCH_NS, (deadline - self._lateness.asked_at) // _FIRST_LOOK)
        while True:
            now = presence.look()
            left = until - now
            wait_ms = max(0, -(-min(left, slice_ns) // 1_000_000))
            presence.expect(now + wait_ms * 1_000_000)
            found = self._poll.poll(wait_ms)
            if found and (events := self._without_stderr(found)):
                return events
            if left <= slice_ns and (now := presence.look()) > until:
                if excused:
                    until = self._lateness.own_deadline(deadline, now)
                if now >= until:
                    return ()
            self._watch_memory()
            self._lateness.watch()
            slice_ns = WATCH_NS
            for other in self.others:
                other.look_after()

    def look_after(self) -> None:
        """While we wait for another: take the output of this player, and watch its memory. Nothing
        is judged before it is asked again, and at most a line's worth is taken.
        """
        if self._killed:
            return
        if self._frozen:
            self.container.freeze()  # signals miss a process that was being forked
        if self._owes:
            self._lateness.watch()
        if self._stdout in self._events() and len(self._buffer) <= MAX_LINE_BYTES:
            self._read_stdout()
        try:
            self._watch_memory()
        except PlayerFault as fault:
            self.fault = fault

    def _events(self) -> Collection[int]:
        """Descriptors that are ready now, stderr drained and left out."""
        return self._without_stderr(self._poll.poll(0))

    def _without_stderr(self, found: Iterable[tuple[int, int]]) -> Collection[int]:
        ready = dict(found)
        if self._stderr in ready:
            del ready[self._stderr]
            self._drain_stderr()
        return ready

    def _drain_stderr(self) -> None:
        """Take one piece a call: a flood must not keep us from the clock."""
        with suppress(BlockingIOError):
            data = os.read(self._stderr, _CHUNK_BYTES)
            self.stderr.feed(data)
            if not data:
                self._poll.unregister(self._stderr)

    def _watch_memory(self) -> None:
        now = time.monotonic_ns()
        if now < self._sample_at:
            return
        began = time.process_time_ns()
        used = self.container.memory_bytes()
        took = time.process_time_ns() - began
        self._sample_at = now + max(WATCH_NS, _WATCH_SHARE * took)
        self._presence.worked(took)
        self.memory_bytes, self.peak_memory_bytes = used, max(self.peak_memory_bytes, used)
        if self._limit_bytes is None:
            return
        if used > self._limit_bytes // 2:
            self._file_bytes = self.container.file_bytes()
        if used > self._limit_bytes:
            self.container.stop()
            raise sentences.out_of_memory(used, self._limit_bytes, self._file_bytes)
        self._judge_memory()

    def _judge_memory(self) -> None:
        if self._limit_bytes is not None and self.container.out_of_memory():
            peak = self.container.peak_bytes()
            raise sentences.out_of_memory(peak, self._limit_bytes, self._file_bytes)

    def note_peak_memory(self) -> None:
        """Bring `peak_memory_bytes` up to date: short games end between two samples."""
        self.peak_memory_bytes = max(self.peak_memory_bytes, self.container.peak_bytes())

    # Freezing, and time on a CPU

    def freeze(self) -> None:
        """Stop it until something is written to it. OSError: the host fails."""
        if not self._frozen and not self._killed:
            self._frozen = True
            self.container.freeze()

    def _thaw(self) -> None:
        self._frozen = False
        self.container.thaw()

    # Ends

    def _exited(self) -> PlayerFault:
        for _ in range(4):  # stderr from before its death; bounded, a child may flood
            self._events()
        self._judge_memory()
        if (failure := self.container.host_failure()) is not None:
            last_lines = self.stderr.last_lines()
            raise OSError(f"{failure}.{STDERR_FOLLOWS}{last_lines}" if last_lines else failure)
        # Left unreaped: until `kill`, no other process gets its pid or its group.
        return sentences.exited(self.container.end(), self.stderr.last_lines())

    def _closed_pipe(self, stream: str, termination: Termination) -> PlayerFault:
        if self._frozen:  # then bubblewrap cannot see that the player has ended
            self._thaw()
        death = select.poll()
        death.register(self._pidfd, select.POLLIN)
        if death.poll(_DYING_MS):
            return self._exited()
        return sentences.closed_pipe(stream, termination)

    def close(self) -> None:
        """Close its stdin: a player that reads its requests will see the end and exit."""
        with suppress(OSError):
            self._pipes[0].close()

    def wait_for_exit(self, deadline: int, *, excused: bool = False) -> None:
        """Let the process end by itself until the deadline, of its own time where it is `excused`;
        its output is thrown away.
        """
        with suppress(PlayerFault):
            while events := self._wait(deadline, excused=excused):
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
        self.container.kill()
        self._events()  # the end of its stderr
        os.close(self._pidfd)
        for pipe in self._pipes:
            with suppress(OSError):  # closing flushes: the reader may be gone
                pipe.close()
