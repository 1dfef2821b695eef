"""The game record of the Chinese computer games championship (CCGC) for dots and boxes.

A record is one JSON object:

    {"R": "first player", "B": "second player", "winner": "R", "RScore": 13, "BScore": 12,
     "Date": "2022-08-06", "Event": "2022 CCGC", "game": [{"piece": "r(a6,h)"}, …]}

Red moves first. `winner` is R, B, or U for undecided or a tie. A piece is the colour and an edge:
`r(a6,h)` joins dot a6 to the dot on its right, `b(a5,v)` joins dot a5 to the dot above. Rows of
dots are counted from the bottom, 1 to 6 on the championship's 5×5 boxes, so a6 is the dot that
the wire calls a1. Further keys, such as comments, are ignored. A file has one record, a list of
them, or one a line.

Source: the recorder of github.com/Selflocking/DotsAndBoxes, made for that championship. Assumed:
other sizes count their rows from the bottom likewise, and a tie, impossible on 25 boxes, is U.
"""

import json
import re
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from arena.errors import RecordError
from arena.files.plain_text import printable
from arena.model.record import GameRecord
from arena.records.form import (
    ParsedGame,
    day_of,
    game_or,
    move_in,
    record_of,
    text_form,
    two_players,
)
from rules import load
from rules.dots import Dots
from rules.position import Game, MoveError

_PIECE = re.compile(r"([rb])\(([a-z])0?([0-9]{1,2})(,[hv])\)")
_DOT = re.compile(r"([a-z])(\d+)")
_COLOURS = "rb"
_POINTS: dict[str, tuple[float, float] | None] = {"R": (1.0, 0.0), "B": (0.0, 1.0), "U": None}
"""The points by `winner`; U leaves them to the boxes."""


def _one(record: GameRecord, event: str) -> str:
    """`winner` as scored, also after a forfeit."""
    game = record.terms.game
    if not isinstance(game, Dots):
        raise RecordError(f"game {record.game} is {game.name}; only dots has such a record")
    red, blue = two_players(record)
    first, second = game.position(record.final_state).scores()
    edges = dict(zip(game.names, _edge_names(game), strict=True))
    written = {
        "R": red,
        "B": blue,
        "winner": {1.0: "R", 0.0: "B"}.get(record.points[0], "U") if record.points else "U",
        "RScore": first,
        "BScore": second,
        "Date": day_of(record),
        "Event": event,
        "game": [
            {"piece": f"{_COLOURS[move.seat]}({move_in(edges, move, record)})"}
            for move in record.moves
        ],
    }
    return json.dumps(written, ensure_ascii=False) + "\n"


def _split(text: str) -> Iterable[str]:
    with suppress(ValueError, RecursionError):
        whole = json.loads(text)
        return [json.dumps(each) for each in (whole if isinstance(whole, list) else [whole])]
    return filter(str.strip, text.splitlines())


def _parse(text: str, game: Game | None, number: int) -> GameRecord:
    game = game_or(game, load("dots"), "this record")
    assert isinstance(game, Dots)  # no other is of that name
    return record_of(read_record(game, text), game, number)


def read_record(game: Dots, text: str) -> ParsedGame:
    """The record in `text`, its moves checked against the rules as its heading is.

    Raises ValueError naming the key or the piece, what was found and what is expected.
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the record is not JSON: {error}") from error
    if not isinstance(data, dict):
        raise ValueError(f"the record must be a JSON object, not {type(data).__name__}")
    edges = dict(zip(_edge_names(game), game.names, strict=True))
    moves, position = list[str](), game.start()
    for number, entry in enumerate(_value(data, "game", list), start=1):
        where = f"piece {number} of the record"
        piece = entry.get("piece") if isinstance(entry, dict) else None
        match = _PIECE.fullmatch(piece) if isinstance(piece, str) else None
        if not match:
            raise ValueError(f'{where} must be {{"piece": "r(a6,h)"}} or alike, not {entry!r}')
        move = edges.get("".join(match.groups()[1:]))
        if move is None:
            raise ValueError(
                f"{where}: {piece} is outside a board of {game.rows}×{game.cols} boxes"
            )
        if position.to_move is not None and match[1] != _COLOURS[position.to_move]:
            raise ValueError(f"{where}: {piece} is not the move of {_COLOURS[position.to_move]}")
        try:
            position = position.play(move)
        except MoveError as error:
            raise ValueError(f"{where}, {piece}: {error}") from error
        moves.append(move)
    scores = (_value(data, "RScore", int), _value(data, "BScore", int))
    if position.is_over and scores != position.scores():
        raise ValueError(
            f"RScore and BScore are {scores[0]} and {scores[1]}, but the moves give "
            f"{position.scores()[0]} and {position.scores()[1]}"
        )
    winner = _value(data, "winner", str)
    if winner not in _POINTS:
        raise ValueError(f"winner must be R, B or U, not {winner!r}")
    texts = (_value(data, key, str) for key in ("R", "B", "Date", "Event"))
    red, blue, date, event = map(printable, texts)  # JSON may have half a character
    points = _POINTS[winner]
    by_boxes = points is None or (points[0] - points[1]) * (scores[0] - scores[1]) > 0
    return ParsedGame(
        moves=moves,
        players=(red, blue),
        scores=scores,
        points=points,
        flag="" if by_boxes else f"won by {red if winner == 'R' else blue}",
        date=date,
        stated={"event": event, "winner": winner},
    )


def _edge_names(game: Dots) -> list[str]:
    """The championship's names of the edges, such as `a6,h`, in the order of `game.names`."""
    return [
        f"{letter}{game.rows + 2 - int(lower)},{'h' if upper == lower else 'v'}"
        for (letter, upper), (_, lower) in map(_DOT.findall, game.names)
    ]


def _value(data: dict[str, Any], key: str, kind: type) -> Any:
    value = data.get(key)
    if type(value) is not kind:
        names = {str: "a string", int: "an integer", list: "a list"}
        found = repr(value) if key in data else "missing"
        raise ValueError(f"{key} must be {names[kind]}, but is {found}")
    return value


CHAMPIONSHIP = text_form("record", (".json",), _one, _split, _parse)
