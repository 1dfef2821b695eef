"""The part of a player's time that the host took: other programs or the hypervisor had its CPU, or
the referee did not run. Times are nanoseconds of `time.monotonic_ns`.
"""

import time
from collections.abc import Callable

import msgspec

from arena.referee import sentences
from arena.sandbox.overload import LEAST_MS, Load, asleep_ns, starved_ms, steal_ms

WATCH_NS = 25_000_000  # between looks while we wait
# How long a player that the host keeps from answering is waited for beyond its deadline: that many
# times what it was allowed, and never longer than the other.
_PATIENCE, _PATIENCE_NS = 20, 600_000_000_000
_TOLERATED_NS = 50_000_000
"""A look at the clock comes that late on a busy host, and after work of our own."""


class HostDelay(msgspec.Struct, frozen=True):
    """How long the host kept a player from answering, in ns, and how, for a sentence."""

    ns: int
    how: str


NO_DELAY = HostDelay(0, "")


class Presence:
    """The time during which this process was stopped, starved, or on a host that stood still: a
    look at the clock then comes later than it was announced.
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

    def behind(self) -> int:
        """How late a look now would come, where that is tolerated: the next look counts no more."""
        late = self._clock() - self._due
        return late if 0 < late <= _TOLERATED_NS else 0

    def look(self) -> int:
        """The time now. The next look is due at once."""
        now = self._clock()
        if now > self._due + _TOLERATED_NS:
            self.missed += now - self._due
        self._due = now
        return now


class Lateness:
    """The judge of one player's lateness, request by request."""

    def __init__(self, presence: Presence, load: Callable[[], Load]) -> None:
        """`load` measures the player and its cores now."""
        self.asked_at = 0
        self._missed_before = 0
        self._before: Load | None = None  # taken early in the wait for an answer
        self._unseen = 0  # how late that was taken: it may have waited meanwhile
        self._late: Load | None = None  # taken when it was last seen to be late
        self._presence = presence
        self._load = load

    def begin(self) -> None:
        """Begin with a new request, now."""
        self.asked_at = self._presence.look()
        self._missed_before = self._presence.missed
        self._before = self._late = None
        self._unseen = 0

    @property
    def missed(self) -> int:
        """How long we did not run since the request."""
        return self._presence.missed - self._missed_before

    @property
    def watched(self) -> bool:
        """Whether the answer took so long that the load was measured, as `host_delay` needs."""
        return self._before is not None

    def watch(self) -> None:
        """Take the load that is compared with the one at the end, once for each request."""
        if self._before is None:
            self._unseen = self._presence.behind()
            self._before = self._load()

    def host_delay(self) -> HostDelay:
        return self._delay_by(self._load())

    def own_deadline(self, deadline: int, now: int) -> int:
        """When the player's own time may have passed the deadline, at the earliest. Raises
        PlayerFault (void): it was waited for long enough, and the host is why it could not answer.
        """
        after = self._load()
        delay = self._delay_by(after)
        until = deadline + delay.ns
        before, self._late = self._late, after
        if until < now and before is not None and not _is_delayed(before, after):
            return until
        patience = min(_PATIENCE * (deadline - self.asked_at), _PATIENCE_NS)
        if now > deadline + patience:
            raise sentences.kept_from_answering(delay.how)
        return max(until, now + WATCH_NS)

    def _delay_by(self, after: Load) -> HostDelay:
        """Others used the CPU that it waited for, from early in our wait for it on; or the
        hypervisor did; or we did not run, and perhaps it did not. As long as it neither ran nor
        waited while we did not run, both count.
        """
        missed = self.missed
        if self._before is not None:
            starved, steal = starved_ms(self._before, after), steal_ms(self._before, after)
            absent = min(max(missed, int(steal * 1e6)), asleep_ns(self._before, after))
            both = self._unseen + int(starved * 1e6) + absent
            if both > missed and starved + steal > 0:
                if steal > starved:
                    return HostDelay(both, f"the hypervisor had its CPU for {steal:.0f} ms")
                return HostDelay(both, f"had waited {starved:.0f} ms for a CPU that others used")
        return HostDelay(missed, f"the referee itself had not run for {missed / 1e6:.0f} ms")


def _is_delayed(before: Load, after: Load) -> bool:
    """Whether the host keeps a player from running now. Its loss is counted in the end."""
    return max(starved_ms(before, after), steal_ms(before, after)) > LEAST_MS
