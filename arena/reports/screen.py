"""Views of long work: a screen drawn again and again on a terminal, or lines in a pipe."""

import shlex
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Self

from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

from arena.reports.words import duration

_COMMAND = ": arena "
"""The text before a command at the end of a line."""


def again() -> str:
    """The command that runs, as it is typed to go on."""
    return shlex.join(["arena", *sys.argv[1:]])


def _print(line: str, console: Console) -> None:
    """Print a line. A terminal is given lines that end between words, but what is to be copied in
    one piece: an indented line of a file, and the command that a line ends with.
    """
    to_copy = line.startswith(" ") or not console.is_terminal
    sentence, found, command = line.partition(_COMMAND)
    if found and not to_copy and cell_len(line) > console.width:
        console.print(Text(f"{sentence}:"))
        console.print(Text(f"{_COMMAND[2:]}{command}"), soft_wrap=True)
    else:
        console.print(Text(line), soft_wrap=to_copy)


class Screen(ABC):
    """A screen that stays as it ends. A context manager; `now` gives monotonic seconds. It asks for
    what it shows as soon as it is made: what that needs is set before.
    """

    def __init__(self, console: Console, now: Callable[[], float]) -> None:
        self._now = now
        self._doing, self._since = "", now()
        self._spinner = Spinner("dots")
        self._live = Live(console=console, get_renderable=self._screen, refresh_per_second=4)

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.doing("")
        self._live.stop()

    def say(self, line: str) -> None:
        """Print a line that stays, above the screen."""
        _print(line, self._live.console)

    def doing(self, what: str) -> None:
        """Show what is going on until something else does; nothing, with an empty text."""
        if what != self._doing:
            self._doing, self._since = what, self._now()
            self._live.refresh()

    def _activity(self) -> Iterator[RenderableType]:
        """The present activity, and for how long."""
        if self._doing:
            spent = duration(self._now() - self._since)
            self._spinner.update(text=Text(f"{self._doing} · {spent}", style="dim"))
            yield self._spinner

    @abstractmethod
    def _screen(self) -> RenderableType:
        """The screen as it is now."""


class Lines:
    """Lines for logs and pipes. A context manager."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing is left open."""

    def say(self, line: str) -> None:
        _print(line, self._console)

    def doing(self, what: str) -> None:
        """Print nothing on an activity."""
