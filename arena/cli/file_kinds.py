"""Which command a TOML file is written for: a file of another command is refused at once."""

import shlex
from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any

from arena.errors import FileError, UserError
from arena.files.toml import read_file


class Kind(StrEnum):
    """What a file describes, by the command that takes it."""

    TUNING = "tune"
    TRAINING = "train"
    TOURNAMENT = "run"


def refuse_other(file: Path, kind: Kind, *, verify: bool = False) -> None:
    """Raise UserError if the file is plainly of another kind; `verify` where tests were asked for,
    which a training of a two-player game has as a tuning.

    What cannot be read at all is for the reader of that kind to explain.
    """
    try:
        _, data = read_file(file)
    except FileError:
        return
    found = list(_kinds(data))
    if not found or kind in found:
        return
    wrong = f"{file}: is a {found[0].name.lower()}, not a {kind.name.lower()}"
    if verify and found[0] is Kind.TRAINING and _is_board_game(data):
        raise UserError(f'{wrong}; for --verify write [tuning] with method = "td" for [training]')
    raise UserError(f"{wrong}; use: " + shlex.join(["arena", found[0], str(file)]))


def _is_board_game(data: Mapping[str, Any]) -> bool:
    game = data.get("game")
    return isinstance(game, Mapping) and game.get("rules") in ("othello", "dots")


def _kinds(data: Mapping[str, Any]) -> Iterator[Kind]:
    """What the tables are of. A tuning by TD is a training too."""
    tuning = data.get("tuning")
    if "tuning" in data:
        yield Kind.TUNING
    if {"training", "network"} & data.keys() or (
        isinstance(tuning, Mapping) and tuning.get("method") == "td"
    ):
        yield Kind.TRAINING
    if "tournament" in data or (isinstance(data.get("player"), list) and "game" in data):
        yield Kind.TOURNAMENT
