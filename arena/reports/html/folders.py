"""Folders of this machine, left out of what others than its users read."""

import re
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

from markupsafe import escape
from pydantic_core import to_json

from arena.bots.package import package_store
from arena.reports.html.model import SeatStderr
from arena.tournament.config import TournamentConfig

_PATH_MAX = 4096
"""The most of a path, in characters."""


def bot_folders(config: TournamentConfig) -> list[Path]:
    """The folders of a run's bots, in its course."""
    packages = (each.home.package for each in config.players)
    return [Path(package) for package in packages if package]


def without_folders(sentence: str, *folders: Path | None) -> str:
    """A sentence that names files from these folders on, and each folder by its name; files of
    the user's cache from the cache on, those of a bot there from the bot's folder on, which are `.`
    themselves. It may be part of a page or of JSON already.
    """
    if "/" not in sentence:
        return sentence  # most of a large run's: looking for many folders takes its time
    names = _names(folders)
    paths = _paths(package_store(), *names)
    return paths.sub(lambda found: names.get(found[0], _in_cache(found[0])), sentence)


@lru_cache(64)
def _names(folders: tuple[Path | None, ...]) -> dict[str, str]:
    """What stands for each folder, in all ways that they are written."""
    written = (str, escape, _in_json)
    return {way(str(each)): way(each.name) for each in filter(None, folders) for way in written}


def _in_cache(path: str) -> str:
    return "" if path.endswith("/") else "."


def _in_json(text: str) -> str:
    return to_json(text).decode()[1:-1]


@lru_cache(64)
def _paths(store: Path, *folders: str) -> re.Pattern[str]:
    """The folders left out of sentences: those of bots in this cache, these, and the cache, each
    with the slash after.
    """
    cached = rf"{re.escape(str(store))}/\.?[\w-]+/?"
    cache = rf"{re.escape(str(store.parent))}(?![\w-])/?"
    return re.compile("|".join((cached, *(f"{re.escape(each)}/?" for each in folders), cache)))


def stderr_without_folders(stderr: SeatStderr, *folders: Path) -> SeatStderr:
    """The same of a player's stderr, whose marks stay at their moves; a mark within a path comes
    after it. Where the middle is not kept, the lines next to it are left out: they may be parts of
    paths.
    """
    whole, cut = stderr.head + stderr.tail, len(stderr.head)
    apart = [found.span() for found in _paths(package_store(), *map(str, folders)).finditer(whole)]

    def past(at: int) -> int:
        return next((high for low, high in apart if low < at < high), at)

    lost = (0, 0)
    if folders and stderr.bytes > len(whole.encode()):
        before, after = stderr.head.rpartition("\n")[2], stderr.tail.partition("\n")[0]
        low, high = cut - len(before[-_PATH_MAX:]), cut + len(after[:_PATH_MAX])
        lost = min([low, *(start for start, end in apart if start < low < end)]), past(high)
        apart.insert(0, lost)

    text, moved = "", {0: 0}
    places = {0, *map(past, stderr.marks), past(cut), *lost, len(whole)}
    for low, high in pairwise(sorted(places)):
        text += "" if (low, high) == lost else without_folders(whole[low:high], *folders)
        moved[high] = len(text)
    head = moved[past(cut)]
    gone = len(whole.encode()) - len(text.encode())
    marks = [moved[past(mark)] for mark in stderr.marks]
    return SeatStderr(head=text[:head], tail=text[head:], bytes=stderr.bytes - gone, marks=marks)
