"""What the exact endgames of all games have in common."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rules
from players.compiled.cache import kernel
from players.games import endgame
from players.games.dots import endgame as dots_endgame
from players.games.dots import endgame_search as dots_search
from players.games.endgame import Endgame, load_endgame, reach_in
from players.games.othello import endgame_last as othello_last
from players.games.othello import endgame_search as othello_search
from players.games.registry import load_board
from players.search.alphabeta import driver as alphabeta
from players.search.alphabeta.search import search
from players.weights.evaluations import load_terms
from rules.position import Game

GAMES = [
    rules.load("othello"),
    rules.load("othello", preset="cornerless"),
    rules.load("dots"),
    rules.load("dots", stop_at_majority=True),
]
STOPPED = np.ones(1, np.int64)


def loaded(game: Game) -> tuple[Endgame, Any]:
    """The solver of a game, and the start."""
    board = load_board(game.name, game.variant)
    return load_endgame(game.name, board, memory_mb=1), board.position(game.start().state())


@kernel
def solve_from_kernel(position: Any, memory: Any, stop: Any) -> Any:
    """As a search does at its leaves, with limits that are literals."""
    return endgame.solve(position, -1, 1, memory, stop)


def versions(recursive: Any) -> int:
    """How many of a kernel are in the cache."""
    file = Path(recursive.py_func.__code__.co_filename)
    folder = Path(recursive._cache.cache_path)  # an installed copy has another
    return len(list(folder.glob(f"{file.stem}.{recursive.__name__}-*.nbc")))


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_reach_grows_with_the_time_and_is_never_negative(game: Game) -> None:
    solver, _ = loaded(game)
    reaches = [reach_in(solver, seconds) for seconds in (-1, 0, 1e-9, 1e-4, 0.01, 0.99, 1, 5, 60)]
    assert reaches == sorted(reaches)
    assert reaches[0] == reaches[2] >= 0
    assert reach_in(solver, 1) == solver.reach
    assert solver.reach - 7 <= reach_in(solver, 0.01) < solver.reach - 3


@pytest.mark.slow
def test_recursive_kernels_have_one_version() -> None:
    """A process that loads one from the cache that calls another version of itself crashes."""
    for game in GAMES:
        solver, start = loaded(game)
        solver.load_kernels(start)
        solve_from_kernel(start, solver.memory, STOPPED)
        alphabeta.load_kernels(start, load_terms(game.name, game.variant), solver)
    endgames = (
        othello_last.few,
        othello_search.search,
        othello_search.look_ahead,
        dots_search.search,
        dots_endgame.search_majority,
    )
    assert [versions(each) for each in endgames] == [1] * 5
    assert versions(search) == 2  # a game each
