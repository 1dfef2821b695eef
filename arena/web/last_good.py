"""Files of a course that its staff edits while the server runs: the last valid content is used
while one is invalid.
"""

from collections.abc import Callable
from typing import Generic, TypeVar

from arena.errors import ArenaError
from arena.web.log import to_log

Value = TypeVar("Value")


class LastGood(Generic[Value]):
    """The content of a file, or the last valid one. Raises ArenaError where there was none."""

    def __init__(self, read: Callable[[], Value]) -> None:
        self._read, self._last = read, read()
        self.problem: str | None = None
        """The mistake of the last reading."""

    def now(self) -> Value:
        """The content, read again; the log reports a mistake once."""
        try:
            self._last, self.problem = self._read(), None
        except ArenaError as error:
            if str(error) != self.problem:
                self.problem = str(error)
                to_log(f"{error}\nUntil it is fixed, the previous content is used.")
        return self._last
