"""Iterative deepening over slides and placements."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from players.games.tiles.boards import TileBoard
from players.search.expectimax.search import placement_worths, slide_worths
from players.search.expectimax.settings import TileSettings, new_scratch
from players.search.stop import NEVER
from players.search.types import Array, Flag, Tiles
from rules.tiles import CELLS, SLIDES


class BestChoice(NamedTuple):
    move: str
    worth: float
    """The rewards the slider has still to expect, or under minimax is sure of by the network."""
    depth: int
    """The deepest search that was finished, in slides."""
    nodes: int
    """Positions with the slider to move that were looked at."""


class TileSearch:
    """Searches of one game that share a table."""

    def __init__(self, board: TileBoard, settings: TileSettings) -> None:
        self._board = board
        self._settings = settings
        self._scratch = new_scratch()

    def slide(self, position: Tiles, legal: Sequence[str], depth: int, stop: Flag) -> BestChoice:
        """The slide worth most, `depth` ahead or until `stop` is set; at least one."""
        slides = np.array([SLIDES.index(move) for move in legal], np.int64)
        return self._deepen(legal, depth, stop, 1, slide_worths, position, slides)

    def place(self, position: Tiles, legal: Sequence[str], depth: int, stop: Flag) -> BestChoice:
        """The placement, with a tile or without, that leaves the slider the least, by minimax."""
        parts = [move.partition("=") for move in legal]
        cells = np.array([CELLS.index(cell) for cell, _, _ in parts], np.uint64)
        values = self._board.values
        tiles = np.array([values.index(int(tile or 0)) for _, _, tile in parts], np.uint64)
        return self._deepen(legal, depth, stop, -1, placement_worths, position, cells, tiles)

    def _deepen(
        self,
        legal: Sequence[str],
        depth: int,
        stop: Flag,
        sign: int,
        worths: Any,
        position: Tiles,
        *choices: Array,
    ) -> BestChoice:
        """Look further and further ahead, at the best choices of the last time first: those with
        the greatest `worths`, a kernel, times `sign`.
        """
        scratch, order = self._scratch, np.arange(len(legal))
        scratch["nodes"] = 0
        best, worth, reached = 0, 0.0, 0
        while reached < depth and (reached == 0 or not stop[0]):
            out = np.empty(len(legal))
            scratch["stopped"] = 0
            ordered = (each[order] for each in choices)
            until = stop if reached else NEVER
            common = reached + 1, self._settings, until, scratch, out
            finished = int(worths(position, *ordered, *common))
            if finished:
                ranked = np.argsort(-sign * out[:finished], kind="stable")
                best, worth = int(order[ranked[0]]), float(out[ranked[0]])
            if finished < len(legal):
                break
            order, reached = order[ranked], reached + 1
        return BestChoice(legal[best], worth, reached, int(scratch["nodes"]))


def load_kernels(board: TileBoard, settings: TileSettings) -> None:
    """Load from the cache, or compile, what searches boards with settings of this type."""
    search = TileSearch(board, settings)
    start = board.board([0] * len(CELLS))
    search.slide(start, SLIDES, 1, NEVER)
    search.place(start, CELLS[:1], 1, NEVER)
