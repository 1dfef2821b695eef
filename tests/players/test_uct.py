"""UCT: what it chooses, how its tree goes along with the game, and that it is reproducible."""

from __future__ import annotations

import time
from random import Random
from typing import Any

import numpy as np
import pytest

import rules
from players.kernels.boards import load_board
from players.kernels.game import MOVES
from players.search.stop import stop_at
from players.search.uct import UctSearch
from rules.position import PASS, Game, Position
from tests.players.conftest import random_position, true_net

NEVER = np.zeros(1, np.int64)


def search_of(game: Game, **settings: Any) -> UctSearch:
    board = load_board(game.name, game.variant)
    return UctSearch(board, **{"c": 1.0, "memory_mb": 8, "seed": 1, **settings})


def think(search: UctSearch, position: Position, iterations: int) -> int:
    board = load_board(position.game.name, position.game.variant)
    return search.think(board.position(position.state()), NEVER, 0, iterations)


def outcome(net: int, seat: int) -> int:
    return int(np.sign(net)) * (1 if seat == 0 else -1)


def check_tree(search: UctSearch) -> None:
    """The invariants that `search/tree.py` states."""
    tree = search._tree
    used = int(tree.used[0])
    seen = 1
    for node in range(used):
        count, first = int(tree.count[node]), int(tree.first[node])
        if count <= 0:
            continue
        block = slice(first, first + count)
        assert node < first
        assert first + count <= used
        seen += count
        tried = int(tree.tried[node])
        visits = tree.visits[block]
        assert (visits[:tried] > 0).all()
        assert not visits[tried:].any()
        own = int(tree.visits[node])
        assert own - 1 <= visits.sum() <= own
        assert len(set(tree.move[block].tolist())) == count
    visited = slice(1, used)
    assert (tree.total[visited] <= tree.visits[visited]).all()
    assert (tree.total[visited] >= 0).all()
    assert seen == used


GAMES = [
    rules.load("dots", rows=2, cols=2),
    rules.load("dots", rows=1, cols=4, stop_at_majority=True),
    rules.load("othello", size=4),
    rules.load("othello", size=4, preset="cornerless"),
]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: f"{game.name} {game.variant}")
def test_finds_the_best_outcome_of_small_positions(game: Game) -> None:
    for seed in range(12):
        position = random_position(game, 6, Random(seed))
        search = search_of(game, c=0.7)
        think(search, position, 30_000)
        choice = search.choose("visits")
        seat = position.to_move or 0
        reached = outcome(true_net(position.play(choice.move)), seat)
        assert reached == outcome(true_net(position), seat), f"seed {seed}\n{position}\n{choice}"
        check_tree(search)


def test_the_seed_decides_everything() -> None:
    game = rules.load("othello", preset="cornerless")
    results = []
    for seed in (7, 7, 8):
        search = search_of(game, seed=seed)
        assert think(search, game.start(), 2000) == 2000
        results.append((search.choose("visits"), search._tree.visits[: search.nodes].tolist()))
    assert results[0] == results[1]
    assert results[0][1] != results[2][1]


@pytest.mark.parametrize(
    "game",
    [rules.load("dots", rows=2, cols=3), rules.load("othello", size=4)],
    ids=lambda game: game.name,
)
def test_the_tree_follows_the_moves_played(game: Game) -> None:
    """Through whole games, with passes and extra turns on the way."""
    reused, passes, extra_turns = 0, 0, 0
    for seed in range(30):
        rng = Random(seed)
        search, position, since = search_of(game), game.start(), list[str]()
        while not position.is_over:
            legal = position.legal_moves()
            if legal != (PASS,) and position.to_move == 0:
                expected = _visits_below(search, since) if since else 0
                search.follow(since, legal, reuse=True)
                assert search.visits == expected, f"seed {seed}\n{position}"
                check_tree(search)
                reused += expected > 0
                think(search, position, 400)
                since = []
                check_tree(search)
            before, move = position.to_move, rng.choice(legal)
            position = position.play(move)
            passes += move == PASS
            extra_turns += position.to_move == before
            since.append(move)
    assert reused > 60
    assert passes > 3 if game.name == "othello" else extra_turns > 30


def _visits_below(search: UctSearch, moves: list[str]) -> int:
    """The visits of the node that `moves` lead to, read without the search's own methods; 0 when
    it has no children yet, as the tree is then started anew.
    """
    tree, node = search._tree, 0
    for name in moves:
        if name == PASS:
            continue
        first, count = int(tree.first[node]), int(tree.count[node])
        block = tree.move[first : first + count].tolist() if count > 0 else []
        move = search._board.moves[name]
        if move not in block:
            return 0
        node = first + block.index(move)
    return int(tree.visits[node]) if tree.count[node] > 0 else 0


def test_a_tree_that_does_not_fit_the_position_is_dropped() -> None:
    game = rules.load("dots", rows=2, cols=2)
    search = search_of(game)
    think(search, game.start(), 500)
    after = game.start().play("a1b1")
    search.follow(["a1a2"], after.legal_moves(), reuse=True)
    assert search.visits == 0
    think(search, after, 500)
    search.follow([], after.legal_moves(), reuse=True)
    assert search.visits == 500
    search.follow([], after.legal_moves(), reuse=False)
    assert search.visits == 0


def test_a_full_tree_stops_growing_and_goes_on_sampling() -> None:
    game = rules.load("othello", preset="cornerless")
    search = search_of(game, memory_mb=1)
    think(search, game.start(), 20_000)
    full = search.nodes
    assert 20_000 < full <= 1_000_000 // 38
    think(search, game.start(), 20_000)
    assert search.nodes <= 1_000_000 // 38
    assert search.visits == 40_000
    check_tree(search)


def test_weights_draw_visits_by_colour_and_move() -> None:
    game = rules.load("othello", preset="cornerless")
    board = load_board(game.name, game.variant)
    weights = np.ones((2, MOVES), np.float32)
    weights[0, board.moves["b7"]] = 1.5
    weights[1, board.moves["c3"]] = 2.0
    search = search_of(game, weights=weights)
    think(search, game.start(), 5000)
    choice = search.choose("visits")
    assert choice.move == "b7"
    assert choice.pv[1] == "c3"
    plain, ones = search_of(game), search_of(game, weights=np.ones((2, MOVES), np.float32))
    think(plain, game.start(), 1000)
    think(ones, game.start(), 1000)
    assert plain.choose("value") == ones.choose("value")


def test_the_final_move_is_by_visits_or_by_value() -> None:
    game = rules.load("othello", preset="cornerless")
    search = search_of(game)
    think(search, game.start(), 3000)
    tree = search._tree
    block = slice(int(tree.first[0]), int(tree.first[0] + tree.count[0]))
    assert search.choose("visits").visits == tree.visits[block].max()
    means = tree.total[block] / tree.visits[block]
    assert search.choose("value").value == means.max()


def test_the_clock_stops_it_and_a_little_is_always_done() -> None:
    game = rules.load("dots")
    board = load_board(game.name, game.variant)
    position = board.position(game.start().state())
    search = search_of(game)
    with stop_at(time.monotonic() + 0.05) as stop:
        done = search.think(position, stop, 0, None)
    assert stop[0] == 1
    assert done > 0
    late = search_of(game)
    with stop_at(time.monotonic() - 1) as stop:
        assert late.think(position, stop, 60, None) == 60
    assert late.choose("visits").move in game.start().legal_moves()
