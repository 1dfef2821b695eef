"""One game as a text that other programs read: a transcript, or the dots championship's record."""

from __future__ import annotations

from dataclasses import replace

from arena.errors import RecordError
from arena.model.record import GameRecord
from rules.dots import Dots
from rules.dots_record import make_record, write_record
from rules.transcript import write_transcript


def transcript(record: GameRecord) -> str:
    """The moves in a line, as `rules.transcript` has it for the game."""
    return write_transcript(record.start(), (move.move for move in record.moves)) + "\n"


def championship_record(record: GameRecord, event: str) -> str:
    """The Chinese championship's JSON record of a game of dots and boxes, won as it was scored.

    RecordError for any other game.
    """
    game = record.terms.game
    if not isinstance(game, Dots):
        rules = record.terms.rules
        raise RecordError(f"game {record.game} is {rules}; only dots has such a record")
    red, blue = (seat.player for seat in record.seats)
    moves = (move.move for move in record.moves)
    date = record.started_at[:10]
    made = make_record(game, moves, red=red, blue=blue, date=date, event=event)
    winner = {1.0: "R", 0.0: "B"}.get(record.points[0], "U") if record.points else "U"
    return write_record(game, replace(made, winner=winner)) + "\n"
