"""What is kept of a player's stderr."""

import re
from collections.abc import Iterable, Iterator
from itertools import accumulate, pairwise

from arena.files.plain_text import printable
from arena.referee.failures import RUNTIME, failure_in

KEPT_BYTES = 32 * 1024
"""At the beginning, and at the end."""
_FRAME = re.compile(r"at \S.*(\)|:\d+)( \{)?|\.\.\. \d+ more")
"""A line of the stack below an error of JavaScript or Java."""
_LINE = 200
"""Characters of a line; of a longer one the beginning and the end."""
_TRAILER = re.compile(r"Node\.js v\S+|[{}\]]|(code|errno|requireStack|syscall): .*")
"""What Node writes below the stack."""


class HeadTail:
    """The first and the last 32 KiB of a stream of any length."""

    def __init__(self) -> None:
        self.total = 0
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
        kept, first = self._head + self._tail, len(self._head)
        lost = self.total - len(kept)
        ends = [max(min(total, first), total - lost) for total in totals]
        if kept.isascii():
            return tuple(ends)
        pieces = (kept[low:high] for low, high in pairwise((0, *ends)))
        return tuple(accumulate(len(_text(piece)) for piece in pieces))

    def last_lines(self, count: int = 3) -> str:
        """A runtime's error and its place, else the last lines with words, joined and safe to
        show; empty when there are none. Markers below a line, as Python draws them, say nothing
        once lines are joined; of a stack, the first line that is not the runtime's is enough.
        """
        text = _text(self._head + self._tail)
        if failure := failure_in(text):
            return _joined(failure.told)
        return _joined(list(_without_stacks(text.splitlines()))[-count:])

    def error_since(self, total: int) -> str:
        """A runtime's error in what came after that many bytes, told alike; empty without one."""
        begin = self.places((total,))[:1]
        failure = failure_in(_text(self._head + self._tail)[begin[0] :]) if begin else None
        return _joined(failure.told) if failure else ""


def _without_stacks(lines: Iterable[str]) -> Iterator[str]:
    placed = True  # whether the error's place was told
    for line in map(str.strip, lines):
        if _FRAME.fullmatch(line):
            if not placed and not RUNTIME.search(line):
                placed = True
                yield line
        elif line.strip("~^|+- ") and not _TRAILER.fullmatch(line):
            placed = False
            yield line


def _joined(lines: Iterable[str]) -> str:
    return " / ".join(printable(_cut(line)) for line in lines)


def _cut(line: str) -> str:
    return line if len(line) <= _LINE else f"{line[: _LINE // 2]} … {line[-_LINE // 2 :]}"


def _text(data: bytes | bytearray) -> str:
    return data.decode("utf-8", "backslashreplace")
