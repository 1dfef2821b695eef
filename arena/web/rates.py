"""How often a visitor may do costly things: a bucket of tries for each, filled again slowly."""

import threading
import time
from collections.abc import Callable

from fastapi import HTTPException, Request

_KEPT = 10_000
"""Visitors remembered; beyond, those whose bucket is full are forgotten."""


class Rate:
    """At most `tries` at once, and `tries` in `seconds`."""

    def __init__(
        self, tries: int, seconds: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._tries, self._pause, self._clock = tries, seconds / tries, clock
        self._taking = threading.Lock()
        self._full_at: dict[str, float] = {}
        """When the bucket of a visitor is full again."""

    def wait(self, who: str) -> float:
        """Take a try; the seconds until there is one, if there is none now."""
        with self._taking:  # requests are answered in threads
            now = self._clock()
            full_at = max(self._full_at.get(who, now), now) + self._pause
            early = full_at - now - self._tries * self._pause
            if early > 1e-9:
                return early
            if len(self._full_at) >= _KEPT:
                self._full_at = {each: at for each, at in self._full_at.items() if at > now}
            self._full_at[who] = full_at
            return 0.0

    def has_try(self, who: str) -> bool:
        """Whether there is a try now, which is not taken."""
        full_at = self._full_at.get(who, 0.0)
        return full_at + self._pause - self._clock() <= self._tries * self._pause + 1e-9

    def take(self, who: str, what: str) -> None:
        """Take a try, or refuse with 429."""
        if pause := self.wait(who):
            seconds = max(1, round(pause))
            raise HTTPException(
                429,
                f"That was too often: {what}. Try again in {seconds} s.",
                {"Retry-After": str(seconds)},
            )


def address_of(request: Request) -> str:
    """The visitor's address, as far as the server knows it."""
    return request.client.host if request.client else "?"
