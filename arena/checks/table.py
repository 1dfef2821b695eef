"""A game as it goes on between a program under check and nobody in particular."""

from __future__ import annotations

from random import Random

from arena.checks.positions import Moves
from rules.position import CHANCE, PASS, Position, draw_chance


class Table:
    """The board, and who plays the rest: chance draws, the other seat moves at random.

    Forced passes are played, as the referee does, so that the program is only ever asked to choose.
    """

    def __init__(self, position: Position, moves: Moves, seat: int, seed: int) -> None:
        self.position = position
        self.moves = list(moves)
        self.seat = seat
        """The program's."""
        self._random = Random(seed)
        self._go_on()

    @property
    def is_over(self) -> bool:
        """Whether the program will not be asked again."""
        return self.position.is_over

    def play(self, move: str) -> None:
        """The program's move, and all until it is asked again."""
        self._apply(move)
        self._go_on()

    def _go_on(self) -> None:
        while self.position.to_move is not None:
            legal = self.position.legal_moves()
            if self.position.to_move == CHANCE:
                self._apply(draw_chance(self.position, self._random))
            elif self.position.to_move != self.seat or legal == (PASS,):
                self._apply(self._random.choice(legal))
            else:
                return

    def _apply(self, move: str) -> None:
        assert self.position.to_move is not None, "nobody moves in a game that is over"
        self.moves.append((self.position.to_move, move))
        self.position = self.position.play(move)
