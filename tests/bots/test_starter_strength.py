"""The starter beats random moves in each kind of game. All languages play the same moves, as
`test_starters.py` shows, so the Python starter is enough.
"""

from random import Random
from statistics import NormalDist, mean
from typing import Any

import pytest

import rules
from rules.position import CHANCE, Game, draw_chance

from .starter_policy import starter_move

pytestmark = pytest.mark.slow


def played(game: Game, seed: int, starter: int | None, opening: int = 0) -> tuple[int, ...]:
    """The scores of a game; the seat `starter` is the starter's, all other moves are random."""
    random, position, plies = Random(seed), game.start(seed), 0
    while position.to_move is not None:
        if position.to_move == CHANCE:
            move = draw_chance(position, random)
        elif position.to_move == starter and plies >= opening and not position.must_pass:
            move = starter_move(position)
        else:
            move = random.choice(position.legal_moves())
        position, plies = position.play(move), plies + 1
    return position.scores()


@pytest.mark.parametrize(
    ("rule_set", "settings"),
    [
        ("othello", {}),
        ("othello", {"preset": "cornerless"}),
        ("dots", {}),
        ("dots", {"rows": 3, "cols": 3}),
    ],
)
def test_it_beats_random_moves(rule_set: str, settings: dict[str, Any]) -> None:
    game, games = rules.load(rule_set, **settings), 24
    points = 0.0
    for number in range(games):
        seat, opening = number % 2, game.opening_plies
        scores = played(game, number // 2, seat, opening)
        margin = scores[seat] - scores[1 - seat]
        points += 1 if margin > 0 else 0.5 if margin == 0 else 0
    by_luck = NormalDist(games / 2, games**0.5 / 2).inv_cdf(0.999)
    assert points > by_luck


def test_it_keeps_discs_against_a_player_that_takes_all_it_can() -> None:
    """Discs next to empty squares count against it, so that it could end with none."""
    game = rules.load("othello", preset="cornerless")
    for seed in range(6):
        random, position, plies = Random(seed), game.start(seed), 0
        while (seat := position.to_move) is not None:
            legal = position.legal_moves()
            taken = {move: position.play(move).scores()[seat] for move in legal}
            if plies < game.opening_plies:
                move = random.choice(legal)
            elif seat == seed % 2 and not position.must_pass:
                move = starter_move(position)
            else:
                move = max(legal, key=taken.__getitem__)
            position, plies = position.play(move), plies + 1
        assert position.scores()[seed % 2] > 0


@pytest.mark.parametrize("rule_set", ["2048", "2584"])
def test_it_scores_more_than_random_moves(rule_set: str) -> None:
    game, seeds = rules.load(rule_set), range(5)
    assert mean(played(game, seed, 0)[0] for seed in seeds) > mean(
        played(game, seed, None)[0] for seed in seeds
    )
