"""Which command a TOML file is written for: whoever mistakes one for another is told so at once."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any

from arena.errors import FileError, UserError
from arena.files.toml import read_file


class Kind(StrEnum):
    """The command that takes the file."""

    TOURNAMENT = "run"
    TRAINING = "train"
    TUNING = "tune"


_NAMES = {
    Kind.TOURNAMENT: "a tournament",
    Kind.TRAINING: "a training",
    Kind.TUNING: "a tuning",
}


def refuse_other(file: Path, kind: Kind, *, verify: bool = False) -> None:
    """Raise UserError if the file has nothing of its kind and is plainly of another; `verify` where
    tests were asked for, which a training of Othello or dots has as a tuning.

    What cannot be read at all is for the reader of that kind to explain.
    """
    try:
        _, data = read_file(file)
    except FileError:
        return
    found = _kinds(data)
    if not found or kind in found:
        return
    wrong = f"{file}: is {_NAMES[found[0]]}, not {_NAMES[kind]}"
    if verify and found[0] is Kind.TRAINING and _is_board_game(data):
        raise UserError(f'{wrong}; for --verify write [tuning] with method = "td" for [training]')
    raise UserError(f"{wrong}; use: " + shlex.join(["arena", found[0], str(file)]))


def _is_board_game(data: Mapping[str, Any]) -> bool:
    """Whether its game is one that two players play."""
    game = data.get("game")
    return isinstance(game, Mapping) and game.get("rules") in ("othello", "dots")


def _kinds(data: Mapping[str, Any]) -> list[Kind]:
    """What the tables are of. A tuning by TD is a training too."""
    tuning = data.get("tuning")
    marks = {
        Kind.TUNING: "tuning" in data,
        Kind.TRAINING: bool({"training", "network"} & data.keys())
        or (isinstance(tuning, Mapping) and tuning.get("method") == "td"),
        Kind.TOURNAMENT: "tournament" in data
        or (isinstance(data.get("player"), list) and "game" in data),
    }
    return [kind for kind, marked in marks.items() if marked]
