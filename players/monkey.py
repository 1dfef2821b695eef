"""The random player: every legal move is equally likely. Slides, places tiles, plays anything."""

from random import Random

from players.builtin import Builtin
from players.sdk import Start, Turn


class Monkey(Builtin):
    """Uniform choice, seeded by the game."""

    name = "monkey"
    summary = "plays any legal move with equal probability"
    uses_clock = False

    def __init__(self, start: Start) -> None:
        self.refuse_options(start)
        self._random = Random(start.seed)

    def choose(self, turn: Turn) -> str:
        return self._random.choice(turn.legal)


if __name__ == "__main__":
    Monkey.run()
