"""Whether the referee itself ran: what it could not see is no player's fault."""

import time
from collections.abc import Callable

_TOLERATED_NS = 50_000_000
"""A look at the clock comes that late on a busy host, and after work of our own."""


class Presence:
    """The time during which this process was stopped, starved, or on a host that stood still: a
    look at the clock then comes later than it was announced. In ns of `time.monotonic_ns`.
    """

    def __init__(self, clock: Callable[[], int] = time.monotonic_ns) -> None:
        self.missed = 0
        """All the time we did not run, so far."""
        self._clock = clock
        self._due = clock()

    def expect(self, look: int) -> None:
        """Announce the next look, after a wait."""
        self._due = look

    def worked(self, took: int) -> None:
        """Put off the next look by the CPU time of work of our own."""
        self._due += took

    def look(self) -> int:
        """The time now. The next look is due at once."""
        now = self._clock()
        if now > self._due + _TOLERATED_NS:
            self.missed += now - self._due
        self._due = now
        return now
