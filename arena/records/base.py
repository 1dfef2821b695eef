"""A form that a game can be written in for other programs."""

from typing import Protocol

from arena.model.record import GameRecord
from rules.position import Game


class RecordForm(Protocol):
    """One form."""

    def takes(self, game: Game) -> bool:
        """Whether games of these rules have this form."""

    def write(self, record: GameRecord, event: str) -> str:
        """A game as text, with a newline at its end; `event` is its tournament. Raises
        RecordError for a game without this form.
        """

    def read(self, text: str, game: Game) -> tuple[str, ...]:
        """The moves of a game in this form. ValueError says what is wrong."""
