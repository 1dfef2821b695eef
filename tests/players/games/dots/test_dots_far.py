"""The exact dots search far from the end against the same search without what it does there."""

from random import Random
from typing import Any

import numpy as np
import pytest

import rules
from players.compiled.bits import ZERO, popcount
from players.compiled.cache import kernel, part
from players.games.dots.board import VERTICAL, DotsBoard, open_boxes
from players.games.dots.endgame import DotsEndgame
from players.games.dots.endgame_board import (
    FAR_FROM,
    NEVER,
    DotsRoot,
    canonical,
    fixed_by,
    is_far,
    new_scratch,
    with_corners_across,
)
from players.games.dots.endgame_rest import core_of
from players.games.dots.endgame_search import search
from players.games.dots.endgame_table import new_table
from players.games.registry import load_board

pytestmark = pytest.mark.slow

GOES_ON = np.zeros(1, np.int64)
BOARDS = [(3, 4), (4, 3), (4, 4), (3, 5), (2, 7), (2, 8)]


@kernel
def worth(position: Any, is_plain: bool, table: Any, stop: Any) -> Any:
    """What the mover wins by of a position without what can be taken in it; 100 when that is
    never searched as far from the end.
    """
    across, down, _, _, stride, boxes, _ = position
    fixed = fixed_by(position)
    across, down = core_of(across, down, boxes, stride)
    across, down = with_corners_across(across, down, fixed)
    if not is_far(across, down, fixed):
        return np.int64(100)
    if is_plain:
        fixed = without_far(fixed)
    left = np.int64(popcount(open_boxes(across, down, stride, boxes)))
    scratch, nodes, none = new_scratch(fixed), np.zeros(1, np.int64), np.int64(0)
    value = -left
    while value < left and value + 2 <= search(
        across, down, ZERO, left, none, none, value + 2, fixed, table, scratch, nodes, stop
    ):
        value += 2
    return value


@part
def without_far(fixed: Any) -> Any:
    """The same, but nothing is far from the end."""
    boxes, stride, height, width, north_west, north_east, south_west, south_east, most, _ = fixed
    corners = north_west, north_east, south_west, south_east
    return DotsRoot(boxes, stride, height, width, *corners, most, np.int64(NEVER))


@kernel
def form(position: Any) -> Any:
    """The canonical form of a position."""
    fixed = fixed_by(position)
    across, down = with_corners_across(position.across, position.down, fixed)
    across, down, _ = canonical(across, down, fixed)
    return across, down


def board_of(rows: int, cols: int) -> Any:
    """A board's position type and moves."""
    game = rules.load("dots", rows=rows, cols=cols)
    board = load_board("dots", game.variant)
    return board, board.position(game.start().state())


def with_undrawn(start: Any, moves: list[int]) -> Any:
    """The position with only the edges of `moves` undrawn."""
    return start._replace(
        across=np.uint64(sum(1 << move for move in moves if move < VERTICAL)),
        down=np.uint64(sum(1 << move - VERTICAL for move in moves if move >= VERTICAL)),
    )


@pytest.mark.parametrize(("rows", "cols"), BOARDS)
def test_values_are_those_of_the_plain_search(rows: int, cols: int) -> None:
    board, start = board_of(rows, cols)
    table, plain_table = new_table(2), new_table(2)  # small enough to overflow
    compared = 0
    for seed in range(60):
        moves = Random(seed).sample(sorted(board.moves.values()), FAR_FROM + seed % 6)
        position = with_undrawn(start, moves)
        value = worth(position, False, table, GOES_ON)
        assert value in (100, worth(position, True, plain_table, GOES_ON)), f"seed {seed}"
        compared += value != 100
    assert compared > 20


def mirrored(name: str, rows: int, cols: int, turn: int) -> str:
    """The edge that is at the place of edge `name` on the board turned over."""
    dots = []
    for column, row in (
        ("abcdefghi".index(name[0]), int(name[1])),
        ("abcdefghi".index(name[2]), int(name[3])),
    ):
        row = rows + 2 - row if turn & 1 else row
        column = cols - column if turn & 2 else column
        if turn & 4:
            row, column = column + 1, row - 1
        dots.append(("abcdefghi"[column], row))
    return "".join(f"{column}{row}" for column, row in sorted(dots))


@pytest.mark.parametrize(("rows", "cols"), [(3, 3), *BOARDS])
def test_all_images_of_a_position_have_one_form(rows: int, cols: int) -> None:
    board, start = board_of(rows, cols)
    for seed in range(20):
        names = Random(seed).sample(sorted(board.moves), 20)
        forms = set()
        for turn in range(8 if rows == cols else 4):
            moves = [board.moves[mirrored(name, rows, cols, turn)] for name in names]
            forms.add(form(with_undrawn(start, moves)))
        assert len(forms) == 1, f"seed {seed}"


@pytest.mark.parametrize(("rows", "cols"), BOARDS)
def test_the_line_of_a_solution_is_played_to_its_margin(rows: int, cols: int) -> None:
    game = rules.load("dots", rows=rows, cols=cols)
    board = load_board("dots", game.variant)
    assert isinstance(board, DotsBoard)
    solver = DotsEndgame(board, memory_mb=2)
    for seed in range(8):
        rng, position = Random(seed), game.start()
        while len(legal := position.legal_moves()) > FAR_FROM + seed % 6:
            position = position.play(rng.choice(legal))
        solution = solver.best(board.position(position.state()), GOES_ON)
        assert solution is not None
        mover = position.to_move
        assert mover is not None
        for move in solution.pv:
            position = position.play(move)
        scores = position.scores()
        assert scores[mover] - scores[1 - mover] == solution.margin, f"seed {seed}"
