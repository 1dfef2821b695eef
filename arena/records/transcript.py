"""The moves in a line, as `rules.transcript` writes them for the game."""

from arena.model.record import GameRecord
from rules.position import Game
from rules.transcript import read_transcript, write_transcript


class Transcript:
    """The form."""

    def takes(self, game: Game) -> bool:
        """Every game has a transcript."""
        return True

    def write(self, record: GameRecord, event: str) -> str:
        """The transcript of a game."""
        return write_transcript(record.start(), (move.move for move in record.moves)) + "\n"

    def read(self, text: str, game: Game) -> tuple[str, ...]:
        """The moves of a transcript."""
        return tuple(read_transcript(game.start(), text))
