"""Expectimax: looks slides ahead in 2048 and 2584, and values boards by an n-tuple network."""

from __future__ import annotations

from players.options import ExpectimaxOptions, read_options
from players.sdk import Answer, Start, Turn, play
from players.thinking import tile_board_of
from players.tile_network import search_of, think


class Expectimax:
    """The player. Its transposition table lives through a game."""

    name = "expectimax"

    def start(self, start: Start) -> None:
        """Read the options and the network, and load or compile every kernel before the clock
        runs.
        """
        self._options = options = read_options(ExpectimaxOptions, start)
        self._board = tile_board_of(self.name, start)
        self._search = search_of(
            start,
            self._board,
            options,
            method=options.method_against(start.variant["placer"]),
            popup=options.popup,
            rate=options.star,
        )

    def choose(self, turn: Turn) -> Answer:
        """Look further ahead until the depth is reached or the time is nearly over."""
        return think(self._search, self._board, turn, self._options, self._options.depth)


if __name__ == "__main__":
    player = Expectimax()
    play(player.choose, start=player.start, name=player.name)
