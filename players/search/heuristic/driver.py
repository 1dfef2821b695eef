"""Iterative deepening that stops inside a depth: compiled, and by the names of moves."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from players.compiled.cache import kernel, part
from players.games.interface import NO_MOVE
from players.games.tiles.boards import TileBoard
from players.games.tiles.heuristic import Heuristic, make_heuristic
from players.options import DEEPEST_HEURISTIC as DEEPEST
from players.search.alphabeta.ordering import NO_LIMIT, extend_line
from players.search.alphabeta.table import GENERATIONS, new_table
from players.search.heuristic import search as tree
from players.search.heuristic.search import TileContext
from players.search.stop import NEVER
from players.search.types import Array, Flag, Int, Move, Record, Tiles
from rules.tiles import CELLS, SLIDES

NO_END = -1
"""The plies to the end of the game where it is not seen."""


class Choices(NamedTuple):
    """Slides, placements, or cells for which chance draws the tile, to choose from."""

    moves: Array
    """int16[choices, 2]: the move that each makes, and the one that it makes by chance instead."""
    chance: Array
    """float64[choices]: how likely that is; 0 for a slide and for a placement."""


@part
def deepen(
    board: Tiles,
    choices: Choices,
    count: Int,
    is_slider: bool,
    depth: int,
    nodes: int,
    contexts: tuple[TileContext, TileContext],
    scratch: Record,
) -> Int:
    """Look further and further ahead at the first `count` of the choices, `depth` slides and about
    `nodes` positions at most; how many slides ahead all were looked at.

    What was found at a depth when it is time to stop counts, as the best choice of the depth before
    is looked at first. One slide ahead is always seen whole, by the first of the `contexts`, whose
    `stop` is never set. The best choice, and what it leads to, is in `scratch`.
    """
    first, others = contexts
    scratch.generation = (scratch.generation + 1) % GENERATIONS
    scratch.killers[:] = NO_MOVE
    scratch.nodes, scratch.node_limit = 0, NO_LIMIT
    for index in range(count):
        scratch.order[index] = index
    reached = np.int64(0)
    while reached == 0 or (reached < min(depth, DEEPEST) and abs(scratch.worth) < tree.SURE):
        plies = 2 * (reached + 1) - np.int64(is_slider)
        seen = _look(board, choices, count, plies, others if reached else first, scratch)
        if seen < count:
            break
        _sort(count, scratch)
        scratch.node_limit = nodes
        reached += 1
    return reached


@part
def _look(
    board: Tiles, choices: Choices, count: Int, plies: Int, context: TileContext, scratch: Record
) -> Int:
    """Look `plies` ahead at each choice; how many were finished. Worse ones have upper bounds."""
    low = np.int64(-tree.INFINITY)
    for index in range(count):
        choice = scratch.order[index]
        chance = choices.chance[choice]
        sure = chance == 0.0
        floor = low if sure else np.int64(-tree.INFINITY)
        scratch.stopped = 0
        worth, end = 0.0, np.int64(NO_END)
        if not sure:
            rare = _try(board, choices.moves[choice, 1], plies, floor, context, scratch)
            worth, end = chance * rare, _sooner(end, rare)
        if not scratch.stopped:  # the likelier one last: what is expected then follows it
            common = _try(board, choices.moves[choice, 0], plies, floor, context, scratch)
            worth, end = worth + (1.0 - chance) * common, _sooner(end, common)
        if scratch.stopped:
            return index
        scratch.worths[index] = worth
        if index == 0 or worth > scratch.worth:
            scratch.choice, scratch.worth, scratch.end = choice, worth, end
            extend_line(np.int64(0), choices.moves[choice, 0], scratch)
        low = max(low, np.int64(worth))
    return count


@part
def _try(
    board: Tiles, move: Move, plies: Int, floor: Int, context: TileContext, scratch: Record
) -> Int:
    """The value of a legal `move` to its player, exact above `floor`; its line is line[1]."""
    child, _ = tree.play(board, np.int64(move), context.heuristic.laws)
    bounds = np.int64(-tree.INFINITY), -floor
    return -tree.search(child, plies - 1, bounds[0], bounds[1], np.int64(1), context, scratch)


@part
def _sooner(end: Int, value: int) -> Int:
    """The earlier end: the one known, or that which a value is sure of."""
    if abs(value) < tree.SURE:
        return end
    plies = tree.WIN - abs(value)
    return plies if end == NO_END else min(end, plies)


@part
def _sort(count: Int, scratch: Record) -> None:
    order, worths = scratch.order, scratch.worths
    for index in range(1, count):
        choice, worth, at = order[index], worths[index], index
        while at > 0 and worths[at - 1] < worth:
            order[at], worths[at] = order[at - 1], worths[at - 1]
            at -= 1
        order[at], worths[at] = choice, worth


think = kernel(deepen.py_func)


class BestTileMove(NamedTuple):
    move: str
    score: float | None
    """The evaluation of the line, negated for the placer; None where it ends the game."""
    depth: int
    """How many slides ahead every move was looked at."""
    nodes: int
    end: int | None
    """In how many slides the worst placements surely end the game; None where that is not seen."""
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
        depth: int | None = None,
        nodes: int | None = None,
    ) -> BestTileMove:
        """The best of the `legal` slides, placements (`c2=4`) or cells chance fills, by looking no
        more than `depth` slides ahead and at about `nodes` positions; None for no such limit.
        """
        scratch = self._scratch
        first, second, chance = zip(*(self._choices[move] for move in legal), strict=True)
        seen = think(
            position,
            Choices(np.array([first, second], np.int16).T.copy(), np.array(chance, np.float64)),
            len(legal),
            legal[0] in SLIDES,
            depth or DEEPEST,
            nodes or NO_LIMIT,
            (self._context, self._context._replace(stop=stop)),
            scratch,
        )
        choice, end = legal[scratch["choice"]], int(scratch["end"])
        codes = scratch["line"][0].tolist()
        line = [self._names[code] for code in codes[: codes.index(NO_MOVE)]]
        return BestTileMove(
            choice,
            None if end != NO_END else float(scratch["worth"]) / tree.THOUSANDTHS,
            int(seen),
            int(scratch["nodes"]),
            None if end == NO_END else end // 2,
            line if line[0] == choice else [choice, *line],  # a cell, and then what chance draws
        )


def new_scratch() -> Record:
    """The record of a search that has not begun."""
    return np.zeros(1, tree.Scratch)[0]


def load_kernels(board: TileBoard, position: Tiles) -> None:
    """Load from the cache, or compile, the search of positions of this type."""
    search = HeuristicSearch(board, make_heuristic(board, 0, 0, 0, 0), 1)
    search.think(position, SLIDES, NEVER, depth=1)
