"""The tournament files that come with the package: their list, and a copy of them."""

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from textwrap import shorten

from arena.bots.trees import made_aside
from arena.errors import UserError
from arena.files.whole_file import naming
from arena.reports.handbook import path_of

FOLDER = "tournaments"
_WIDTH = 100
_MADE = re.compile(r"__pycache__|runs|build|.*\.egg-info")
"""Folders that use of a checkout leaves there."""


def _files(home: Path) -> Iterator[Path]:
    for file in home.rglob("*"):
        if file.is_file() and not any(map(_MADE.fullmatch, file.relative_to(home).parts)):
            yield file


def listed() -> dict[str, str]:
    """The first sentence of each file, by its name in the folder."""
    home = path_of(FOLDER)
    files = [file for file in _files(home) if file.suffix in (".toml", ".txt", ".py")]
    files.sort(key=lambda file: (file.parent != home, file))
    return {str(file.relative_to(home)): _about(file.read_text("utf-8")) for file in files}


def _about(text: str) -> str:
    match = re.match(r'\"""(.*\n)|(?:#.*\n)*', text)
    comment = " ".join(line.strip('#" ') for line in match[0].splitlines()) if match else ""
    return shorten(re.split(r"(?<=[.?])\s", comment)[0].rstrip(".:"), _WIDTH, placeholder=" …")


def copy(folder: Path) -> None:
    """Copy all into a new folder, or nothing. Raises UserError where it is there, and OSError."""
    if os.path.lexists(folder):
        raise UserError(f"{folder} is there already; name a new folder")
    home = path_of(FOLDER)
    with naming(folder), made_aside(folder.absolute().parent) as aside:
        for file in _files(home):
            copied = aside / FOLDER / file.relative_to(home)
            copied.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copied)
        (aside / FOLDER).rename(folder)
