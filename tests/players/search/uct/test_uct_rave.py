"""RAVE: what playouts record, and what the search makes of it."""

from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

import rules
from players.compiled.cache import kernel
from players.games import interface as kernels
from players.games.registry import load_board
from players.search.tree import children
from players.search.uct.search import iterate
from players.uct import UctOptions
from rules.position import Game
from tests.players.uct_helpers import NEVER, choose, compiled, search_of, think

GAMES = [rules.load("othello", preset="cornerless"), rules.load("dots", rows=4, cols=5)]


@kernel
def recorded(position: Any, is_guided: bool, state: Any, record: Any) -> Any:
    """(points and net of a recorded batch, of a plain one from the same random numbers)."""
    if is_guided:
        points, net, _ = kernels.batch(position, state, True, record)
        plain_points, plain_net, _ = kernels.batch(position, state, True, None)
    else:
        points, net, _ = kernels.batch(position, state, False, record)
        plain_points, plain_net, _ = kernels.batch(position, state, False, None)
    return points, net, plain_points, plain_net


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES, ids=str)
@pytest.mark.parametrize("is_guided", [False, True])
def test_a_recorded_batch_is_a_batch_and_says_who_moved_where(game: Game, is_guided: bool) -> None:
    start = game.start()
    legal = compiled(start)
    record = np.zeros((5, kernels.BATCH), np.uint64)
    for seed in range(20):
        points, net, plain_points, plain_net = recorded(legal, is_guided, np.uint64(seed), record)
        nets = record[0].view(np.int64)
        assert (points, net) == (plain_points, plain_net)
        assert nets.sum() == net
        assert kernels.BATCH + np.sign(nets).sum() == points
        assert not ((record[1] & record[3]) | (record[2] & record[4])).any()
        if game.name == "dots" and not is_guided:
            assert ((record[1] | record[3]) == legal.across).all()
            assert ((record[2] | record[4]) == legal.down).all()


@pytest.mark.parametrize("game", GAMES, ids=str)
@pytest.mark.parametrize("options", [{}, {"threads": 2}, {"guided": True, "backup": "score"}])
def test_a_move_is_known_by_more_games_than_begin_with_it(
    game: Game, options: dict[str, Any]
) -> None:
    search = search_of(game, rave=1000.0, samples=8, c=0.1, exact=0, **options)
    think(search, game.start(), 3000)
    tree = search._trees[0]
    for node in range(200):
        for child in children(tree, node):
            assert tree.near_visits[child] >= tree.visits[child]
            assert -0.01 <= tree.near_total[child] <= tree.near_visits[child] * 1.001
    assert search.nodes > 1000


def test_iterations_counted_at_once_count_as_one_by_one() -> None:
    """Where weights leave no choice, a thread that stays below busy nodes makes the same tree."""
    game = rules.load("dots", rows=1, cols=3)
    moves = sorted(set(load_board(game.name, game.variant).moves.values()))
    weights = np.ones((2, kernels.MOVES), np.float32)
    weights[:, moves] = 10_000.0 ** np.arange(len(moves))
    trees = []
    for step in (1, 2000):
        search = search_of(game, rave=300.0, samples=8, prune=False, solver=False, weights=weights)
        arguments = search._trees[0], compiled(game.start()), search._settings, search._workers[0]
        for _ in range(0, 2000, step):
            iterate(*arguments, search._memory, NEVER, step)
        tree = arguments[0]
        written = tree.visits, tree.total, tree.near_visits, tree.near_total
        trees.append([array[1 : search.nodes].tolist() for array in written])
    assert trees[0] == trees[1]


def test_it_finds_what_wins() -> None:
    game = rules.load("dots", rows=2, cols=2)
    position = game.start()
    search = search_of(game, rave=1000.0, samples=8, c=0.1, guided=True)
    think(search, position, 40_000)
    choice = choose(search, position)
    assert choice.proven
    assert choice.value == 1.0


def test_its_tree_follows_the_game() -> None:
    game = GAMES[1]
    search = search_of(game, rave=1000.0, samples=8)
    position = game.start()
    think(search, position, 3000)
    tree, move = search._trees[0], choose(search, position).move
    before = {int(tree.move[child]): child for child in children(tree, 0)}
    child = before[search._board.moves[move]]
    kept = [(int(tree.move[each]), float(tree.near_visits[each])) for each in children(tree, child)]
    position = position.play(move)
    search.follow([move], position.legal_moves(), reuse=True)
    now = [(int(tree.move[each]), float(tree.near_visits[each])) for each in children(tree, 0)]
    assert now == kept


@pytest.mark.parametrize("options", [{"playouts": 1}, {"leaf": "evaluation"}])
def test_it_needs_the_moves_of_playouts(options: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match="must be left out without playouts = 8"):
        UctOptions.model_validate({"rave": 300, **options})
