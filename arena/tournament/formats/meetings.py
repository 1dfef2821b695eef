"""Meetings of two players, which most formats are made of, and a list of them known beforehand.

The label of a meeting has the two players and the round, `ant:bee:3`, and decides its games:
`ant:bee:3.1` and `ant:bee:3.2`. So players may come and go without moving the games of others.
"""

from collections.abc import Iterator

from arena.model.protocol import Termination
from arena.ratings.results import GameDigest
from arena.tournament.formats.base import Pairing, Schedule
from rules.position import Game

Pair = tuple[str, str]
ALL_MEET_ALL = (
    'each player plays each seed by itself, so all meet all; write format = "round-robin"'
)
"""Why a format does not fit a game that one plays alone."""
_ESCAPED = str.maketrans({mark: f"%{ord(mark):02X}" for mark in "%: /"})
"""Marks that would make a label ambiguous, or hard to write in a command."""


def meeting(game: Game, round_: int, one: str, other: str) -> tuple[Pairing, Pairing]:
    """Two games with seats swapped; where one seat plays alone, each plays the same seed."""
    label = f"{one.translate(_ESCAPED)}:{other.translate(_ESCAPED)}:{round_}"

    def turn(number: int, *seats: str) -> Pairing:
        lot = label if game.decided_by_seed else f"{label} game {number}"
        return Pairing(f"{label}.{number}", round_, label, seats, lot)

    if game.seats == 1:
        return turn(1, one), turn(2, other)
    return turn(1, one, other), turn(2, other, one)


class ListedSchedule(Schedule):
    """Games known beforehand, in their order."""

    def __init__(self, games: Iterator[Pairing], number: int, out: frozenset[str]) -> None:
        self.total = self._number = number
        self._left, self._out = games, out
        self._begun: set[str] = set()
        """Handed out and without a result. Of a long schedule no id is kept longer than needed."""
        self._ahead: set[str] = set()
        """With a result before they were handed out."""
        self._finished = 0

    @property
    def over(self) -> bool:
        return self._finished >= self._number

    def next(self) -> Pairing | None:
        for game in self._left:
            if game.game not in self._ahead:
                self._begun.add(game.game)
                return game
            self._ahead.remove(game.game)
        return None

    def add(self, game: GameDigest) -> None:
        """Take note of a result; one of a player that is out comes on top of the schedule."""
        if game.termination is Termination.VOID:
            return
        if not self._out.isdisjoint(game.players):
            self.total += 1
            return
        self._finished += 1
        if game.game in self._begun:
            self._begun.remove(game.game)
        else:
            self._ahead.add(game.game)
