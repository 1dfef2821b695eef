"""The judgement of played endgames, next to minimax over the rules."""

from random import Random

import pytest

import rules
from players.search.analysis import judge
from rules.position import PASS, Game
from tests.players.conftest import true_net

GAMES = [rules.load("othello", size=4), rules.load("dots", rows=2, cols=2)]
WITHIN = 8


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_what_a_move_lost_is_what_minimax_says(game: Game) -> None:
    lost = 0
    for seed in range(6):
        rng = Random(seed)
        position, moves, expected = game.start(), list[str](), {}
        while not position.is_over:
            legal, seat = position.legal_moves(), position.to_move
            move = rng.choice(legal)
            following = position.play(move)
            places = sum(str(row).count(".") for row in position.state().get("board", ()))
            if game.name == "dots":
                places = len(legal)
            if len(legal) > 1 and legal != (PASS,) and places <= WITHIN:
                given = true_net(position) - true_net(following)
                expected[len(moves)] = given if seat == 0 else -given
            moves.append(move)
            position = following
        judged = list(judge(game.start(), moves, WITHIN))
        assert {one.ply: one.lost for one in judged} == expected, f"seed {seed}: {moves}"
        for one in judged:
            assert one.move == moves[one.ply]
            assert (one.best == one.move) <= (one.lost == 0)
        lost += sum(one.lost for one in judged)
    assert lost > 0


def test_a_game_that_cannot_have_been_played_is_refused() -> None:
    with pytest.raises(ValueError, match="a1"):
        list(judge(rules.load("othello").start(), ["a1"]))
