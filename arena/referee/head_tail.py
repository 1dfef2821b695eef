"""The beginning and the end of a stream of any length."""

from __future__ import annotations

from arena.model.fault import printable

KEPT_BYTES = 32 * 1024
"""How much is kept at each end."""


class Ends:
    """Keeps the first and the last 32 KiB of what is fed to it."""

    def __init__(self) -> None:
        self.total = 0
        """Bytes fed so far."""
        self._head = bytearray()
        self._tail = bytearray()

    def feed(self, data: bytes) -> None:
        """More of the stream."""
        self.total += len(data)
        room = KEPT_BYTES - len(self._head)
        self._head += data[:room]
        self._tail += data[room:]
        if len(self._tail) > KEPT_BYTES:
            del self._tail[:-KEPT_BYTES]

    @property
    def head(self) -> str:
        """The first 32 KiB, as text; what is no UTF-8 is escaped."""
        return self._head.decode("utf-8", "backslashreplace")

    @property
    def tail(self) -> str:
        """The last 32 KiB, as far as they are not in the head."""
        return self._tail.decode("utf-8", "backslashreplace")

    def last_lines(self, count: int = 3) -> str:
        """The last lines that are not blank, in one, safe to show; empty when there are none."""
        text = (self._head[-2000:] + self._tail[-2000:]).decode("utf-8", "backslashreplace")
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        return " / ".join(printable(line[:200]) for line in lines[-count:])
