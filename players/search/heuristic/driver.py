"""Iterative deepening that stops inside a depth, for the slider and for the placer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from players.kernels.cache import one_at_a_time
from players.kernels.tile_boards import TileBoard
from players.kernels.tile_heuristic import Heuristic, make_heuristic
from players.search.alphabeta.table import GENERATIONS, new_table
from players.search.heuristic.search import (
    DEEPEST,
    INFINITY,
    NO_MOVE,
    SURE,
    THOUSANDTHS,
    WIN,
    Context,
    Scratch,
    try_move,
)
from players.search.stop import NEVER
from rules.tiles import CELLS, SLIDES

NO_LIMIT = 1 << 62
"""More positions than anyone waits for."""


class Limits(NamedTuple):
    """What ends a search besides its `stop` flag."""

    depth: int = DEEPEST
    """Look no more slides ahead; no search goes beyond DEEPEST."""
    nodes: int = NO_LIMIT
    """Visit no more than about so many positions."""


UNLIMITED = Limits()


class Found(NamedTuple):
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


class Line(NamedTuple):
    """A move and what it leads to."""

    move: str
    value: float
    """In thousandths of the evaluation, from the mover's view."""
    end: int | None
    """After how many plies the game ends, where it does."""
    after: list[str]
    """The moves after it."""


class HeuristicSearch:
    """The searches of one game, which share a transposition table."""

    def __init__(self, board: TileBoard, heuristic: Heuristic, memory_mb: int) -> None:
        """`memory_mb` is the size of the table, 0 for none."""
        laws = heuristic.laws
        common, rare = (board.values[int(tile)] for tile in (laws.common, laws.rare))
        placements = [f"{cell}={tile}" for cell in CELLS for tile in (common, rare)]
        self._names = [*SLIDES, *placements]
        """Of each move, as the kernels number them."""
        share = float(laws.share)
        self._outcomes = {name: [(1.0, code)] for code, name in enumerate(self._names)}
        """How likely each move makes which of the kernels' moves."""
        for cell in CELLS:
            codes = (self._names.index(f"{cell}={tile}") for tile in (common, rare))
            self._outcomes[cell] = list(zip((share, 1 - share), codes, strict=True))
        self._context = Context(heuristic, new_table(memory_mb), NEVER)
        self._scratch = new_scratch()

    def think(
        self, position: Any, legal: Sequence[str], stop: Any, limits: Limits = UNLIMITED
    ) -> Found:
        """The best of the `legal` moves: slides, placements as `c2=4`, or cells for which chance
        draws the tile.

        Looks further and further ahead until `stop` is set or a limit is reached. What was found
        out at a depth by then counts: the best move of the depth before is the first to be looked
        at, so that any other which is better by then is so at equal depth. One slide ahead is
        always seen whole.
        """
        scratch, is_slider = self._scratch, legal[0] in SLIDES
        scratch["generation"] = (scratch["generation"] + 1) % GENERATIONS
        scratch["killers"] = NO_MOVE
        scratch["nodes"], scratch["node_limit"] = 0, NO_LIMIT
        lines, whole = self._look(position, legal, 2 - is_slider, NEVER)
        best, depth = max(lines, key=_value), 1
        scratch["node_limit"] = limits.nodes
        while whole and depth < min(limits.depth, DEEPEST) and abs(best.value) < SURE:
            order = [line.move for line in sorted(lines, key=_value, reverse=True)]
            lines, whole = self._look(position, order, 2 * depth + 2 - is_slider, stop)
            best = max(lines, key=_value, default=best)
            depth += whole
        return Found(
            best.move,
            None if best.end is not None else best.value / THOUSANDTHS,
            depth,
            int(scratch["nodes"]),
            None if best.end is None else best.end // 2,
            [best.move, *best.after],
        )

    def _look(
        self, position: Any, moves: Sequence[str], plies: int, stop: Any
    ) -> tuple[list[Line], bool]:
        """The lines of the moves in that order, as far as they were seen to their end before it was
        time to stop, and whether that is all. Of moves that are no better than one before them the
        value is an upper bound.
        """
        context, lines = self._context._replace(stop=stop), list[Line]()
        low = -INFINITY
        for move in moves:
            line = self._line(position, move, plies, low, context)
            if line is None:
                return lines, False
            lines.append(line)
            low = max(low, int(line.value))
        return lines, True

    def _line(
        self, position: Any, move: str, plies: int, low: int, context: Context
    ) -> Line | None:
        """What the move leads to, exactly if its value is above `low`; None when stopped."""
        scratch, outcomes = self._scratch, self._outcomes[move]
        scratch["stopped"] = 0
        value, ends, after = 0.0, [], []
        for share, code in reversed(outcomes):  # the more likely one last: its line is shown
            floor = low if len(outcomes) == 1 else -INFINITY
            worth = int(try_move(position, code, plies, floor, INFINITY, context, scratch))
            if scratch["stopped"]:
                return None
            value += share * worth
            ends += [WIN - abs(worth)] if abs(worth) >= SURE else []
            after = [] if len(outcomes) == 1 else [self._names[code]]
        for code in scratch["line"][1]:
            if code == NO_MOVE:
                break
            after.append(self._names[code])
        return Line(move, value, min(ends, default=None), after)


def _value(line: Line) -> float:
    return line.value


def new_scratch() -> Any:
    """Empty memory of a search."""
    return np.zeros(1, Scratch)[0]


def load_kernels(board: TileBoard, position: Any) -> None:
    """Load from the cache, or compile, what searches of a game call."""
    with one_at_a_time():
        context = Context(make_heuristic(board, 0, 0, 0, 0), new_table(1), NEVER)
        try_move(position, 0, 1, -INFINITY, INFINITY, context, new_scratch())
