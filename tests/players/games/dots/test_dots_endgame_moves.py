"""What the dots solver answers at a root: moves, lines and margins, against plain minimax."""

import time
from random import Random
from typing import Any

import numpy as np
import pytest

import rules
from players.games.endgame import load_endgame
from players.games.registry import load_board
from players.search.stop import stop_at
from rules.position import Game, Position
from tests.players.conftest import true_net

pytestmark = pytest.mark.slow

NEVER = np.zeros(1, np.int64)

GAMES = [
    rules.load("dots", rows=rows, cols=cols, stop_at_majority=majority)
    for rows, cols in ((1, 5), (2, 2), (3, 3), (4, 5))
    for majority in (False, True)
]


def late_position(game: Game, left: int, rng: Random) -> Position:
    """A position with `left` edges undrawn, or the end if that comes first; captures are taken
    more often than not, so that chains are met half taken.
    """
    position = game.start()
    while not position.is_over and len(position.legal_moves()) > left:
        moves = position.legal_moves()
        children = [position.play(move) for move in moves]
        again = [child for child in children if child.to_move == position.to_move]
        position = rng.choice(again if again and rng.random() < 0.6 else children)
    return position


def solver_of(game: Game) -> tuple[Any, Any]:
    """The solver of a game's board, and the board."""
    board = load_board("dots", game.variant)
    return load_endgame("dots", board, memory_mb=1), board


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_moves_margins_and_lines_are_those_of_minimax(game: Game) -> None:
    """One solver for all positions, whatever seat is to move."""
    solver, board = solver_of(game)
    for seed in range(40):
        rng = Random(seed)
        position = late_position(game, rng.randint(1, 10), rng)
        if position.is_over:
            continue
        words = board.position(position.state())
        sign = 1 if position.to_move == 0 else -1
        solution, margins = solver.best(words, NEVER), solver.margins(words, NEVER)
        where = f"seed {seed}\n{position}\n{solution}\n{margins}"
        assert solution.margin == sign * true_net(position), where
        assert solution.move == solution.pv[0], where
        assert margins == {
            move: sign * true_net(position.play(move)) for move in position.legal_moves()
        }, where
        last = position
        for move in solution.pv:
            last = last.play(move)
            assert true_net(last) == true_net(position), where
        assert last.is_over, where


@pytest.mark.parametrize("game", GAMES[:2], ids=str)
def test_the_end_has_no_move(game: Game) -> None:
    solver, board = solver_of(game)
    position = late_position(game, 0, Random(1))
    solution = solver.best(board.position(position.state()), NEVER)
    last = board.position(position.state()).seat
    assert (solution.move, solution.pv) == ("", [])
    assert solution.margin == position.scores()[last] - position.scores()[1 - last]
    assert solver.margins(board.position(position.state()), NEVER) == {}


def test_the_last_two_of_a_chain_are_left_for_the_move() -> None:
    """Two chains of four between the columns of a 2×4 board: the player that takes the first
    but for two boxes has the second as well; taking all four would give it away.
    """
    game = rules.load("dots", rows=2, cols=4)
    board = load_board("dots", game.variant)
    across = [[1] * 4 for _ in range(3)]
    down = [[1, 0, 0, 0, 0], [0, 0, 0, 0, 0]]
    state = {
        "rows": 2,
        "cols": 4,
        "horizontal": across,
        "vertical": down,
        "owners": ["....", "...."],
        "score": [0, 0],
        "to_move": 0,
    }
    solver = load_endgame("dots", board, memory_mb=1)
    solution = solver.best(board.position(state), NEVER)
    assert solution.margin == 2 - 2 + 4
    assert solution.pv[:3] == ["b1b2", "c1c2", "e1e2"]


def test_a_search_that_is_stopped_leaves_nothing_wrong_behind() -> None:
    """Again and again on one table, each time a little later."""
    game = rules.load("dots", rows=3, cols=3)
    board = load_board("dots", game.variant)
    solver = load_endgame("dots", board, memory_mb=16)
    start = board.position(game.start().state())
    solver.load_kernels(start)
    stopped, solution = 0, None
    for turn in range(200):
        with stop_at(time.monotonic() + turn * 0.0005) as stop:
            solution = solver.best(start, stop)
            margins = None if solution is None else solver.margins(start, NEVER)
        if solution is not None:
            break
        stopped += 1
        assert solver.margins(start, np.ones(1, np.int64)) is None
    assert stopped > 1
    assert solution is not None
    assert solution.margin == -3
    assert set(margins.values()) == {-3}


@pytest.mark.parametrize(
    ("rows", "cols", "reach"), [(3, 3, 21), (4, 4, 30), (4, 5, 35), (5, 5, 41), (6, 6, 41)]
)
def test_reach_is_less_on_smaller_boards(rows: int, cols: int, reach: int) -> None:
    """At 4×4 positions with 29 edges left took 0.3 s, and leaves of a search are solved at once."""
    assert solver_of(rules.load("dots", rows=rows, cols=cols))[0].reach == reach


def test_reach_is_less_where_the_game_stops_at_a_majority() -> None:
    whole, stopping = (solver_of(game)[0].reach for game in GAMES[-2:])
    assert whole > stopping > 0
