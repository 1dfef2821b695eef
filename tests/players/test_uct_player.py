"""The options of `uct` as given to the player: what is refused, and what it answers."""

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

import rules
from players.games.endgame import load_endgame
from players.games.registry import load_board
from players.uct import UctOptions, filled_share
from rules.position import Position
from tests.players.conftest import random_position, start_message, turn_message


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"c": -0.5}, 'must be a valid number, 0 to 1000000000, or "auto"'),
        ({"c": "much"}, 'must be a valid number, 0 to 1000000000, or "auto"'),
        ({"c": True}, 'must be a valid number, 0 to 1000000000, or "auto"'),
        ({"c": 0.5, "c_schedule": [[0, 1]]}, "takes the place of c"),
        ({"c": "auto", "c_schedule": [[0, 1]]}, "takes the place of c"),
        ({"c_schedule": []}, "must begin at 0 and go up"),
        ({"c_schedule": [[0.1, 1.0]]}, "must begin at 0 and go up"),
        ({"c_schedule": [[0, 1], [0.5, 1], [0.4, 1]]}, "must begin at 0 and go up"),
        ({"c_schedule": [[0, 1], [20, 0.5]]}, "a share of the board is at most 1"),
        ({"c_schedule": [[0, -1]]}, "no c may be below 0"),
        ({"c": 1e39}, 'must be a valid number, 0 to 1000000000, or "auto"'),
        ({"c_schedule": [[0, 1e39]]}, "no c may be above 1000000000"),
        ({"rave": 1e39}, "less than or equal to 1000000000"),
        ({"expand_after": 10**13}, "less than or equal to 1000000000"),
        ({"iterations": 10**19}, "must be a number within 64 bits"),
        ({"mix": 0.3}, 'must be left out without leaf = "mixed"'),
        ({"leaf": "mixed", "mix": 1.0}, "less than 1"),
        ({"leaf": "evaluation", "playouts": 8}, 'must be left out with leaf = "evaluation"'),
        ({"leaf": "evaluation", "playout": "guided"}, 'must be left out with leaf = "evaluation"'),
        ({"playouts": 4}, "1 or 8"),
        ({"evaluation": "classic"}, "must be left out without leaf = "),
        ({"solver": False, "endgame_leaves": 8}, "without solver = true"),
        ({"early_stop": True, "final": "value"}, 'without final = "visits"'),
        ({"direction_after": 10}, "must be left out without direction"),
        ({"parallel": "root"}, "without threads = 2 or more"),
        ({"threads": 0}, "greater than or equal to 1"),
    ],
)
def test_what_does_not_go_together_is_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationError) as refusal:
        UctOptions.model_validate(options)
    assert words in str(refusal.value)


def test_what_goes_together_is_accepted() -> None:
    for options in (
        {"c": "auto"},
        {"c_schedule": [[0, 1.4], [0.3, 0.7]]},
        {"c_by": "ply", "c_schedule": [[0, 1.4], [20, 0.7]]},
        {"leaf": "mixed", "mix": 0.3, "playout": "guided"},
        {"leaf": "evaluation", "evaluation": "classic"},
        {"leaf_plies": 4, "evaluation": "classic"},
        {"solver": False, "endgame_leaves": 0},
        {"direction": 0.9, "direction_after": 10},
        {"threads": 2, "parallel": "root"},
    ):
        UctOptions.model_validate(options)


def test_the_share_of_the_board_that_is_filled() -> None:
    for game, places, filled in (
        (rules.load("othello"), 64, 4),
        (rules.load("othello", preset="cornerless"), 60, 0),
        (rules.load("dots"), 60, 0),
    ):
        position = random_position(game, 12, Random(1))
        assert filled_share(game.start().state()) == pytest.approx(filled / places)
        assert filled_share(position.state()) == pytest.approx((filled + 12) / places)


def ask(player: Any, position: Position, options: dict[str, Any], time_ms: int = 60_000) -> Any:
    player.ask(start_message(position, seed=3, options=options))
    return player.ask(turn_message(position, 12, time_ms=time_ms))


