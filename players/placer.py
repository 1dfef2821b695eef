"""The placer: puts the tiles of 2048 and 2584 where a player does, at random or to harm."""

from random import Random
from typing import Literal

import rules
from players.builtin import Builtin, slides_and_places, tile_board
from players.expectimax import NetworkOptions, search_of, think
from players.greedy import SLIDER, greediest
from players.options import read_options
from players.sdk import Answer, Start, Turn
from rules.tiles import SPAWNS


class PlacerOptions(NetworkOptions):
    """Places tiles, for games in which a player does. As the slider it takes what its network
    values most, one slide ahead.
    """

    policy: Literal["random", "greedy", "minimax"] = "minimax"
    """How it places tiles. "random": as chance would, by the game's own odds; "greedy": to leave
    the slider the smallest reward at once, ties at random; "minimax": the least by `depth`."""


class Placer(Builtin):
    """The player. The seed of the game draws what is left to chance."""

    name = "placer"
    summary = "2048 and 2584: places tiles at random, greedily or to harm the slider most"
    kernels = "expectimax"
    options = PlacerOptions
    uses_clock = None
    refusal = staticmethod(slides_and_places)

    def __init__(self, start: Start) -> None:
        self._options = options = read_options(PlacerOptions, start)
        self._board = tile_board(start.rules, start.variant["spawn"])
        self._game = rules.load(start.rules, **start.variant)
        self._random = Random(start.seed)
        if start.seat == SLIDER or options.policy == "minimax":
            self._search = search_of(start, self._board, options)

    def choose(self, turn: Turn) -> Answer:
        options = self._options
        if turn.seat == SLIDER:
            return think(self._search, self._board, turn, options, 1)
        if options.policy == "minimax":
            return think(self._search, self._board, turn, options, options.depth)
        if options.policy == "random":
            odds = SPAWNS[self._game.name][self._game.variant["spawn"]]
            tiles = [move.partition("=")[2] for move in turn.legal]
            weights = [odds[int(tile)] if tile else 1.0 for tile in tiles]
            return self._random.choices(turn.legal, weights)[0]
        return greediest(self._game, turn, self._random)


if __name__ == "__main__":
    Placer.run()
