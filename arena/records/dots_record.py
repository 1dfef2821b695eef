"""The Chinese championship's JSON record of a game of dots and boxes, won as it was scored."""

from arena.errors import RecordError
from arena.model.record import GameRecord
from rules.dots import Dots
from rules.dots_record import read_record, write_record
from rules.position import Game


class ChampionshipRecord:
    """The form."""

    def takes(self, game: Game) -> bool:
        """Only dots-and-boxes has it."""
        return isinstance(game, Dots)

    def write(self, record: GameRecord, event: str) -> str:
        """The record of a game. RecordError for any other game than dots."""
        game = record.terms.game
        if not isinstance(game, Dots):
            raise RecordError(f"game {record.game} is {game.name}; only dots has such a record")
        red, blue = (seat.player for seat in record.seats)
        moves = (move.move for move in record.moves)
        date = record.started_at[:10]
        winner = {1.0: "R", 0.0: "B"}.get(record.points[0], "U") if record.points else "U"
        written = write_record(
            game, moves, red=red, blue=blue, winner=winner, date=date, event=event
        )
        return written + "\n"

    def read(self, text: str, game: Game) -> tuple[str, ...]:
        """The moves of such a record."""
        if not isinstance(game, Dots):
            raise RecordError(f"{game.name} has no such record; only dots has")
        return read_record(game, text)
