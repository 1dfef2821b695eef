"""The way to a terminal: what others wrote is shown there and never obeyed."""

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from arena.files.plain_text import printable


class PlainConsole(Console):
    """A console whose only commands to the terminal are its own, whatever is printed."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """The parts of what is printed."""
        for part in super().render(renderable, options):
            shown = part.text if part.control else printable(part.text, keep="\n")
            yield part._replace(text=shown)
