"""`arena docs`: the pages that come with the package."""

import os

from rich.markdown import Markdown

from arena.cli.arguments import say
from arena.files.console import PlainConsole
from arena.reports.handbook import PAGES, text_of


def show_list() -> None:
    """The pages, a line each."""
    for name, page in PAGES.items():
        say(f"arena docs {name:<12} {page.about}")


def show_page(name: str) -> None:
    """A page, formatted in a pager on a terminal, else its text. Raises UserError."""
    text = text_of(name)
    console = PlainConsole()
    if console.is_terminal:
        os.environ.setdefault("LESS", "-R")  # lets colours through
        with console.pager(styles=True):
            console.print(Markdown(text))
    else:
        console.file.write(text)
