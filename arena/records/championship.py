"""The JSON record of the Chinese championship's games of dots, as `rules.dots_record` has it.

A file has one record, a list of them, or one a line.
"""

import json
from collections.abc import Iterable
from contextlib import suppress

from arena.errors import RecordError
from arena.model.record import GameRecord
from arena.records.form import Told, game_or, record_of, text_form, two_players
from rules import load
from rules.dots import Dots
from rules.dots_record import read_record, write_record
from rules.position import Game

_POINTS: dict[str, tuple[float, float] | None] = {"R": (1.0, 0.0), "B": (0.0, 1.0), "U": None}
"""What a winner stands for; U leaves it to the boxes."""


def _one(record: GameRecord, event: str) -> str:
    """Won as it was scored: a forfeit is kept too."""
    game = record.terms.game
    if not isinstance(game, Dots):
        raise RecordError(f"game {record.game} is {game.name}; only dots has such a record")
    red, blue = two_players(record)
    moves = (move.move for move in record.moves)
    date = record.started_at[:10]
    winner = {1.0: "R", 0.0: "B"}.get(record.points[0], "U") if record.points else "U"
    seats = {"red": red, "blue": blue, "winner": winner}
    return write_record(game, moves, **seats, date=date, event=event) + "\n"


def _split(text: str) -> Iterable[str]:
    with suppress(ValueError, RecursionError):
        whole = json.loads(text)
        return [json.dumps(each) for each in (whole if isinstance(whole, list) else [whole])]
    return filter(str.strip, text.splitlines())


def _parse(text: str, game: Game | None, number: int) -> GameRecord:
    game = game_or(game, load("dots"), "this record")
    assert isinstance(game, Dots)  # no other is of that name
    moves = read_record(game, text)
    heading = json.loads(text)
    scores = heading["RScore"], heading["BScore"]
    points = _POINTS[heading["winner"]]
    by_boxes = points is None or (points[0] - points[1]) * (scores[0] - scores[1]) > 0
    told = Told(
        moves=moves,
        players=(heading["R"], heading["B"]),
        scores=scores,
        points=points,
        flag="" if by_boxes else f"won by {heading[heading['winner']]}",
        date=heading["Date"],
        stated={"event": heading["Event"], "winner": heading["winner"]},
    )
    return record_of(told, game, number)


CHAMPIONSHIP = text_form("record", (".json",), _one, _split, _parse)
