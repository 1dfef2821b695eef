"""A process that is kept plays as a fresh one does: nothing of a game reaches the next."""

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

import rules
from rules.position import CHANCE, PASS, Game, draw_chance
from tests.players.conftest import END, FILE, start_message, turn_message

pytestmark = pytest.mark.slow

DOTS, SMALL = rules.load("dots", rows=3, cols=3), rules.load("dots", rows=2, cols=3)
OTHELLO, TILES = rules.load("othello"), rules.load("2048")
UCT = {"iterations": 150, "memory_mb": 16, "endgame": 6}
CASES = {
    "uct": ("players.uct", DOTS, UCT, {**UCT, "c": 0.3, "solver": False}),
    "alphabeta": ("players.alphabeta", DOTS, {"depth": 3}, {"depth": 5, "memory_mb": 1}),
    "networks": (
        "players.alphabeta",
        OTHELLO,
        {"depth": 2, "evaluation": "learned"},
        {"depth": 2, "method": "mtdf"},
    ),
    "expectimax": ("players.expectimax", TILES, {"depth": 1}, {"depth": 2}),
}
"""Module, game, and options: of the game that is compared, and of one before."""


def answers(
    player: Any, game: Game, options: dict[str, Any], *, seed: int, plies: int = 24
) -> list[tuple[Any, ...]]:
    """What a player answers in a game against random moves, but for what depends on time."""
    rng, found, since = Random(seed), [], []
    position = game.start(seed=seed)
    player.ask(start_message(position, seed=seed, options=options))
    for ply in range(plies):
        if position.is_over:
            break
        legal = position.legal_moves()
        move = rng.choice(legal) if position.to_move != CHANCE else draw_chance(position, rng)
        if position.to_move == 0 and legal != (PASS,):
            answer = player.ask(turn_message(position, ply, since, time_ms=60_000))
            info = answer.get("info", {})
            found.append((answer["move"], *map(info.get, ("score", "depth", "nodes", "pv"))))
            move, since = answer["move"], []
        since.append([position.to_move, move])
        position = position.play(move)
    player.tell(END)
    return found


@pytest.mark.parametrize("case", CASES)
def test_it_plays_as_a_fresh_one_does(
    case: str,
    start_player: Callable[..., Any],
    running_player: Callable[..., Any],
    networks: Path,
) -> None:
    module, game, options, others = CASES[case]
    if game is TILES:  # the network that comes along takes a second to read
        network = {"weights": str(networks / f"2048-{FILE}")}
        options, others = options | network, others | network
    fresh, kept = start_player(module), running_player(module)
    if game is DOTS:
        answers(kept, SMALL, others, seed=4)
    answers(kept, game, others, seed=3)
    answers(kept, game, options, seed=2)
    expected = answers(fresh, game, options, seed=1)
    assert len(expected) >= 5
    assert answers(kept, game, options, seed=1) == expected
