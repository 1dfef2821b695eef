"""The heuristic search by the names of moves."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from players.games.tiles.boards import TileBoard
from players.games.tiles.heuristic import Heuristic, make_heuristic
from players.options import DEEPEST_HEURISTIC as DEEPEST
from players.search.alphabeta.ordering import NO_LIMIT
from players.search.alphabeta.table import new_table
from players.search.heuristic.deepening import NO_END, Choices, think
from players.search.heuristic.search import NO_MOVE, THOUSANDTHS, Scratch, TileContext
from players.search.stop import NEVER
from players.search.types import Flag, Record, Tiles
from rules.tiles import CELLS, SLIDES


class TileLimits(NamedTuple):
    """What ends a search besides its `stop` flag."""

    depth: int = DEEPEST
    """Look no more slides ahead; no search goes beyond DEEPEST."""
    nodes: int = NO_LIMIT
    """Visit no more than about that many positions."""


UNLIMITED = TileLimits()


class BestTileMove(NamedTuple):
    """What a search found."""

    move: str
    score: float | None
    """The evaluation that the line leads to, the opposite of it for the placer; None where it ends
    the game."""
    depth: int
    """How many slides ahead every move was looked at."""
    nodes: int
    end: int | None
    """In how many slides the worst placements end the game, whatever the slider does; None where
    that is not seen."""
    pv: list[str]
    """The principal variation, the move first."""


class HeuristicSearch:
    """The searches of one game, which share a transposition table."""

    def __init__(self, board: TileBoard, heuristic: Heuristic, memory_mb: int) -> None:
        """`memory_mb` is the size of the table, 0 for none."""
        laws = heuristic.laws
        common, rare = (board.values[int(tile)] for tile in (laws.common, laws.rare))
        placements = [f"{cell}={tile}" for cell in CELLS for tile in (common, rare)]
        self._names = [*SLIDES, *placements]
        """Of each move, as the kernels number them."""
        self._choices = {name: (code, code, 0.0) for code, name in enumerate(self._names)}
        """By name: the two moves that a choice may make, and how likely it makes the second."""
        for code, cell in zip(range(len(SLIDES), len(self._names), 2), CELLS, strict=True):
            self._choices[cell] = (code, code + 1, 1 - float(laws.share))
        self._context = TileContext(heuristic, new_table(memory_mb), NEVER)
        self._scratch = new_scratch()

    def think(
        self,
        position: Tiles,
        legal: Sequence[str],
        stop: Flag,
        limits: TileLimits = UNLIMITED,
    ) -> BestTileMove:
        """The best of the `legal` moves: slides, placements as `c2=4`, or cells for which chance
        draws the tile.

        Looks further and further ahead, as `deepen` says, until `stop` is set or a limit is
        reached.
        """
        scratch = self._scratch
        first, second, chance = zip(*(self._choices[move] for move in legal), strict=True)
        depth = think(
            position,
            Choices(np.array([first, second], np.int16).T.copy(), np.array(chance, np.float64)),
            legal[0] in SLIDES,
            limits.depth,
            limits.nodes,
            (self._context, self._context._replace(stop=stop)),
            scratch,
        )
        choice, end = legal[scratch["choice"]], int(scratch["end"])
        codes = scratch["line"][0].tolist()
        line = [self._names[code] for code in codes[: codes.index(NO_MOVE)]]
        return BestTileMove(
            choice,
            None if end != NO_END else float(scratch["worth"]) / THOUSANDTHS,
            int(depth),
            int(scratch["nodes"]),
            None if end == NO_END else end // 2,
            line if line[0] == choice else [choice, *line],  # a cell, and then what chance draws
        )


def new_scratch() -> Record:
    """Empty memory of a search."""
    scratch: Record = np.zeros(1, Scratch)[0]
    return scratch


def load_kernels(board: TileBoard, position: Tiles) -> None:
    """Load from the cache, or compile, what searches of a game call."""
    search = HeuristicSearch(board, make_heuristic(board, 0, 0, 0, 0), 1)
    search.think(position, SLIDES, NEVER, TileLimits(depth=1))
