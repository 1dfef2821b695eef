"""Iterative deepening that stops inside a depth, for the slider and for the placer, compiled."""

from typing import NamedTuple

import numpy as np

from players.compiled.cache import kernel, part
from players.options import DEEPEST_HEURISTIC as DEEPEST
from players.search.alphabeta.ordering import NO_LIMIT, extend_line
from players.search.alphabeta.table import GENERATIONS
from players.search.heuristic.search import (
    INFINITY,
    NO_MOVE,
    SURE,
    WIN,
    TileContext,
    play,
    search,
)
from players.search.types import Array, Int, Move, Record, Tiles

NO_END = -1
"""The plies to the end of the game where it is not seen."""


class Choices(NamedTuple):
    """What there is to choose from: slides, placements, or cells for which chance draws the
    tile.
    """

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

    What was found out at a depth when it is time to stop counts: the best choice of the depth
    before is the first to be looked at, so that any other which is better by then is so at equal
    depth. One slide ahead is always seen whole: by the first of the `contexts`, whose `stop` is
    never set. The best choice, and what it leads to, is in `scratch` (see `Scratch`).
    """
    patient, hurried = contexts
    scratch.generation = (scratch.generation + 1) % GENERATIONS
    scratch.killers[:] = NO_MOVE
    scratch.nodes, scratch.node_limit = 0, NO_LIMIT
    for index in range(count):
        scratch.order[index] = index
    reached = np.int64(0)
    while reached == 0 or (reached < min(depth, DEEPEST) and abs(scratch.worth) < SURE):
        plies = 2 * (reached + 1) - np.int64(is_slider)
        seen = _look(board, choices, count, plies, hurried if reached else patient, scratch)
        if seen < count:
            break
        _sort(count, scratch)
        scratch.node_limit = nodes
        reached += 1
    return reached


@part
def _look(
    board: Tiles,
    choices: Choices,
    count: Int,
    plies: Int,
    context: TileContext,
    scratch: Record,
) -> Int:
    """Look `plies` ahead at each choice in their order; how many were seen to their end before it
    was time to stop. Of a choice that is no better than one before it the worth is an upper bound.
    """
    low = np.int64(-INFINITY)
    for index in range(count):
        choice = scratch.order[index]
        chance = choices.chance[choice]
        sure = chance == 0.0
        floor = low if sure else np.int64(-INFINITY)
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
    """The value of a legal `move` for the player who makes it, looking `plies` ≥ 1 ahead,
    exactly where it is above `floor`; the line after it is in `scratch.line[1]`.
    """
    child, _ = play(board, np.int64(move), context.heuristic.laws)
    bounds = np.int64(-INFINITY), -floor
    value: Int = -search(child, plies - 1, bounds[0], bounds[1], np.int64(1), context, scratch)
    return value


@part
def _sooner(end: Int, value: int) -> Int:
    """The earlier end: the one known, or that which a value is sure of."""
    if abs(value) < SURE:
        return end
    plies = WIN - abs(value)
    return plies if end == NO_END else min(end, plies)


@part
def _sort(count: Int, scratch: Record) -> None:
    """Put the choices in order, the best first; those worth the same stay as they were."""
    order, worths = scratch.order, scratch.worths
    for index in range(1, count):
        choice, worth, at = order[index], worths[index], index
        while at > 0 and worths[at - 1] < worth:
            order[at], worths[at] = order[at - 1], worths[at - 1]
            at -= 1
        order[at], worths[at] = choice, worth


@kernel
def think(
    board: Tiles,
    choices: Choices,
    is_slider: bool,
    depth: int,
    nodes: int,
    contexts: tuple[TileContext, TileContext],
    scratch: Record,
) -> Int:
    """`deepen` for a player: all of the choices."""
    count = np.int64(len(choices.chance))
    reached: Int = deepen(board, choices, count, is_slider, depth, nodes, contexts, scratch)
    return reached
