"""Sentences that visitors read: they name no folder of this machine."""

import re
from itertools import pairwise
from pathlib import Path

from arena.bots.package import package_store
from arena.reports.html.model import SeatSaid

MISTAKE = (
    "A file of the course has a mistake, and nothing was changed. Tell the staff, and try again "
    "later."
)
"""What others than the staff read of it."""


def without_folders(sentence: str, *folders: Path | None) -> str:
    """A sentence that names files from these folders on, and each folder by its name; files of a
    bot in the user's cache from the bot's folder on.
    """
    sentence = re.sub(rf"{re.escape(str(package_store()))}/[\w-]+/", "", sentence)
    for folder in filter(None, folders):
        sentence = sentence.replace(f"{folder}/", "").replace(str(folder), folder.name)
    return sentence


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
