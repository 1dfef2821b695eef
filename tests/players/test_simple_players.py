"""The random and the greedy player, in both roles, and the catalogue that lists all players."""

import subprocess
import sys
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

import rules
from players.catalogue import BUILTINS
from players.greedy import gains
from players.warm import BOARD_SEARCHES, TILE_SEARCHES
from rules.position import Position
from tests.players.conftest import play_with, start_message, turn_message

GAMES: list[tuple[str, dict[str, Any]]] = [
    ("othello", {"size": 6}),
    ("othello", {"preset": "cornerless", "size": 10}),
    ("dots", {"rows": 2, "cols": 9}),
    ("2048", {}),
    ("2584", {"spawn": "1/3"}),
    ("2048", {"placer": "player"}),
    ("2584", {"placer": "player", "placer_chooses": "cell"}),
]

TILE_PLAYERS = {"expectimax", "placer", "heuristic"}
SIMPLE = [name for name, each in BUILTINS.items() if not each.kernels and not each.runs_programs]
"""Players without compiled code."""


@pytest.mark.parametrize("name", SIMPLE)
def test_plays_what_it_supports_from_every_seat(
    name: str, start_player: Callable[..., Any]
) -> None:
    rng, builtin = Random(3), BUILTINS[name]
    player = start_player(builtin.module)
    for rule_set, settings in GAMES:
        game = rules.load(rule_set, **settings)
        for seat in range(0 if builtin.unsupported(rule_set, game.variant) else game.seats):
            assert play_with(player, game, seat, rng)
    assert player.close() == (0, b"")


def test_the_seed_decides_the_random_players_choices(start_player: Callable[..., Any]) -> None:
    position = rules.load("othello", preset="cornerless").start()
    chosen = []
    for seed in (1, 1, 2):
        player = start_player("players.monkey")
        player.ask(start_message(position, seed=seed))
        chosen.append([player.ask(turn_message(position, ply))["move"] for ply in range(30)])
    assert chosen[0] == chosen[1] != chosen[2]
    assert len(set(chosen[0])) > 10


def greedy_moves(start_player: Callable[..., Any], position: Position) -> set[str]:
    """What greedy plays at `position` with twenty seeds."""
    player = start_player("players.greedy")
    chosen = set()
    for seed in range(20):
        player.ask(start_message(position, position.to_move or 0, seed=seed))
        chosen.add(player.ask(turn_message(position, 0))["move"])
    return chosen


def test_greedy_turns_the_most_discs_and_breaks_ties_at_random(
    start_player: Callable[..., Any],
) -> None:
    game = rules.load("othello", size=4)
    state = {"board": ["....", ".OX.", "XXO.", "...X"], "to_move": 0}
    position = game.position(state)
    before = position.scores()[0]
    turned = {m: position.play(m).scores()[0] - before - 1 for m in position.legal_moves()}
    best = {move for move, discs in turned.items() if discs == max(turned.values())}
    assert len(best) < len(turned)
    assert greedy_moves(start_player, position) == best


def test_greedy_closes_boxes(start_player: Callable[..., Any]) -> None:
    position = rules.load("dots", rows=1, cols=3).start()
    for move in ("a1b1", "a1a2", "a2b2", "b1c1", "b2c2", "c1c2"):
        position = position.play(move)
    assert greedy_moves(start_player, position) == {"b1b2"}


def test_greedy_slides_for_the_largest_reward(start_player: Callable[..., Any]) -> None:
    board = [[2, 2, 0, 0], [8, 0, 0, 0], [8, 4, 0, 0], [4, 4, 0, 0]]
    position = rules.load("2048").position({"board": board, "score": 0})
    assert gains(position, 0) == {"up": 24, "down": 24, "left": 12, "right": 12}
    assert greedy_moves(start_player, position) == {"up", "down"}


@pytest.mark.parametrize("choice", ["tile", "cell"])
def test_a_greedy_placer_leaves_the_lowest_best_reward(
    choice: str, start_player: Callable[..., Any]
) -> None:
    game = rules.load("2048", placer="player", placer_chooses=choice)
    board = [[2, 4, 8, 16], [32, 64, 128, 256], [512, 1024, 8, 2], [4, 16, 2, 0]]
    full = game.position({"board": board, "score": 0, "to_move": 0}).play("right")
    options = {}
    for move in full.legal_moves():
        after = full.play(move)
        outcomes = [(after, 1.0)]
        if after.to_move == -1:
            outcomes = [(after.play(tile), share) for tile, share in after.chance()]
        options[move] = sum(
            share
            * max((end.play(m).scores()[0] - end.scores()[0] for m in end.legal_moves()), default=0)
            for end, share in outcomes
        )
    best = {move for move, reward in options.items() if reward == min(options.values())}
    assert greedy_moves(start_player, full) == best


def test_the_catalogue_names_modules_options_and_limits() -> None:
    engines = {"gtp", "nboard"}
    boards = {"uct", "weighted-uct", "alphabeta", *engines}
    for name, builtin in BUILTINS.items():
        assert builtin.name == name
        assert builtin.summary
        options = builtin.options.model_json_schema().get("properties", {})
        assert all(option["description"] for option in options.values())
        if name in TILE_PLAYERS:
            assert builtin.kernels in TILE_SEARCHES
            assert builtin.unsupported("2048", {}) is builtin.unsupported("2584", {}) is None
            reason = builtin.unsupported("dots", {"rows": 5, "cols": 5})
            assert reason == f"{name} cannot play this: it plays 2048 and 2584, not dots"
            continue
        assert builtin.unsupported("othello", {"size": 8}) is None
        assert (builtin.unsupported("dots", {"rows": 5, "cols": 5}) is None) == (
            name not in engines
        )
        limited = name in boards
        assert (builtin.kernels in BOARD_SEARCHES) == (limited and name not in engines)
        assert builtin.uses_clock == (None if name in engines else limited)
        assert builtin.runs_programs == (name in engines)
        for rule_set, variant in (
            ("2048", {}),
            ("othello", {"size": 10, "start": "empty"} if name == "gtp" else {"size": 10}),
            ("dots", {"rows": 8, "cols": 7}),
        ):
            reason = builtin.unsupported(rule_set, variant)
            assert (reason is not None) == limited
            if reason is not None:
                assert reason.startswith(f"{name} cannot play this: it plays ")
    assert BUILTINS["weighted-uct"].unsupported("othello", {"size": 6}) is not None
    assert BUILTINS["uct"].unsupported("othello", {"size": 6}) is None
    cornerless = rules.load("othello", preset="cornerless").variant
    assert "start 'centre' and not 'empty'" in (
        BUILTINS["gtp"].unsupported("othello", cornerless) or ""
    )


@pytest.mark.parametrize("name", SIMPLE)
def test_unknown_options_end_the_player_with_a_sentence(
    name: str, start_player: Callable[..., Any]
) -> None:
    position = rules.load("dots").start()
    player = start_player(BUILTINS[name].module)
    player.tell(start_message(position, options={"colour": "red"}))
    code, answer = player.close()
    assert (code, answer) == (1, b"")
    assert player.stderr().startswith("options.colour: there is no such option. Known options: ")


def test_only_the_searching_players_import_numba() -> None:
    modules = "players.sdk, players.catalogue, players.monkey, players.greedy, players.uct"
    code = f"import sys, {modules}; sys.exit(any(m in sys.modules for m in ('numba', 'numpy')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
