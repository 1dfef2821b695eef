"""Multi-ProbCut: what it leaves out, and what it must not change."""

from random import Random
from statistics import mean
from typing import Any

import numpy as np
import pytest

import rules
from players.games.registry import load_board
from players.learning.fit_cuts import cells, fit
from players.search.alphabeta.cuts import (
    DEEPEST,
    LEAST,
    estimated,
    is_promising,
    new_margins,
    shallower,
    spread,
    uncertain,
)
from players.search.alphabeta.driver import AlphaBetaSearch, DepthLimits
from players.search.alphabeta.search import moves_left
from players.search.stop import NEVER
from players.weights.evaluations import load_spread
from tests.players.conftest import random_position, true_net
from tests.players.search.test_alphabeta import OFF, search_of
from tests.players.uct_helpers import compiled

PRESETS = [rules.load("othello", preset=preset) for preset in ("standard", "cornerless")]


def cutting(game: rules.Game, spreads: float, **settings: Any) -> AlphaBetaSearch:
    margins = new_margins(load_spread(game.name, game.variant), spreads)
    return search_of(game, margins=margins, **settings)


@pytest.mark.parametrize(
    ("ahead", "depth", "made"),
    [(74, 3, False), (75, 5, True), (29, 6, False), (30, 9, True), (0, 10, True)],
)
def test_a_shallow_search_is_made_where_it_may_well_cut(ahead: int, depth: int, made: bool) -> None:
    assert is_promising.py_func(ahead, 100, depth) is made


@pytest.mark.parametrize("game", PRESETS, ids=str)
def test_cuts_save_most_positions_and_change_values_little(game: rules.Game) -> None:
    nodes = {0.0: 0, 1.0: 0}
    off = []
    for seed in range(4):
        position = compiled(random_position(game, 16, Random(seed)))
        scores = []
        for spreads in nodes:
            found = cutting(game, spreads, **OFF).think(position, NEVER, DepthLimits(7))
            nodes[spreads] += found.nodes
            scores.append(found.score)
        off.append(abs(scores[0] - scores[1]))
    assert 2 * nodes[1.0] < nodes[0.0]
    assert mean(off) < 2


@pytest.mark.parametrize("depth", [1, 2, 6])
def test_a_root_is_never_cut(depth: int) -> None:
    """Windows of MTD(f) are empty at the root as well, and a move is wanted there."""
    for seed in range(4):
        position = random_position(PRESETS[0], 20, Random(seed))
        search = cutting(PRESETS[0], 0.1, method="mtdf", **OFF)
        found = search.think(compiled(position), NEVER, DepthLimits(depth))
        assert found.move in position.legal_moves()


def test_margins_beyond_all_values_cut_nothing() -> None:
    game = PRESETS[0]
    position = compiled(random_position(game, 20, Random(1)))
    plain = search_of(game, **OFF).think(position, NEVER, DepthLimits(6))
    wide = cutting(game, 100, **OFF).think(position, NEVER, DepthLimits(6))
    assert wide.score == plain.score
    assert wide.pv[0] == plain.pv[0]


def test_the_end_is_searched_with_cuts_first() -> None:
    nodes, solved_from = [0, 0], 8
    for seed in range(4):
        position = compiled(random_position(PRESETS[0], 42, Random(seed)))
        end = moves_left(position) - solved_from
        settings = {"endgame_from": 0, "leaves_from": solved_from}
        plain = cutting(PRESETS[0], 0, **settings).think(position, NEVER, DepthLimits(end))
        first = cutting(PRESETS[0], 1, **settings).think(position, NEVER, DepthLimits(end))
        then = cutting(PRESETS[0], 1, **settings).think(position, NEVER, DepthLimits(end + 1))
        assert plain.exact
        assert then.exact
        assert then.score == plain.score
        nodes[0] += plain.nodes
        nodes[1] += first.nodes
    assert 2 * nodes[1] < nodes[0]


def test_a_window_of_finished_games_stands_for_a_margin() -> None:
    pairs = [(0, 0), (300, 0), (-300, 0), (500_000, 0), (1_001_200, 1200), (-1_001_200, -1200)]
    for value, estimate in pairs:
        assert estimated.py_func(value) == estimate


def test_an_end_searched_with_cuts_is_an_estimate_to_other_searches() -> None:
    pairs = [(300, 300), (-300, -300), (1_001_200, 1200), (-1_001_200, -1200), (0, 0)]
    for value, estimate in pairs:
        assert uncertain.py_func(value) == estimate


def test_a_win_seen_with_cuts_leaves_the_next_search_its_cuts() -> None:
    """Its value in the table is no proof, beyond which nothing is cut."""
    for seed in range(4):
        position = compiled(random_position(PRESETS[0], 42, Random(seed)))
        settings = {"endgame_from": 0, "leaves_from": 8}
        search = cutting(PRESETS[0], 1, **settings)
        end = moves_left(position) - 8
        first = search.think(position, NEVER, DepthLimits(end - 2))
        search.think(position, NEVER, DepthLimits(end))
        again = search.think(position, NEVER, DepthLimits(end - 2))
        assert again.nodes <= first.nodes


def test_what_is_called_exact_is_exact() -> None:
    game = rules.load("othello", size=4)
    for seed in range(8):
        position = random_position(game, 4, Random(seed))
        found = cutting(game, 0.5, **OFF).think(compiled(position), NEVER)
        assert found.exact
        assert found.score == true_net(position) * (1 if position.to_move == 0 else -1)


def test_margins_grow_with_the_spreads_and_are_for_othello_alone() -> None:
    dots = rules.load("dots")
    assert load_spread("dots", dots.variant) is None
    assert not new_margins(None, 1).any()
    assert not new_margins(load_spread("othello", PRESETS[0].variant), 0).any()
    margins = new_margins(load_spread("othello", PRESETS[0].variant), 1)
    assert not margins[:LEAST].any()
    assert (margins[LEAST:, :60] > 50).all()
    assert (margins[LEAST:, :60] < 1500).all()
    assert load_board("dots", dots.variant)


def test_the_shallow_depth_is_less_and_as_odd_or_even() -> None:
    for depth in range(LEAST, DEEPEST + 1):
        shallow = int(shallower.py_func(depth))
        assert 0 <= shallow < depth
        assert (depth - shallow) % 2 == 0 or (depth, shallow) == (1, 0)


def test_the_fit_finds_the_spreads_that_made_the_values() -> None:
    terms = {"constant": 5.5, "depth": 0.4, "shallow": -0.5, "left": -0.01, "odd": 0.3}
    rows = [
        (depth, shallow, left, float(spread(terms, np.array(depth), np.array(shallow), left)))
        for depth in range(1, 9)
        for shallow in range(depth % 2 if depth > 1 else 0, depth, 2)
        for left in (20.0, 30.0, 40.0)
    ]
    found, off = fit(np.array(rows))
    assert found == pytest.approx(terms, abs=1e-3)
    assert off < 1e-6


def test_cells_hold_what_two_in_three_stay_within() -> None:
    rng = np.random.default_rng(1)
    deep = rng.normal(0, 1000, (4000, 1))
    near = deep + rng.normal(0, 300, (4000, 1))
    rows = cells(np.full(4000, 30), np.hstack([near, deep, near, deep]))
    assert [tuple(row[:3]) for row in rows] == [
        (1.0, 0.0, 30.0),
        (2.0, 0.0, 30.0),
        (3.0, 1.0, 30.0),
    ]
    assert rows[:, 3] == pytest.approx([300, 1, 1], rel=0.05)
