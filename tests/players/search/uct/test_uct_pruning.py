"""Moves that UCT leaves out of its tree, against brute force from the rules alone."""

from random import Random
from typing import Any

import pytest

import rules
from players.compiled.cache import kernel
from players.games.interface import canonical
from players.search.tree import NEAR, children
from players.search.uct.driver import UctSearch
from rules.position import PASS, Game
from tests.players.conftest import random_position, true_net
from tests.players.uct_helpers import check_tree, choose, compiled, search_of, think

GAMES = [
    (rules.load("dots", rows=2, cols=2), 3),
    (rules.load("dots", rows=1, cols=5), 6),
    (rules.load("dots", rows=2, cols=3), 8),
    (rules.load("dots", rows=2, cols=3, stop_at_majority=True), 8),
]


@kernel
def as_canonical(position: Any) -> Any:
    """The canonical form, for comparison."""
    return canonical(position)


def names_below(search: UctSearch, node: int) -> dict[str, int]:
    """The children of a node by the names of their moves."""
    tree = search._trees[0]
    return {search._board.names[tree.move[child]]: child for child in children(tree, node)}


@pytest.mark.parametrize(
    ("game", "plies"), GAMES, ids=lambda each: str(getattr(each, "variant", each))
)
def test_a_best_move_is_always_left(game: Game, plies: int) -> None:
    """At every node with children, whether or not its position is canonical; what is proven with
    the rest left out is the margin under best play.
    """
    pruned = proofs = others = 0
    for seed in range(6):
        start = random_position(game, plies + seed % 3, Random(seed))
        search = search_of(game, backup="score", c=0.3, seed=seed)
        think(search, start, 1500)
        check_tree(search._trees[0])
        waiting = [(0, start)]
        while waiting:
            node, here = waiting.pop()
            if search._trees[0].proof[node] > NEAR:
                proofs += 1
                assert search._trees[0].proof[node] == true_net(here), f"seed {seed}\n{here}"
            below = names_below(search, node)
            if not below:
                continue
            legal = here.legal_moves()
            assert below.keys() <= set(legal), f"seed {seed}\n{here}"
            nets = [true_net(here.play(move)) for move in below]
            best = max(nets) if here.to_move == 0 else min(nets)
            assert best == true_net(here), f"seed {seed}\n{here}\n{sorted(below)}"
            pruned += len(below) < len(legal)
            position = compiled(here)
            others += as_canonical(position) != position
            waiting += [(child, here.play(move)) for move, child in below.items()]
    assert pruned > 50
    assert proofs > 50
    assert others > 10 or game.variant["rows"] == 1  # where no corner has two outer edges to part


def test_only_what_the_laws_allow_is_left_out() -> None:
    """A capture that costs nothing is the only child, one outer edge of a corner is enough; without
    the option, and in Othello, every move is there.
    """
    dots = rules.load("dots")
    corner_box = dots.start().play("b2b3").play("a1a2").play("b1b2")  # "a1b1", "a2b2" are open
    capture = corner_box.play("a1b1")
    for game, position, prune, count in (
        (dots, dots.start(), True, 56),
        (dots, dots.start(), False, 60),
        (dots, capture, True, 1),
        (dots, capture, False, 56),
        (rules.load("othello"), rules.load("othello").start(), True, 4),
    ):
        search = search_of(game, prune=prune)
        think(search, position, 100)
        assert len(names_below(search, 0)) == count
    search = search_of(dots)
    think(search, capture, 100)
    assert choose(search, capture).move == "a2b2"


def test_a_tree_follows_what_is_in_it_and_is_dropped_for_what_is_not() -> None:
    """Both ways the move then chosen is legal, through whole games against random moves."""
    game = rules.load("dots", rows=2, cols=3)
    kept = dropped = 0
    for seed in range(20):
        rng = Random(seed)
        search, position, since = (
            search_of(game, solver=False, seed=seed),
            game.start(),
            list[str](),
        )
        while not position.is_over:
            legal = position.legal_moves()
            if position.to_move == 0:
                search.follow(since, legal, reuse=True)
                kept += search.visits > 0
                dropped += search.visits == 0
                think(search, position, 300)
                move, since = choose(search, position).move, []
                assert move in legal, f"seed {seed}\n{position}"
            else:
                move = rng.choice([each for each in legal if each != PASS])
            since.append(move)
            position = position.play(move)
    assert kept > 40
    assert dropped > 20
