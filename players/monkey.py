"""The random player: every legal move is equally likely. Slides, places tiles, plays anything."""

from __future__ import annotations

from random import Random

from players.sdk import Start, Turn, play


class Monkey:
    """Uniform choice, seeded by the game."""

    def start(self, start: Start) -> None:
        """Seed the choices of this game."""
        if start.options:  # what refuses them takes most of a start to load
            from players.options import MonkeyOptions, read_options

            read_options(MonkeyOptions, start)
        self._random = Random(start.seed)

    def choose(self, turn: Turn) -> str:
        """Any of the legal moves."""
        return self._random.choice(turn.legal)


if __name__ == "__main__":
    monkey = Monkey()
    play(monkey.choose, start=monkey.start, name="monkey")
