"""The heuristic player of 2048 and 2584: alpha-beta against the most annoying placements.

It slides, and it places tiles where the same search expects least of the slider.
"""

from __future__ import annotations

from players.options import HeuristicOptions, read_options
from players.sdk import Answer, Start, Turn, play
from players.thinking import seconds_since, think_until, tile_board_of


class HeuristicPlayer:
    """The player. Its transposition table lives through a game."""

    name = "heuristic"

    def start(self, start: Start) -> None:
        """Read the options, and load or compile every kernel before the clock runs."""
        self._options = options = read_options(HeuristicOptions, start)
        self._board = tile_board_of(self.name, start)
        from players.games.tiles.heuristic import make_heuristic
        from players.search.heuristic import HeuristicSearch, load_kernels

        load_kernels(self._board, self._board.position(start.state))
        weights = (options.smoothness, options.monotonicity, options.empty, options.largest)
        heuristic = make_heuristic(self._board, *weights)
        self._search = HeuristicSearch(self._board, heuristic, options.memory_mb)

    def choose(self, turn: Turn) -> Answer:
        """Look further and further ahead until the time is nearly over."""
        from players.search.heuristic import UNLIMITED, Limits
        from players.search.stop import stop_at

        if len(turn.legal) == 1:
            return turn.legal[0]
        options, position = self._options, self._board.position(turn.state)
        limits = Limits(options.depth or UNLIMITED.depth, options.nodes or UNLIMITED.nodes)
        with stop_at(think_until(turn, options)) as stop:
            found = self._search.think(position, turn.legal, stop, limits)
        speed = f"{found.nodes / seconds_since(turn):.0f} nodes/s"
        end = f"; slides left under the worst placements: {found.end}"
        return found.move, {
            "score": found.score,
            "depth": found.depth,
            "nodes": found.nodes,
            "pv": found.pv,
            "text": speed if found.end is None else speed + end,
        }


if __name__ == "__main__":
    player = HeuristicPlayer()
    play(player.choose, start=player.start, name=player.name)
