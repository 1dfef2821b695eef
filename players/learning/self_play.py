"""Positions with what they are worth, from games of alpha-beta against itself.

Games start with random moves; what came before the last of these is not kept, so that each
position's margin is that of sensible play, which is exact towards the end.
"""

from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple

import numpy as np

import rules
from players.compiled.cache import kernel
from players.games import interface as game
from players.games.endgame import load_endgame
from players.games.registry import load_board
from players.search.alphabeta.driver import (
    AlphaBetaSearch,
    DepthLimits,
    child_of,
    legal_moves,
    load_kernels,
)
from players.search.alphabeta.search import in_points, value_at_end
from players.search.stop import NEVER
from players.search.types import Array, Position

Sample = tuple[Any, float]
"""A position, and what its mover won by in the end."""


class Recipe(NamedTuple):
    """How games are played."""

    depth: int
    """How many moves the search looks ahead."""
    exact: int
    """Play is exact from that many remaining moves on."""
    least_random: int
    """At least that many moves at the start are random …"""
    most_random: int
    """… and at most that many."""
    sensible: float
    """The share of random moves chosen among those that do not look bad by themselves."""


@kernel
def sensible_moves(position: Position, out: Array) -> int:
    """Write the moves that do not look bad by themselves to the front of `out`; their number."""
    count, kept = game.moves(position, out), 0
    for index in range(count):
        if game.priority(position, np.int64(out[index])) >= 0:
            out[kept] = out[index]
            kept += 1
    return kept


def self_play(rule_set: rules.Game, terms: Array, recipe: Recipe, rng: Random) -> Iterator[Sample]:
    """Positions of game after game, each with what its mover won by in the end, without end."""
    board = load_board(rule_set.name, rule_set.variant)
    endgame = load_endgame(rule_set.name, board, 16)
    search = AlphaBetaSearch(
        board, terms=terms, endgame=endgame, memory_mb=16, endgame_from=recipe.exact, leaves_from=0
    )
    start = board.position(rule_set.start().state())
    endgame.load_kernels(start)
    load_kernels(start, terms, endgame)
    while True:
        position, kept = start, []
        random_moves = rng.randint(recipe.least_random, recipe.most_random)
        while moves := legal_moves(position):
            if random_moves > 0:
                move = _random_move(position, moves, recipe.sensible, rng)
                random_moves -= 1
            else:
                kept.append(position)
                found = search.think(position, NEVER, DepthLimits(depth=recipe.depth))
                move = board.moves[found.move]
            position = child_of(position, move)
        margin = in_points(int(value_at_end(position)))
        for each in kept:
            yield each, margin if each.seat == position.seat else -margin


def _random_move(position: Position, moves: list[int], sensible: float, rng: Random) -> int:
    out = np.empty(game.MOVES, np.int16)
    count = sensible_moves(position, out)
    if count and rng.random() < sensible:
        return int(out[rng.randrange(count)])
    return rng.choice(moves)
