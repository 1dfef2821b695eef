"""Alpha-beta against plain minimax: from the rules to the end, with estimates at a fixed depth."""

import time
from random import Random
from typing import Any

import numpy as np
import pytest

import rules
from players.compiled.cache import kernel
from players.games import interface as kernels
from players.games.endgame import load_endgame
from players.games.interface import candidates, canonical, forced
from players.games.registry import load_board
from players.search.alphabeta import driver
from players.search.alphabeta.driver import METHODS, AlphaBetaSearch, DepthLimits
from players.search.alphabeta.ordering import LATER, settle
from players.search.alphabeta.search import final_value, in_points
from players.search.alphabeta.sharing import SHARED_DEPTH, mark
from players.search.stop import NEVER, stop_at
from players.weights.evaluations import load_terms
from rules.position import Game, Position
from tests.players.conftest import random_position, true_net
from tests.players.uct_helpers import compiled

OFF = {"endgame_from": 0, "leaves_from": 0}
"""No exact endgames: everything is searched."""


def search_of(game: Game, **settings: Any) -> AlphaBetaSearch:
    board, terms = load_board(game.name, game.variant), load_terms(game.name, game.variant)
    endgame = load_endgame(game.name, board, 1)
    return AlphaBetaSearch(board, terms=terms, endgame=endgame, **{"memory_mb": 1, **settings})


@kernel
def minimax(position: Any, depth: int, terms: Any) -> Any:
    """The definition, on the moves the game's laws leave: no windows, no table, no ordering. Forced
    moves cost no depth.
    """
    move = np.int64(forced(position))
    while move >= 0:
        position = kernels.play(position, move)
        move = np.int64(forced(position))
    position = canonical(position)
    out = np.empty(kernels.MOVES, np.int16)
    count = candidates(position, out)
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
    pytest.param(rules.load("dots", rows=2, cols=2), 3, marks=pytest.mark.slow),
    pytest.param(rules.load("dots", rows=1, cols=4), 4, marks=pytest.mark.slow),
    pytest.param(rules.load("dots", rows=3, cols=3), 13, marks=pytest.mark.slow),
    pytest.param(
        rules.load("dots", rows=2, cols=3, stop_at_majority=True), 7, marks=pytest.mark.slow
    ),
]


@pytest.mark.parametrize(
    "settings", [OFF, {}, {"threads": 3, **OFF}], ids=["searched", "solved", "together"]
)
@pytest.mark.parametrize(("game", "plies"), SMALL, ids=lambda each: str(each))
def test_full_depth_is_exact(game: Game, plies: int, settings: dict[str, Any]) -> None:
    """Value and move, with one table for all positions, whatever seat is to move."""
    search = search_of(game, **settings)
    for seed in range(25):
        rng = Random(seed)
        position = random_position(game, rng.randint(plies, plies + 3), rng)
        found = search.think(compiled(position), NEVER)
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
    found = search_of(game, **OFF).think(compiled(game.start()), NEVER)
    assert (found.exact, found.score) == (True, net)


@kernel
def mark_children(position: Any, marks: Any, moves: Any) -> Any:
    """As a thread does that searches them; how many there are."""
    count = candidates(position, moves)
    for index in range(count):
        mark(marks, kernels.key(settle(kernels.play(position, np.int64(moves[index])))))
    return count


def test_moves_that_others_search_come_last_and_are_searched_all_the_same() -> None:
    position = compiled(random_position(rules.load("othello"), 20, Random(1)))
    alone, together = search_of(rules.load("othello")), search_of(rules.load("othello"), threads=2)
    together.begin()
    count = mark_children(position, together._context.marks, np.empty(kernels.MOVES, np.int16))
    found = together.line(position, SHARED_DEPTH, None, NEVER)
    assert found == alone.line(position, SHARED_DEPTH, None, NEVER)
    assert (together._scratch["order"][0, 1:count] == LATER).all()
    assert not together._context.marks.any()


def test_threads_stop_with_the_search_and_share_its_budget() -> None:
    game = rules.load("othello")
    search = search_of(game, threads=3)
    position = compiled(random_position(game, 20, Random(2)))
    with stop_at(time.monotonic() + 0.05) as stop:
        found = search.think(position, stop)
    assert found.nodes == search.nodes > max(each.nodes for each in search._helpers) > 0
    time.sleep(0.02)
    assert search.nodes == found.nodes
    assert 1000 < search.think(position, NEVER, DepthLimits(nodes=6000)).nodes < 6200


