"""The analysis of a position: every move, exact where the truth is known, best first."""

from random import Random

import pytest

import rules
from players.search.analysis import analyse
from rules.position import Game, Position
from tests.players.conftest import random_position, true_net


def value_after(position: Position, move: str) -> int:
    return true_net(position.play(move)) * (1 if position.to_move == 0 else -1)


@pytest.mark.parametrize(
    ("game", "plies"),
    [
        (rules.load("othello", size=4), 4),
        (rules.load("othello", size=4, preset="cornerless"), 5),
        (rules.load("dots", rows=2, cols=2), 3),
        (rules.load("dots", rows=2, cols=3), 8),
        (rules.load("dots", rows=2, cols=2, stop_at_majority=True), 2),
    ],
    ids=str,
)
def test_values_within_reach_are_the_true_ones(game: Game, plies: int) -> None:
    for seed in range(4):
        position = random_position(game, plies, Random(seed))
        found = analyse(game.name, game.variant, position.state(), 60)
        where = f"seed {seed}\n{position}\n{found}"
        assert {each.move for each in found.moves} == set(position.legal_moves()), where
        for each in found.moves:
            assert each.exact, where
            assert each.score == value_after(position, each.move), where
            assert each.pv[0] == each.move, where
        scores = [each.score for each in found.moves]
        assert scores == sorted(scores, reverse=True), where


@pytest.mark.parametrize("name", ["othello", "dots"])
def test_beyond_reach_all_moves_are_searched_equally_deep(name: str) -> None:
    game = rules.load(name)
    position = random_position(game, 6, Random(1))
    found = analyse(name, game.variant, position.state(), 0.3)
    assert {each.move for each in found.moves} == set(position.legal_moves())
    assert len({each.depth for each in found.moves}) == 1
    assert not any(each.exact for each in found.moves)
    assert found.moves[0].depth >= 2
    assert found.nodes > len(found.moves)
    for each in found.moves:
        line = position
        for move in each.pv:
            line = line.play(move)
        assert each.pv[0] == each.move


def test_nothing_is_left_to_say_when_the_game_is_over() -> None:
    game = rules.load("dots", rows=1, cols=1)
    position = game.start()
    for move in ("a1b1", "a1a2", "b1b2", "a2b2"):
        position = position.play(move)
    assert analyse("dots", game.variant, position.state(), 1).moves == []
