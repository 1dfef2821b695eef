"""Sentences that visitors read: they name no folder of this machine."""

import re
from itertools import pairwise
from pathlib import Path

from markupsafe import escape
from pydantic_core import to_json

from arena.bots.package import package_store
from arena.reports.html.model import SeatSaid

MISTAKE = (
    "A file of the course has a mistake, and nothing was changed. Tell the staff, and try again "
    "later."
)
"""What others than the staff read of it."""


def without_folders(sentence: str, *folders: Path | None) -> str:
    """A sentence that names files from these folders on, and each folder by its name; files of a
    bot in the user's cache from the bot's folder on. It may be part of a page or of JSON already.
    """
    sentence = re.sub(rf"{re.escape(str(package_store()))}/[\w-]+/", "", sentence)
    for folder in filter(None, folders):
        for written in (str, escape, _in_json):
            path, name = written(str(folder)), written(folder.name)
            sentence = sentence.replace(f"{path}/", "").replace(path, name)
    return sentence


def _in_json(text: str) -> str:
    return to_json(text).decode()[1:-1]


def stderr_without_folders(said: SeatSaid, *folders: Path) -> SeatSaid:
    """The same of a player's stderr, whose marks stay at their moves."""
    whole, text, moved = said.head + said.tail, "", {0: 0}
    for low, high in pairwise(sorted({0, *said.marks, len(said.head), len(whole)})):
        text += without_folders(whole[low:high], *folders)
        moved[high] = len(text)
    head = moved[len(said.head)]
    gone = len(whole.encode()) - len(text.encode())
    marks = [moved[mark] for mark in said.marks]
    return SeatSaid(head=text[:head], tail=text[head:], bytes=said.bytes - gone, marks=marks)