def test_what_fails_in_a_thread_fails_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    game = rules.load("othello")
    search = search_of(game, threads=2)
    monkeypatch.setattr(search._helpers[0], "glance", lambda _: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        search.think(compiled(game.start()), NEVER, DepthLimits(depth=3))


AHEAD = [
    (rules.load("othello"), 12, 4),
    (rules.load("othello"), 50, 5),
    (rules.load("othello", preset="cornerless"), 8, 3),
    (rules.load("dots", rows=4, cols=4), 16, 3),
    (rules.load("dots", rows=4, cols=4), 24, 4),
    (rules.load("dots", rows=3, cols=3), 10, 4),
    (rules.load("dots", rows=3, cols=3, stop_at_majority=True), 12, 4),
]


@pytest.mark.slow
@pytest.mark.parametrize(("game", "plies", "depth"), AHEAD, ids=str)
def test_every_method_has_the_value_of_minimax(game: Game, plies: int, depth: int) -> None:
    """At a fixed depth, with and without a table and a narrow first window."""
    for seed in range(4):
        position = random_position(game, plies, Random(seed))
        expected = minimax(compiled(position), depth, load_terms(game.name, game.variant))
        for method in METHODS:
            for memory_mb, aspiration in ((0, 0), (1, 100)):
                settings = {"memory_mb": memory_mb, "aspiration": aspiration, **OFF}
                search = search_of(game, method=method, **settings)
                found = search.think(compiled(position), NEVER, DepthLimits(depth))
                where = f"seed {seed}, {method}, {settings}\n{position}\n{found}"
                assert found.score == in_points(int(expected)), where
                assert found.depth == depth or found.exact, where


@pytest.mark.slow
@pytest.mark.parametrize(("game", "plies", "depth"), AHEAD, ids=str)
def test_every_method_agrees_where_lines_end_with_exact_values(
    game: Game, plies: int, depth: int
) -> None:
    position = random_position(game, plies, Random(1))
    remaining = kernels.PLIES if "stop_at_majority=True" in str(game) else 13
    settings = {"endgame_from": 0, "leaves_from": remaining}
    scores = {
        (method, memory_mb): search_of(game, method=method, memory_mb=memory_mb, **settings)
        .think(compiled(position), NEVER, DepthLimits(depth))
        .score
        for method in METHODS
        for memory_mb in (0, 1)
    }
    assert len(set(scores.values())) == 1, f"{position}\n{scores}"


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["othello", "dots"])
def test_the_principal_variation_is_legal_and_starts_with_the_move(name: str, method: Any) -> None:
    game = rules.load(name)
    for plies in (0, 11, 24):
        start = random_position(game, plies, Random(plies))
        search = search_of(game, method=method, aspiration=50, **OFF)
        found = search.think(compiled(start), NEVER, DepthLimits(4))
        position = start
        for move in found.pv:
            position = position.play(move)
        assert found.pv[0] == found.move
        assert len(found.pv) >= 4
        assert found.nodes > 30


def test_forced_captures_are_in_the_line_and_cost_no_depth() -> None:
    """A row of seven boxes, open at one end: five are taken before there is a choice."""
    game = rules.load("dots", rows=2, cols=7)
    position = game.start()
    row = [f"{a}2{b}2" for a, b in zip("abcdefg", "bcdefgh", strict=True)]
    top = [f"{a}1{b}1" for a, b in zip("abcdefg", "bcdefgh", strict=True)]
    for move in (*row, *top, "a1a2"):
        position = position.play(move)
    assert len(set(position.legal_moves()) & {"b1b2", "c1c2"}) == 2
    found = search_of(game, **OFF).think(compiled(position), NEVER, DepthLimits(1))
    assert found.pv[:5] == ["b1b2", "c1c2", "d1d2", "e1e2", "f1f2"]


def test_the_clock_interrupts_it_with_the_best_move_so_far() -> None:
    game = rules.load("dots")
    position = compiled(game.start())
    search = search_of(game)
    until = time.monotonic() + 0.05
    with stop_at(until) as stop:
        found = search.think(position, stop, DepthLimits(until=until))
    assert stop[0] == 1
    assert found.move in game.start().legal_moves()
    assert not found.exact
    with stop_at(time.monotonic() - 1) as stop:
        late = search_of(game).think(position, stop)
    assert late.depth == 1
    assert late.move in game.start().legal_moves()
    again = search_of(game).think(position, NEVER, DepthLimits(found.depth))
    assert again.score == found.score


