"""The way to a terminal: texts of others are shown there and never obeyed."""

import os
import sys
import termios
from collections.abc import Iterable
from errno import EIO
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table

from arena.files.plain_text import printable

_WIDTH = 80
"""Of a terminal that does not state its own."""
_ENDLESS = 10_000
"""Of a pipe or a file: columns have all the room they need."""


def unread(error: OSError) -> bool:
    """Whether an error says that nothing reads stdout any more: no pipe, or a closed terminal."""
    if isinstance(error, BrokenPipeError):
        return True
    if error.errno != EIO or error.filename:
        return False
    try:
        termios.tcgetattr(sys.stdout)
    except termios.error as answer:
        return bool(answer.args[0] == EIO)  # no terminal answers otherwise
    return False


class PlainConsole(Console):
    """A console whose only commands to the terminal are its own, whatever is printed: also no word
    of a text is one to rich, as `:cat:` and `[red]` are.
    """

    def __init__(self, **settings: Any) -> None:
        asked = Console(**settings)
        isatty = getattr(asked.file, "isatty", bool)  # a program's own stdout may just have `write`
        if "force_terminal" not in settings and asked.is_terminal and not isatty():
            # FORCE_COLOR asks for colours in a log, and not for a screen that is drawn again
            settings |= {"force_terminal": False, "color_system": asked.color_system}
        super().__init__(markup=False, emoji=False, **settings)
        if self.width < 1:  # COLUMNS=0, as some programs that start others leave it
            self.width = _WIDTH
        self._text_width = self.width
        if not (self.is_terminal or "width" in settings or os.environ.get("COLUMNS")):
            self.width = _ENDLESS

    @property
    def options(self) -> ConsoleOptions:
        """How a text is laid out: also in a pipe in lines that can be read."""
        options = super().options
        return options.update(width=min(options.max_width, self._text_width))

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        # a table without headings lays out a text
        if isinstance(renderable, Table) and renderable.show_header and not self.is_terminal:
            options = (options or self.options).update(width=self.width)
        for part in super().render(renderable, options):
            shown = part.text if part.control else printable(part.text, keep="\n")
            yield part._replace(text=shown)
