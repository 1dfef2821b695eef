"""What is kept of a player's stderr."""

from collections.abc import Iterable
from itertools import accumulate, pairwise

from arena.files.plain_text import printable

_KEPT_BYTES = 32 * 1024  # at the beginning, and at the end


class HeadTail:
    """The first and the last 32 KiB of a stream of any length."""

    def __init__(self) -> None:
        self.total = 0
        self._head = bytearray()
        self._tail = bytearray()

    def feed(self, data: bytes) -> None:
        """Take more of the stream; `total` counts its bytes."""
        self.total += len(data)
        room = _KEPT_BYTES - len(self._head)
        self._head += data[:room]
        self._tail += data[room:]
        if len(self._tail) > _KEPT_BYTES:
            del self._tail[:-_KEPT_BYTES]

    @property
    def head(self) -> str:
        """The first 32 KiB as text; bytes that are not UTF-8 are escaped."""
        return _text(self._head)

    @property
    def tail(self) -> str:
        """The last 32 KiB, without those in the head."""
        return _text(self._tail)

    def places(self, totals: Iterable[int]) -> tuple[int, ...]:
        """Where in the head and the tail together the stream was at each of these totals of bytes,
        in characters; empty where it has nothing.
        """
        if not self.total:
            return ()
        kept, first = self._head + self._tail, len(self._head)
        lost = self.total - len(kept)
        ends = [max(min(total, first), total - lost) for total in totals]
        if kept.isascii():
            return tuple(ends)
        pieces = (kept[low:high] for low, high in pairwise((0, *ends)))
        return tuple(accumulate(len(_text(piece)) for piece in pieces))

    def last_lines(self, count: int = 3) -> str:
        """The last lines with words, joined and safe to show; empty when there are none. Markers
        below a line, as Python draws them, say nothing once lines are joined.
        """
        text = _text(self._head[-2000:] + self._tail[-2000:])
        lines = [line.strip() for line in text.splitlines() if line.strip(" \t~^")]
        return " / ".join(printable(line[:200]) for line in lines[-count:])


def _text(data: bytes | bytearray) -> str:
    return data.decode("utf-8", "backslashreplace")
