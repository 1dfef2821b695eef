"""Once the exact endgame is within reach, the searching players give nothing away."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

import rules
from players.catalogue import BUILTINS
from players.search.analysis import judge
from rules.position import PASS, Game
from tests.players.conftest import random_position, start_message, turn_message

pytestmark = pytest.mark.slow

GAMES = [
    (rules.load("dots"), 30),
    (rules.load("othello"), 46),
    (rules.load("othello", preset="cornerless"), 46),
]
"""Games, and the random moves after which they are watched: 30 edges, or some 14 squares left."""


@pytest.mark.parametrize("name", ["uct", "alphabeta"])
@pytest.mark.parametrize(("game", "plies"), GAMES, ids=lambda each: str(each))
def test_no_move_gives_anything_away(
    name: str, game: Game, plies: int, running_player: Callable[..., Any]
) -> None:
    player = running_player(BUILTINS[name].module)
    for seed in range(3):
        rng = Random(seed)
        first = position = random_position(game, plies, rng)
        seat = position.to_move
        player.ask(start_message(position, seat or 0, game=f"g{seed}"))
        moves, since = list[str](), list[list[Any]]()
        while not position.is_over:
            legal = position.legal_moves()
            if position.to_move == seat and legal != (PASS,):
                turn = turn_message(position, len(moves), since, time_ms=2000, game=f"g{seed}")
                move, since = player.ask(turn)["move"], []
            else:
                move = rng.choice(legal)
            since.append([position.to_move, move])
            moves.append(move)
            position = position.play(move)
        lost = [one for one in judge(first, moves, 64) if one.seat == seat and one.lost]
        assert not lost, f"seed {seed}\n{first}\n{moves}"
