"""The kind of a TOML file: a tournament, a training or a tuning."""

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from arena.errors import FileError, UserError
from arena.files.toml import read_file

_KINDS = {"tune": "tuning", "train": "training", "run": "tournament"}
"""The kind of a TOML file, by the command that takes it."""


def refuse_other(file: Path, command: str, *, verify: bool = False) -> None:
    """Raise UserError if the file is plainly for another command; `verify` where tests were asked
    for, which a training of a two-player game has as a tuning. What cannot be read at all is for
    the command to explain.
    """
    try:
        _, data = read_file(file)
    except FileError:
        return
    found = list(_commands_for(data))
    if not found or command in found:
        return
    wrong = f"{file}: is a {_KINDS[found[0]]}, not a {_KINDS[command]}"
    board_game = table(data, "game").get("rules") in ("othello", "dots")
    if verify and found[0] == "train" and board_game:
        raise UserError(f'{wrong}; for --verify write [tuning] with method = "td" for [training]')
    raise UserError(f"{wrong}; use: " + shlex.join(["arena", found[0], str(file)]))


def _commands_for(data: dict[str, Any]) -> Iterator[str]:
    """The commands that take these tables. A tuning by TD is a training too."""
    if "tuning" in data:
        yield "tune"
    if {"training", "network"} & data.keys() or table(data, "tuning").get("method") == "td":
        yield "train"
    if "tournament" in data or (isinstance(data.get("player"), list) and "game" in data):
        yield "run"


def table(data: dict[str, Any], name: str) -> dict[str, Any]:
    """A table of a file; empty where there is none."""
    found = data.get(name)
    return found if isinstance(found, dict) else {}
