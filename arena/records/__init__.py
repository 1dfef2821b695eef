"""Game records in the forms other programs read: one function a form."""

from collections.abc import Callable

from arena.errors import RecordError
from arena.model.record import GameRecord
from rules.dots import Dots
from rules.dots_record import write_record
from rules.transcript import write_transcript


def transcript(record: GameRecord, event: str) -> str:
    """The moves in a line, as `rules.transcript` writes them for the game."""
    return write_transcript(record.start(), (move.move for move in record.moves)) + "\n"


def championship_record(record: GameRecord, event: str) -> str:
    """The Chinese championship's JSON record of a game of dots and boxes, won as it was scored."""
    game = record.terms.game
    if not isinstance(game, Dots):
        raise RecordError(f"game {record.game} is {game.name}; only dots has such a record")
    red, blue = (seat.player for seat in record.seats)
    moves = (move.move for move in record.moves)
    date = record.started_at[:10]
    winner = {1.0: "R", 0.0: "B"}.get(record.points[0], "U") if record.points else "U"
    seats = {"red": red, "blue": blue, "winner": winner}
    return write_record(game, moves, **seats, date=date, event=event) + "\n"


FORMS: dict[str, Callable[[GameRecord, str], str]] = {
    "transcript": transcript,
    "record": championship_record,
}
"""Writes a game of an event, by the name that `arena replay --as` takes. Raises RecordError."""
