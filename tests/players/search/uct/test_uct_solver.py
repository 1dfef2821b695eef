"""Proofs in UCT's trees, against brute force from the rules alone."""

from random import Random
from typing import Any

import numpy as np
import pytest

import rules
from players.games.endgame import load_endgame
from players.games.registry import load_board
from players.search.tree import NEAR, children
from players.search.uct.driver import FINALS, UctSearch
from players.weights.evaluations import load_terms
from rules.position import PASS, Position
from tests.players.conftest import random_position, true_net
from tests.players.uct_helpers import check_tree, choose, search_of, think

GAMES = [
    (rules.load("dots", rows=2, cols=2), 6),
    (rules.load("dots", rows=1, cols=3), 4),
    (rules.load("othello", size=4), 6),
    (rules.load("othello", size=4, preset="cornerless"), 6),
]

MODES = [
    {},
    {"backup": "score", "c": 0.2},
    {"exact": 4},
    {"exact": 5, "backup": "score"},
    {"samples": 8, "guided": True},
    {"plies": 6},
    {"evaluated": 1.0},
    {"threads": 2},
    {"prune": False},
]


def check_proofs(search: UctSearch, position: Position, margins: bool) -> tuple[int, int]:
    """Every proof in the tree is the true value: (proofs of nodes with children, of leaves)."""
    tree, counts = search._trees[0], [0, 0]
    waiting = [(0, position)]
    while waiting:
        node, here = waiting.pop()
        if here.legal_moves() == (PASS,):
            here = here.play(PASS)
        if tree.proof[node] > NEAR:
            net = true_net(here)
            true = net if margins else int(np.sign(net))
            assert tree.proof[node] == true, f"node {node}\n{here}"
            counts[int(tree.count[node] <= 0)] += 1
        waiting += [
            (child, here.play(search._board.names[tree.move[child]]))
            for child in children(tree, node)
        ]
    return counts[0], counts[1]


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_what_is_proven_is_true(mode: dict[str, Any]) -> None:
    inner = leaves = 0
    for game, plies in GAMES:
        options = dict(mode)
        if "evaluated" in mode or "plies" in mode:
            options["terms"] = load_terms(game.name, game.variant)
        for seed in range(4):
            position = random_position(game, plies, Random(seed))
            search = search_of(game, **options)
            samples = options.get("samples", 1)
            thought = think(search, position, 2000)
            assert search.visits == samples * thought.iterations
            if "threads" not in mode:
                check_tree(search._trees[0], samples)
            proofs = check_proofs(search, position, mode.get("backup") == "score")
            inner, leaves = inner + proofs[0], leaves + proofs[1]
    assert leaves >= 10
    assert inner >= 10


def test_no_solver_proves_nothing() -> None:
    game = rules.load("dots", rows=2, cols=2)
    search = search_of(game, solver=False)
    think(search, game.start(), 20_000)
    assert (search._trees[0].proof[: search.nodes] <= NEAR).all()


@pytest.mark.parametrize("backup", ["win", "score"])
def test_solved_leaves_prove_large_endgames_at_once(backup: str) -> None:
    """Standard Othello with 11 empty squares and dots 5×5 with 20 edges to draw: leaves one move on
    are solved, so that one visit each is enough; the exact margins come from the solver's root.
    """
    for game, plies, exact in (
        (rules.load("othello"), 49, 12),
        (rules.load("dots"), 40, 20),
    ):
        for seed in range(3):
            position = random_position(game, plies, Random(seed))
            board = load_board(game.name, game.variant)
            solver = load_endgame(game.name, board, 4)
            margins = solver.margins(board.position(position.state()), np.zeros(1, np.int64))
            assert margins is not None
            search = search_of(game, exact=exact, backup=backup)
            thought = think(search, position, 1000)
            assert thought.ended == "proof"
            assert thought.iterations <= len(margins)
            choice = choose(search, position)
            best = max(margins.values())
            expected = best if backup == "score" else np.sign(best)
            assert choice.value == 0.5 + search.worth * expected, f"seed {seed}\n{position}"
            got = margins[choice.move]
            assert (got if backup == "score" else np.sign(got)) == expected


def test_a_proven_loss_is_played_only_for_want_of_another() -> None:
    """Wherever a move of a small board loses and another does not, it is not chosen."""
    game, decided = rules.load("othello", size=4), 0
    for seed in range(40):
        position = random_position(game, 7, Random(seed))
        search = search_of(game, seed=seed)
        think(search, position, 60)
        tree = search._trees[0]
        lost = -1 if position.to_move == 0 else 1
        proofs = {
            search._board.names[tree.move[child]]: int(tree.proof[child])
            for child in children(tree, 0)
        }
        if lost in proofs.values() and set(proofs.values()) != {lost}:
            decided += 1
            for final in FINALS:
                move = choose(search, position, final).move
                assert proofs[move] != lost, f"seed {seed}, {final}\n{position}"
    assert decided > 5
