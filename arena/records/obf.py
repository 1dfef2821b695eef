"""OBF, positions of Othello with moves and their values, as collections of problems have them.

    --XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X; G8:+18; H1:+12;

64 cells by row, X and O discs and `-` empty, the side to move, then moves with the margin in discs
that the mover ends with. `%` begins a remark. A run's games are written as the positions in which a
player chose, each with its move and what the player stated of it.

Source: the problems of FFO as Edax writes them (github.com/abulmo/edax-reversi, problem/).
"""

import re
import shlex
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple, NoReturn

from arena.errors import RecordError, first_few
from arena.model.record import GameRecord
from arena.records.form import (
    SHORT,
    Damaged,
    Form,
    evaluation_of,
    read_each,
    refusing_misfits,
    text_of,
    write_each,
)
from arena.records.ggf import standard
from rules import load
from rules.position import Game, Position

_LINE = re.compile(r"([XO*.\-]{64})\s+([XO*])\s*;?(.*)", re.IGNORECASE)
_VALUE = re.compile(r"\s*([a-h][1-8]|pass|pa|ps)\s*:\s*([+-]?\d+(?:\.\d+)?)\s*", re.IGNORECASE)
_CELLS = str.maketrans("xo*-", "XOX.")


class ObfPosition(NamedTuple):
    """A position and the values of its moves."""

    position: Position
    values: dict[str, float]
    """The margin for the mover, by move."""


def write_position(position: Position, values: dict[str, float]) -> str:
    """A line, without its end."""
    cells = "".join(position.state()["board"]).replace(".", "-")
    moves = "".join(f" {move.upper()}:{_number(value)};" for move, value in values.items())
    return f"{cells} {'XO'[position.to_move or 0]};{moves}"


def read_positions(text: str) -> Iterator[ObfPosition | Damaged]:
    """The positions of a file, and a sentence for each that is damaged."""
    lines = (line.partition("%")[0].strip() for line in text.splitlines())
    return read_each(filter(None, lines), _position)


def _position(line: str, number: int) -> ObfPosition:
    match = _LINE.fullmatch(line)
    if match is None:
        raise ValueError(f"{line[:SHORT]!r} is not a board of 64 cells and the side to move")
    cells = match[1].translate(_CELLS).upper()
    board = [cells[at : at + 8] for at in range(0, 64, 8)]
    side = "XO".index(match[2].translate(_CELLS).upper())
    position = load("othello").position({"board": board, "to_move": side})
    values: dict[str, float] = {}
    for part in filter(str.strip, match[3].split(";")):
        value = _VALUE.fullmatch(part)
        if value is None or value[1].lower() not in position.legal_moves():
            raise ValueError(f"{part.strip()!r} is not a legal move with its value, such as G8:+18")
        values[value[1].lower()] = float(value[2])
    return ObfPosition(position, values)


def _number(value: float) -> str:
    return f"{value:+.0f}" if value == int(value) else f"{value:+.2f}"


def read(path: Path, game: Game | None) -> NoReturn:
    """Raise RecordError: the command for positions, and the damaged ones."""
    read = list(read_positions(text_of(path)))
    damaged = [str(each) for each in read if isinstance(each, Damaged)]
    good = len(read) - len(damaged)
    positions = "1 position" if good == 1 else f"{good:,} positions"
    reason = f"{path}: {positions} and no game; OBF has no others. "
    analyse = shlex.join(["arena", "analyse", "othello", f"@{path}"])
    more = f"`{analyse}` says what each is worth."
    raise RecordError("\n".join([reason + more, *first_few(damaged)]))


def _one(record: GameRecord, event: str) -> str:
    with refusing_misfits(record):
        return "".join(f"{line}\n" for line in _lines(record))


def _lines(record: GameRecord) -> Iterator[str]:
    if standard(record, "OBF").size != 8:
        raise RecordError(f"game {record.game} is not on 8×8, and OBF has no other board")
    position = record.start()
    for move in record.moves:
        score = evaluation_of(move)
        if move.used_ms is not None and move.fault is None:
            yield write_position(position, {} if score is None else {move.move: score})
        position = position.play(move.move)


OBF = Form("obf", (".obf",), partial(write_each, _one), read, _one)
