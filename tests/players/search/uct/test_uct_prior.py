"""Visits that the children of a node begin with, at what the evaluation expects of them."""

import pytest

import rules
from players.search.alphabeta.driver import child_of
from players.search.tree import children
from players.uct import UctOptions
from players.weights.evaluations import load_terms
from tests.players.evaluation_helpers import evaluate, expectation
from tests.players.uct_helpers import choose, compiled, search_of, think

CORNERLESS = rules.load("othello", preset="cornerless")
TERMS = load_terms("othello", CORNERLESS.variant)
PRIOR = 24


def test_children_begin_at_what_the_evaluation_expects() -> None:
    search = search_of(CORNERLESS, terms=TERMS, prior=PRIOR)
    position = compiled(CORNERLESS.start())
    think(search, CORNERLESS.start(), 1)
    tree = search._trees[0]
    (visited,) = (child for child in children(tree, 0) if tree.visits[child] == PRIOR + 1)
    expected = {}
    for child in children(tree, 0):
        after = child_of(position, int(tree.move[child]))
        mean = float(expectation(after, evaluate(after, TERMS)))
        expected[child] = mean if after.seat == position.seat else 1 - mean
        if child != visited:
            assert tree.visits[child] == PRIOR
            assert tree.total[child] == pytest.approx(PRIOR * expected[child])
    assert expected[visited] == max(expected.values())
    assert tree.visits[0] == 1


def test_a_node_is_given_children_when_it_would_be_without() -> None:
    for expand_after in (1, 3):
        search = search_of(CORNERLESS, terms=TERMS, prior=PRIOR, expand_after=expand_after)
        think(search, CORNERLESS.start(), 300)
        tree = search._trees[0]
        for node in range(1, int(tree.used[0])):
            visits = int(tree.visits[node]) - PRIOR
            assert (tree.count[node] > 0) == (visits > expand_after)
        assert len(choose(search, CORNERLESS.start()).pv) < 20


def test_a_prior_is_a_use_of_the_evaluation() -> None:
    assert UctOptions(prior=10, evaluation="classic").evaluation == "classic"
    with pytest.raises(
        ValueError, match=r"must be left out without leaf = .*, leaf_plies or prior"
    ):
        UctOptions(evaluation="classic")


def test_visits_that_a_node_begins_with_do_not_make_it_busy() -> None:
    """Below a root that was kept, 200 iterations at once are the same as one by one."""
    trees = []
    for step in (1, 200):
        search = search_of(CORNERLESS, terms=TERMS, prior=1000)
        think(search, CORNERLESS.start(), 200)
        move = choose(search, CORNERLESS.start()).move
        position = CORNERLESS.start().play(move)
        search.follow([move], position.legal_moves(), reuse=True)
        assert search.visits > 1000
        for _ in range(0, 200, step):
            think(search, position, step)
        trees.append(search._trees[0].visits[: search.nodes].tolist())
    assert trees[0] == trees[1]
