"""The head and the tail of a player's stderr, which its record keeps."""

from collections.abc import Iterable
from itertools import accumulate, pairwise

from arena.files.plain_text import printable
from arena.referee.failures import LINE, failure_in, words_in

KEPT_BYTES = 32 * 1024
"""At the beginning, and at the end."""


class HeadTail:
    """The first and the last 32 KiB of a stream of any length."""

    def __init__(self) -> None:
        self.total = self._begun = 0
        self._head = bytearray()
        self._tail = bytearray()

    def feed(self, data: bytes) -> None:
        """Take more of the stream; `total` counts its bytes."""
        self.total += len(data)
        room = KEPT_BYTES - len(self._head)
        self._head += data[:room]
        self._tail += data[room:]
        if len(self._tail) > KEPT_BYTES:
            del self._tail[:-KEPT_BYTES]

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
        text, first = self._head + self._tail, len(self._head)
        lost = self.total - len(text)
        ends = [max(min(total, first), total - lost) for total in totals]
        if text.isascii():
            return tuple(ends)
        pieces = (text[low:high] for low, high in pairwise((0, *ends)))
        return tuple(accumulate(len(_text(piece)) for piece in pieces))

    def begin(self) -> None:
        """A process begins: earlier bytes are another's."""
        self._begun = self.total

    def last_lines(self, count: int = 3) -> str:
        """A runtime's error and its place, else the last lines with words, of the process that
        began last; joined and safe to show, empty without any.
        """
        text = self._since(self._begun)
        failure = failure_in(text)
        return _joined(failure.lines if failure else list(words_in(text))[-count:])

    def error_since(self, total: int) -> str:
        """A runtime's error and its place in the output of that process after that many bytes;
        empty without one.
        """
        failure = failure_in(self._since(max(total, self._begun)))
        return _joined(failure.lines) if failure else ""

    def _since(self, total: int) -> str:
        begin = self.places((total,))[:1]
        return _text(self._head + self._tail)[begin[0] :] if begin else ""


def _joined(lines: Iterable[str]) -> str:
    return " / ".join(printable(_cut(line)) for line in lines)


def _cut(line: str) -> str:
    return line if len(line) <= LINE else f"{line[: LINE // 2]} … {line[-LINE // 2 :]}"


def _text(data: bytes | bytearray) -> str:
    return data.decode("utf-8", "backslashreplace")
