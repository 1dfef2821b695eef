"""Alpha-beta against plain minimax: from the rules to the end, with estimates at a fixed depth."""

from __future__ import annotations

import time
from random import Random
from typing import Any

import numpy as np
import pytest

import rules
from players.kernels import game as kernels
from players.kernels.boards import load_board, load_terms
from players.kernels.cache import kernel
from players.search.alphabeta import AlphaBetaSearch, final_value, in_points
from players.search.stop import stop_at
from rules.position import Game, Position
from tests.players.conftest import random_position, true_net

NEVER = np.zeros(1, np.int64)


def search_of(game: Game) -> AlphaBetaSearch:
    board, terms = load_board(game.name, game.variant), load_terms(game.name, game.variant)
    return AlphaBetaSearch(board, terms=terms, memory_mb=1)


def compiled(position: Position) -> Any:
    board = load_board(position.game.name, position.game.variant)
    return board.position(position.state())


@kernel
def minimax(position: Any, depth: int, terms: Any) -> Any:
    """The definition: no pruning, no table, no ordering."""
    out = np.empty(kernels.MOVES, np.int16)
    count = kernels.moves(position, out)
    if count == 0:
        return final_value(position)
    if depth == 0:
        return np.int64(kernels.evaluate(position, terms))
    best = np.int64(-(1 << 40))
    for index in range(count):
        child = kernels.play(position, np.int64(out[index]))
        value = minimax(child, depth - 1, terms)
        best = max(best, value if child.seat == position.seat else -value)
    return best


SMALL = [
    (rules.load("othello", size=4), 4),
    (rules.load("othello", size=4, preset="cornerless"), 5),
    (rules.load("dots", rows=2, cols=2), 3),
    (rules.load("dots", rows=1, cols=4), 4),
    (rules.load("dots", rows=2, cols=3, stop_at_majority=True), 8),
]


@pytest.mark.parametrize(("game", "plies"), SMALL, ids=lambda each: str(each))
def test_full_depth_is_exact(game: Game, plies: int) -> None:
    """Value and move, with one table for all positions, whatever seat is to move."""
    search = search_of(game)
    for seed in range(25):
        rng = Random(seed)
        position = random_position(game, rng.randint(plies, plies + 3), rng)
        found = search.think(compiled(position), NEVER, None)
        sign = 1 if position.to_move == 0 else -1
        where = f"seed {seed}\n{position}\n{found}"
        assert found.exact, where
        assert found.score == sign * true_net(position), where
        assert true_net(position.play(found.move)) == true_net(position), where


@pytest.mark.parametrize(
    ("rows", "cols", "net"), [(1, 1, -1), (1, 2, 0), (1, 3, -1), (1, 4, 0), (2, 2, 2), (2, 3, -2)]
)
def test_dots_boards_have_their_published_values(rows: int, cols: int, net: int) -> None:
    game = rules.load("dots", rows=rows, cols=cols)
    found = search_of(game).think(compiled(game.start()), NEVER, None)
    assert (found.exact, found.score) == (True, net)


@pytest.mark.parametrize(
    ("game", "plies", "depth"),
    [
        (rules.load("othello"), 12, 4),
        (rules.load("othello"), 50, 5),
        (rules.load("othello", preset="cornerless"), 8, 3),
        (rules.load("dots", rows=4, cols=4), 16, 4),
        (rules.load("dots", rows=3, cols=3), 14, 5),
    ],
    ids=str,
)
def test_a_fixed_depth_has_the_value_of_minimax(game: Game, plies: int, depth: int) -> None:
    for seed in range(8):
        position = random_position(game, plies, Random(seed))
        found = search_of(game).think(compiled(position), NEVER, depth)
        expected = minimax(compiled(position), depth, load_terms(game.name, game.variant))
        assert found.score == in_points(int(expected)), f"seed {seed}\n{position}"
        assert found.depth == depth or found.exact


def test_the_principal_variation_is_legal_and_starts_with_the_move() -> None:
    game = rules.load("othello")
    found = search_of(game).think(compiled(game.start()), NEVER, 7)
    position: Position = game.start()
    for move in found.pv:
        position = position.play(move)
    assert found.pv[0] == found.move
    assert len(found.pv) > 1
    assert found.nodes > 100


def test_the_clock_interrupts_it_with_the_best_move_so_far() -> None:
    game = rules.load("dots")
    position = compiled(game.start())
    search = search_of(game)
    with stop_at(time.monotonic() + 0.05) as stop:
        found = search.think(position, stop, None)
    assert stop[0] == 1
    assert found.move in game.start().legal_moves()
    assert not found.exact
    with stop_at(time.monotonic() - 1) as stop:
        late = search_of(game).think(position, stop, None)
    assert late.depth == 1
    assert late.move in game.start().legal_moves()
    again = search_of(game).think(position, NEVER, found.depth)
    assert again.score == found.score
