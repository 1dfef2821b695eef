"""One game as a text that other programs read: a transcript, or the dots championship's record."""

from __future__ import annotations

from dataclasses import replace

from arena.errors import RecordError
from arena.model.record import GameRecord
from arena.model.seeds import first_position
from rules import load
from rules.dots import Dots
from rules.dots_record import make_record, write_record
from rules.transcript import write_transcript


def transcript(record: GameRecord) -> str:
    """The moves in a line, as `rules.transcript` has it for the game."""
    start = first_position(load(record.rules, **record.variant), record.seed)
    return write_transcript(start, (move.move for move in record.moves)) + "\n"


def championship_record(record: GameRecord, event: str) -> str:
    """The Chinese championship's JSON record of a game of dots and boxes, won as it was scored.

    RecordError for any other game.
    """
    game = load(record.rules, **record.variant)
    if not isinstance(game, Dots):
        raise RecordError(f"game {record.game} is {record.rules}; only dots has such a record")
    red, blue = (seat.player for seat in record.seats)
    moves = (move.move for move in record.moves)
    date = record.started_at[:10]
    made = make_record(game, moves, red=red, blue=blue, date=date, event=event)
    winner = {1.0: "R", 0.0: "B"}.get(record.points[0], "U") if record.points else "U"
    return write_record(game, replace(made, winner=winner)) + "\n"
