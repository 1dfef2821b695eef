"""The heuristic player of 2048 and 2584: alpha-beta against the most annoying placements.

It slides, and it places tiles where the same search expects least of the slider.
"""

from typing import Annotated

from pydantic import Field

from players.builtin import Builtin, per_second, slides_and_places, think_until, tile_board
from players.options import DEEPEST_HEURISTIC, SearchOptions, Tunable, read_options
from players.sdk import Answer, Start, Turn

SMOOTHNESS, MONOTONICITY, EMPTY, LARGEST = 0.1, 1.0, 2.7, 1.0
"""The weights of the evaluation's terms in S19 of the course notes."""

MOST = 100.0
"""No weight is further from 0, so that the end of a game counts more than any board."""


class HeuristicOptions(SearchOptions):
    """Alpha-beta with iterative deepening against a placer that annoys the slider most."""

    think_ms: int | None = Field(default=100, gt=0)
    """Think at most that long for a move, even where the clock allows more."""
    depth: int | None = Field(default=None, gt=0, le=DEEPEST_HEURISTIC)
    """Look no more slides ahead; the clock still ends the thinking."""
    nodes: int | None = Field(default=None, gt=0)
    """Look at about that many boards at most; the clock still ends the thinking."""
    smoothness: Annotated[float, Tunable(low=0.0, high=5.0, step=0.1)] = Field(
        default=SMOOTHNESS, ge=-MOST, le=MOST
    )
    """The weight of smoothness: minus the differences between neighbouring tiles, counted in steps
    of the row of tiles; the next tile across empty cells is a neighbour."""
    monotonicity: Annotated[float, Tunable(low=0.0, high=10.0, step=0.2)] = Field(
        default=MONOTONICITY, ge=-MOST, le=MOST
    )
    """The weight of monotonicity: minus the steps the wrong way, in the rows together and in the
    columns together, the right way being the one that leaves less of them."""
    empty: Annotated[float, Tunable(low=0.0, high=20.0, step=0.5)] = Field(
        default=EMPTY, ge=-MOST, le=MOST
    )
    """The weight of the natural logarithm of the number of empty cells."""
    largest: Annotated[float, Tunable(low=0.0, high=10.0, step=0.3)] = Field(
        default=LARGEST, ge=-MOST, le=MOST
    )
    """The weight of the largest tile, counted in steps of the row of tiles."""
    memory_mb: int = Field(default=16, ge=0, le=16_384)
    """The size of the transposition table; 0 for none."""


class HeuristicPlayer(Builtin):
    """Its transposition table lives through a game."""

    name = "heuristic"
    summary = "2048 and 2584 by alpha-beta: smooth, monotone boards against nasty tiles"
    kernels = "heuristic"
    options = HeuristicOptions
    refusal = staticmethod(slides_and_places)

    def __init__(self, start: Start) -> None:
        self._options = options = read_options(HeuristicOptions, start)
        self._board = tile_board(start.rules, start.variant["spawn"])
        from players.games.tiles.heuristic import make_heuristic
        from players.search.heuristic.driver import HeuristicSearch, load_kernels

        load_kernels(self._board, self._board.position(start.state))
        weights = (options.smoothness, options.monotonicity, options.empty, options.largest)
        heuristic = make_heuristic(self._board, *weights)
        self._search = HeuristicSearch(self._board, heuristic, options.memory_mb)

    def choose(self, turn: Turn) -> Answer:
        from players.search.stop import stop_at

        if len(turn.legal) == 1:
            return turn.legal[0]
        options, position = self._options, self._board.position(turn.state)
        with stop_at(think_until(turn, options)) as stop:
            best = self._search.think(position, turn.legal, stop, options.depth, options.nodes)
        speed = f"{per_second(best.nodes, turn)} nodes/s"
        end = f"; slides left under the worst placements: {best.end}"
        return best.move, {
            "score": best.score,
            "depth": best.depth,
            "nodes": best.nodes,
            "pv": best.pv,
            "text": speed if best.end is None else speed + end,
        }


if __name__ == "__main__":
    HeuristicPlayer.run()
