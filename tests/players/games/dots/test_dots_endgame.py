"""The exact dots solver against plain minimax over every set of undrawn edges, and against
published values.
"""

from random import Random
from typing import Any

import numpy as np
import pytest

import rules
from players.compiled.cache import kernel
from players.games import endgame
from players.games import interface as kernels
from players.games.dots.board import DotsBits
from players.games.dots.endgame import DotsEndgame
from players.games.registry import load_board

NEVER = np.zeros(1, np.int64)


@kernel
def subset(position: Any, moves: Any, mask: int) -> Any:
    """`position` with only those of its undrawn edges `moves` that `mask` has a bit for; seat 0
    to move, no lead.
    """
    across, down = np.uint64(0), np.uint64(0)
    for index in range(len(moves)):
        if mask >> index & 1:
            edge = np.uint64(1) << np.uint64(moves[index] & 63)
            if moves[index] < 64:
                across |= edge
            else:
                down |= edge
    _, _, _, _, stride, boxes, enough = position
    return DotsBits(across, down, np.int64(0), np.int64(0), stride, boxes, enough)


@kernel
def true_values(position: Any, moves: Any) -> Any:
    """What the mover wins by, from no lead, with each set of `moves` undrawn: int8[2 ** moves]."""
    values = np.zeros(1 << len(moves), np.int8)
    for mask in range(1, len(values)):
        start = subset(position, moves, mask)
        best = np.int64(-100)
        for index in range(len(moves)):
            if mask >> index & 1:
                child = kernels.play(start, np.int64(moves[index]))
                value = np.int64(values[mask ^ (1 << index)])
                best = max(best, child.lead + value if child.seat == 0 else -value)
        values[mask] = best
    return values


@kernel
def first_wrong(
    position: Any, moves: Any, values: Any, count: int, seed: int, memory: Any, stop: Any
) -> int:
    """Solve `count` random sets, or all if there are no more, for either seat, from any lead, in
    wide and in narrow windows: the first with a wrong answer, or −1.
    """
    np.random.seed(seed)
    for turn in range(min(count, len(values))):
        mask = turn if count >= len(values) else np.random.randint(len(values))
        _, _, _, _, stride, boxes, enough = position
        across, down, _, _, _, _, _ = subset(position, moves, mask)
        seat, lead = np.int64(turn % 2), np.int64(turn % 7 - 3)
        start = DotsBits(across, down, lead, seat, stride, boxes, enough)
        true = values[mask] + (lead if seat == 0 else -lead)
        if endgame.solve(start, -64, 64, memory, stop) != true:
            return mask
        low = true + np.random.randint(-4, 4)
        high = low + np.random.randint(1, 4)
        value = endgame.solve(start, low, high, memory, stop)
        exact, above, below = low < true < high, true >= high, true <= low
        if (exact and value != true) or (above and not high <= value <= true):
            return mask
        if below and not true <= value <= low:
            return mask
    return -1


def start_of(rows: int, cols: int) -> tuple[DotsEndgame, Any]:
    """The solver of a board, with a table small enough to overflow, and the first position."""
    game = rules.load("dots", rows=rows, cols=cols)
    board = load_board("dots", game.variant)
    return DotsEndgame(board, memory_mb=2), board.position(game.start().state())


def undrawn(position: Any) -> Any:
    """The moves of a position."""
    words = ((0, int(position.across)), (64, int(position.down)))
    return np.array([first + bit for first, word in words for bit in range(64) if word >> bit & 1])


def check(solver: DotsEndgame, position: Any, count: int, seed: int) -> None:
    """Compare `count` sets of the undrawn edges of `position`, or all."""
    moves = undrawn(position)
    values = true_values(position, moves)
    wrong = int(first_wrong(position, moves, values, count, seed, solver.memory, NEVER))
    assert wrong < 0, f"seed {seed}, {subset(position, moves, wrong)}: {values[wrong]} is right"


@pytest.mark.slow
@pytest.mark.parametrize(("rows", "cols"), [(1, 1), (1, 4), (5, 1), (2, 2), (2, 3), (3, 2)])
def test_every_position_of_a_small_board(rows: int, cols: int) -> None:
    solver, start = start_of(rows, cols)
    check(solver, start, 1 << 17, seed=0)


@pytest.mark.slow
def test_a_sample_of_all_positions_of_3x3() -> None:
    solver, start = start_of(3, 3)
    check(solver, start, 40_000, seed=33)


@pytest.mark.parametrize(
    ("rows", "cols", "left"), [(5, 5, 18), (2, 5, 18), (4, 4, 19), (7, 7, 18), (3, 15, 17)]
)
def test_what_is_left_of_random_games(rows: int, cols: int, left: int) -> None:
    """The last edges of larger boards, among them chains and loops of many lengths."""
    solver, start = start_of(rows, cols)
    for seed in range(4):
        chosen = Random(seed).sample(undrawn(start).tolist(), left)
        across = sum(1 << move for move in chosen if move < 64)
        down = sum(1 << move - 64 for move in chosen if move >= 64)
        position = start._replace(across=np.uint64(across), down=np.uint64(down))
        check(solver, position, 10_000, seed)


def test_what_is_too_long_for_the_pool() -> None:
    """Chains of up to 15 boxes, and a loop of 18 with two ways out."""
    solver, start = start_of(1, 15)
    check(solver, start._replace(across=np.uint64(1 << 7)), 20_000, seed=1)
    solver, start = start_of(2, 9)
    inner = [10 * row + column for row in (0, 1) for column in range(1, 9)]
    position = start._replace(
        across=np.uint64(1 << 10 | 1 << 18 | 1 << 4 | 1 << 26),
        down=np.uint64(sum(1 << bit for bit in inner)),
    )
    check(solver, position, 20_000, seed=2)


@pytest.mark.parametrize(
    ("rows", "cols", "net"),
    [
        *((1, cols, -(cols % 2)) for cols in range(1, 8)),
        (2, 2, 2),
        (2, 3, -2),
        (3, 2, -2),
        (2, 4, 2),
        (3, 3, -3),
    ],
)
def test_boards_have_their_published_values(rows: int, cols: int, net: int) -> None:
    solver, start = start_of(rows, cols)
    solution = solver.best(start, NEVER)
    assert solution is not None
    assert solution.margin == net


def test_all_openings_of_3x3_are_equal() -> None:
    solver, start = start_of(3, 3)
    margins = solver.margins(start, NEVER)
    assert margins is not None
    assert len(margins) == 24
    assert set(margins.values()) == {-3}
