"""The pages, their fenced blocks and the commands they speak of, for the tests of pages."""

import re
from pathlib import Path
from typing import Any, NamedTuple

from typer.main import get_command

from arena.cli import app

ROOT = Path(__file__).parent.parent
COMMANDS: Any = get_command(app)


class Block(NamedTuple):
    """A fenced block of a page."""

    language: str
    name: str
    text: str


def text_of(page: str) -> str:
    return (ROOT / page).read_text("utf-8")


def blocks_of(page: str) -> list[Block]:
    found = re.findall(r"^```(\w+) ?(.*?)\n(.*?)^```$", text_of(page), re.MULTILINE | re.DOTALL)
    return [Block(*each) for each in found]
