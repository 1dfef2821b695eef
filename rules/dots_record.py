"""The game record of the Chinese computer games championship (CCGC) for dots and boxes.

A record is one JSON object:

    {"R": "first player", "B": "second player", "winner": "R", "RScore": 13, "BScore": 12,
     "Date": "2022-08-06", "Event": "2022 CCGC", "game": [{"piece": "r(a6,h)"}, …]}

Red moves first. `winner` is R, B, or U for undecided or a tie. A piece is the colour and an edge:
`r(a6,h)` joins dot a6 to the dot on its right, `b(a5,v)` joins dot a5 to the dot above. Rows of
dots are counted from the bottom, 1 to 6 on the championship's 5×5 boxes, so a6 is the dot that
the wire calls a1. Further keys, such as comments, are ignored.

Source: the recorder of github.com/Selflocking/DotsAndBoxes, made for that championship. Assumed:
other sizes count their rows from the bottom likewise, and a tie, impossible on 25 boxes, is U.
"""

import json
import re
from collections.abc import Iterable
from string import ascii_lowercase
from typing import Any

from rules.dots import Dots, DotsPosition
from rules.position import MoveError, square_name

_PIECE = re.compile(r"([rb])\(([a-z])([0-9]{1,2}),([hv])\)")
_COLOURS = "rb"


def write_record(
    game: Dots, moves: Iterable[str], *, red: str, blue: str, winner: str, date: str, event: str
) -> str:
    """The record of `moves` from the start of `game` as JSON, without a line break.

    `red` is the name of seat 0; `winner` is R, B or U: a game may be won otherwise than by boxes.
    Raises MoveError when the moves are not legal in turn.
    """
    pieces, position = [], game.start()
    for move in moves:
        after = position.play(move)
        pieces.append({"piece": _piece(game, position, move)})
        position = after
    first, second = position.scores()
    heading = {"R": red, "B": blue, "winner": winner, "RScore": first, "BScore": second}
    record = {**heading, "Date": date, "Event": event, "game": pieces}
    return json.dumps(record, ensure_ascii=False)


def read_record(game: Dots, text: str) -> tuple[str, ...]:
    """The moves of the record in `text`, checked against the rules as its heading is.

    Raises ValueError naming the key or the piece, what was found and what is expected.
    """
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"the record is not JSON: {error}") from error
    if not isinstance(data, dict):
        raise ValueError(f"the record must be a JSON object, not {type(data).__name__}")
    position = game.start()
    moves = []
    for number, entry in enumerate(_value(data, "game", list), start=1):
        move, position = _read_piece(game, position, number, entry)
        moves.append(move)
    scores = (_value(data, "RScore", int), _value(data, "BScore", int))
    if position.is_over and scores != position.scores():
        raise ValueError(
            f"RScore and BScore are {scores[0]} and {scores[1]}, but the moves give "
            f"{position.scores()[0]} and {position.scores()[1]}"
        )
    winner = _value(data, "winner", str)
    if winner not in ("R", "B", "U"):
        raise ValueError(f"winner must be R, B or U, not {winner!r}")
    for key in ("R", "B", "Date", "Event"):
        _value(data, key, str)
    return tuple(moves)


def _piece(game: Dots, position: DotsPosition, move: str) -> str:
    """The piece of a move that is legal in `position`."""
    edge = game.names.index(move)
    if edge < game.horizontals:
        row, column = divmod(edge, game.cols)
        number, way = game.rows + 1 - row, "h"
    else:
        row, column = divmod(edge - game.horizontals, game.cols + 1)
        number, way = game.rows - row, "v"
    return f"{_COLOURS[position.to_move or 0]}({ascii_lowercase[column]}{number},{way})"


def _read_piece(
    game: Dots, position: DotsPosition, number: int, entry: object
) -> tuple[str, DotsPosition]:
    where = f"piece {number} of the record"
    text = entry.get("piece") if isinstance(entry, dict) else None
    found = _PIECE.fullmatch(text) if isinstance(text, str) else None
    if not found:
        raise ValueError(f'{where} must be {{"piece": "r(a6,h)"}} or alike, not {entry!r}')
    colour, letter, row, way = found.groups()
    below, column = game.rows + 1 - int(row), ascii_lowercase.index(letter)
    first = (below, column) if way == "h" else (below - 1, column)
    second = (below, column + 1) if way == "h" else (below, column)
    on_board = min(first) >= 0 and second[0] <= game.rows and second[1] <= game.cols
    if not on_board:
        raise ValueError(f"{where}: {text} is outside a board of {game.rows}×{game.cols} boxes")
    move = square_name(*first) + square_name(*second)
    if position.to_move is not None and colour != _COLOURS[position.to_move]:
        raise ValueError(f"{where}: {text} is not the move of {_COLOURS[position.to_move]}")
    try:
        return move, position.play(move)
    except MoveError as error:
        raise ValueError(f"{where}, {text}: {error}") from error


def _value(data: dict[str, Any], key: str, kind: type) -> Any:
    value = data.get(key)
    if type(value) is not kind:
        names = {str: "a string", int: "an integer", list: "a list"}
        found = repr(value) if key in data else "missing"
        raise ValueError(f"{key} must be {names[kind]}, but is {found}")
    return value