def test_the_step_of_the_schedule_sets_c(running_player: Callable[..., Any]) -> None:
    """A search by a schedule is the one with the c of its step, by share of the board or by ply."""
    player = running_player("players.uct")
    position = random_position(rules.load("dots"), 12, Random(1))
    limited = {"iterations": 2000, "memory_mb": 16}
    answers = {}
    for name, options in {
        "0.2": {"c": 0.2},
        "1": {},
        "share": {"c_schedule": [[0, 1.0], [0.15, 0.2], [0.3, 1.0]]},
        "ply": {"c_by": "ply", "c_schedule": [[0, 1.0], [12, 0.2], [13, 1.0]]},
    }.items():
        info = ask(player, position, {**limited, **options})["info"]
        answers[name] = (info["score"], info["pv"], info["text"].split(";")[1])
    assert answers["share"] == answers["ply"] == answers["0.2"] != answers["1"]


def test_a_capture_that_costs_nothing_has_all_the_visits(
    running_player: Callable[..., Any],
) -> None:
    player = running_player("players.uct")
    position = rules.load("dots").start()
    for move in ("a1a2", "b1b2", "b2b3", "a1b1"):
        position = position.play(move)
    limited = {"iterations": 100, "playouts": 1, "memory_mb": 16}
    answer = ask(player, position, limited)
    assert answer["move"] == "a2b2"
    assert "100 of 100 visits" in answer["info"]["text"]
    assert "100 of 100" not in ask(player, position, {**limited, "prune": False})["info"]["text"]


def test_endgames_within_reach_are_played_perfectly(running_player: Callable[..., Any]) -> None:
    player = running_player("players.uct")
    for game, plies in ((rules.load("othello"), 50), (rules.load("dots"), 36)):
        for seed in range(3):
            position = random_position(game, plies, Random(seed))
            board = load_board(game.name, game.variant)
            margins = load_endgame(game.name, board, 4).margins(
                board.position(position.state()), np.zeros(1, np.int64)
            )
            assert margins is not None
            answer = ask(player, position, {"memory_mb": 16}, time_ms=20_000)
            assert margins[answer["move"]] == max(margins.values()), f"seed {seed}\n{position}"
            assert answer["info"]["text"].startswith(f"exact margin {max(margins.values()):+d}")
            assert answer["info"]["pv"][0] == answer["move"]


def test_a_solver_without_enough_time_leaves_the_move_to_the_tree(
    running_player: Callable[..., Any],
) -> None:
    player = running_player("players.uct")
    position = rules.load("dots").start()
    answer = ask(player, position, {"endgame": 60, "memory_mb": 16}, time_ms=400)
    assert answer["move"] in position.legal_moves()
    assert "iterations" in answer["info"]["text"]


def test_limits_end_the_thinking(running_player: Callable[..., Any]) -> None:
    player = running_player("players.uct")
    position = rules.load("dots").start()
    info = ask(player, position, {"depth": 3, "memory_mb": 64})["info"]
    assert info["depth"] >= 3
    assert info["text"].endswith("ended by depth")
    info = ask(player, position, {"direction": 0.02, "memory_mb": 64})["info"]
    assert info["text"].endswith("ended by direction")


@pytest.mark.parametrize("parallel", ["tree", "root"])
def test_threads_play(parallel: str, running_player: Callable[..., Any]) -> None:
    player = running_player("players.uct")
    position = rules.load("othello", preset="cornerless").start()
    options = {"threads": 2, "parallel": parallel, "memory_mb": 64}
    answer = ask(player, position, options, time_ms=300)
    assert answer["move"] in position.legal_moves()
    assert answer["info"]["nodes"] > 100


def test_threads_solve_the_end_too(running_player: Callable[..., Any]) -> None:
    player = running_player("players.uct")
    position = random_position(rules.load("othello"), 44, Random(5))
    one, two = (
        ask(player, position, {"threads": threads, "endgame": 60, "memory_mb": 16})["info"]
        for threads in (1, 2)
    )
    exact, _, _ = one["text"].partition(";")
    assert exact.startswith("exact margin")
    assert two["text"].startswith(exact)


def test_scores_are_expected_results_or_margins(running_player: Callable[..., Any]) -> None:
    player = running_player("players.uct")
    position = random_position(rules.load("othello"), 30, Random(2))
    for backup, most in (("win", 1), ("zero-sum", 1), ("score", 64)):
        options = {"backup": backup, "iterations": 500, "memory_mb": 16}
        score = ask(player, position, options)["info"]["score"]
        assert -most <= score <= most
        assert backup == "score" or score >= 0
