"""The placer: puts the tiles of 2048 and 2584 where a player does, at random or to harm."""

from __future__ import annotations

from random import Random

import rules
from players.greedy import PLACER, SLIDER, gains
from players.options import PlacerOptions, read_options
from players.sdk import Answer, Start, Turn, play
from players.thinking import tile_board_of
from players.tile_network import search_of, think
from rules.tiles import SPAWNS


class Placer:
    """The player. The seed of the game draws what is left to chance."""

    name = "placer"

    def start(self, start: Start) -> None:
        """Read the options, and what the seat needs."""
        self._options = options = read_options(PlacerOptions, start)
        self._board = tile_board_of(self.name, start)
        self._game = rules.load(start.rules, **start.variant)
        self._random = Random(start.seed)
        if start.seat == SLIDER or options.policy == "minimax":
            self._search = search_of(start, self._board, options)

    def choose(self, turn: Turn) -> Answer:
        """Place by the policy, or slide by the network."""
        options = self._options
        if turn.seat == SLIDER:
            return think(self._search, self._board, turn, options, 1)
        if options.policy == "minimax":
            return think(self._search, self._board, turn, options, options.depth)
        if options.policy == "random":
            return self._as_chance(turn)
        return self._greedily(turn)

    def _as_chance(self, turn: Turn) -> str:
        """Any empty cell, and a tile by the game's own odds."""
        odds = SPAWNS[self._game.name][self._game.variant["spawn"]]
        tiles = [move.partition("=")[2] for move in turn.legal]
        weights = [odds[int(tile)] if tile else 1.0 for tile in tiles]
        return self._random.choices(turn.legal, weights)[0]

    def _greedily(self, turn: Turn) -> Answer:
        """One of the placements after which the slider's best reward is least."""
        of_move = gains(self._game.position(turn.state), PLACER)
        best = max(of_move[move] for move in turn.legal)
        move = self._random.choice([move for move in turn.legal if of_move[move] == best])
        return move, {"score": best, "depth": 1}


if __name__ == "__main__":
    player = Placer()
    play(player.choose, start=player.start, name=player.name)