@pytest.mark.parametrize("method", ["alphabeta", "pvs"])
def test_an_interrupted_iteration_changes_the_move_for_a_better_one_only(method: Any) -> None:
    """Better by what the iteration would have found, had it been finished."""
    game = rules.load("othello")
    changed = 0
    for seed in range(3):
        position = random_position(game, 20, Random(seed))
        for nodes in range(100, 3000, 193):
            search = search_of(game, method=method, **OFF)
            found = search.think(compiled(position), NEVER, DepthLimits(nodes=nodes))
            finished = search_of(game, **OFF).think(
                compiled(position), NEVER, DepthLimits(found.depth)
            )
            assert found.nodes <= nodes + 40, found  # one move deep is always searched
            if found.move != finished.move:
                changed += 1
                first, then = (
                    value_after(position, move, found.depth) for move in (finished.move, found.move)
                )
                assert then > first, f"seed {seed}, {nodes} nodes\n{position}\n{found}"
    assert changed


def value_after(position: Position, move: str, depth: int) -> float:
    """What a move is worth to the mover, searched `depth` moves deep."""
    child = position.play(move)
    passed = child.legal_moves() == ("pass",)
    reply = child.play("pass") if passed else child
    score = search_of(position.game, **OFF).think(compiled(reply), NEVER, DepthLimits(depth)).score
    return score if passed else -score


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_a_search_stopped_anywhere_has_a_legal_move(method: Any) -> None:
    for game, plies in ((rules.load("othello"), 20), (rules.load("dots"), 24)):
        position = random_position(game, plies, Random(2))
        for nodes in range(1, 1500, 97):
            search = search_of(game, method=method)
            found = search.think(compiled(position), NEVER, DepthLimits(nodes=nodes))
            assert found.move in position.legal_moves(), f"{nodes} nodes\n{position}\n{found}"


@pytest.mark.slow
def test_early_stop_leaves_out_what_cannot_be_finished() -> None:
    game = rules.load("dots")
    search = search_of(game, early_stop=True)
    began = time.monotonic()
    with stop_at(began + 600) as stop:
        found = search.think(compiled(game.start()), stop, DepthLimits(until=began + 0.5))
        assert not stop[0]
    assert found.depth > 2


def test_early_stop_ends_the_search_once_its_move_has_stood(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """However much time is left, when the first part of it is over."""
    monkeypatch.setattr(driver, "EARLY_SHARE", 0)
    position = random_position(rules.load("othello"), 14, Random(4))
    search = search_of(position.game, early_stop=True)
    found = search.think(compiled(position), NEVER, DepthLimits(until=time.monotonic() + 600))
    moves = [
        search_of(position.game).think(compiled(position), NEVER, DepthLimits(depth)).move
        for depth in range(1, found.depth + 1)
    ]
    standing = [len(set(moves[depth - 5 : depth])) == 1 for depth in range(5, found.depth + 1)]
    assert standing == [False] * (found.depth - 5) + [True], moves


def test_a_position_within_reach_is_solved_or_searched_when_there_is_no_time() -> None:
    game = rules.load("dots", rows=3, cols=3)
    position = random_position(game, 12, Random(5))
    exact = search_of(game).think(compiled(position), NEVER)
    assert exact.exact
    assert exact.score == true_net(position) * (1 if position.to_move == 0 else -1)
    with stop_at(time.monotonic() - 1) as stop:
        found = search_of(game, leaves_from=0, endgame_from=24).think(compiled(position), stop)
    assert not found.exact
    assert found.move in position.legal_moves()


def test_the_table_serves_a_whole_game() -> None:
    """With a table a tenth of the tree's size entries are replaced all the time."""
    game = rules.load("othello")
    search = search_of(game, **OFF)
    position = random_position(game, 10, Random(3))
    for _ in range(12):
        found = search.think(compiled(position), NEVER, DepthLimits(6))
        fresh = search_of(game, memory_mb=16, **OFF).think(
            compiled(position), NEVER, DepthLimits(6)
        )
        assert found.nodes < 2 * fresh.nodes
        position = position.play(found.move)
        if position.legal_moves() == ("pass",):
            position = position.play("pass")
