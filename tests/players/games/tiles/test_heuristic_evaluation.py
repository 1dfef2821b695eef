"""The terms of the heuristic, and the placements that annoy most, against plain Python."""

from collections.abc import Iterable
from math import log
from random import Random
from typing import Any

import numpy as np
import pytest

from players.compiled.cache import kernel
from players.games.tiles.heuristic import evaluate, most_annoying
from rules.tiles import SLIDES
from tests.players.heuristic_helpers import Cells, Plain, random_weights
from tests.players.tile_cases import GAMES


@kernel
def evaluated(board: Any, heuristic: Any) -> Any:
    """`evaluate` for Python."""
    return evaluate(board, heuristic)


@kernel
def annoying(board: Any, heuristic: Any, out: Any) -> Any:
    """`most_annoying` for Python."""
    return most_annoying(board, heuristic, out)


def random_boards(plain: Plain, count: int, seed: int) -> Iterable[Cells]:
    """Boards with an empty cell and any tiles; half of them with few kinds, for large islands."""
    rng = Random(seed)
    for number in range(count):
        kinds = rng.choice([2, 3, 5]) if number % 2 else len(plain.board.values) - 1
        share = rng.uniform(0.2, 1)
        cells = [rng.randint(1, kinds) if rng.random() < share else 0 for _ in range(16)]
        cells[rng.randrange(16)] = 0
        yield tuple(plain.board.values[index] for index in cells)


def of_rows(*rows: str) -> Cells:
    return tuple(int(tile) for row in rows for tile in row.replace(".", "0").split())


HAND_WORKED = [
    # nothing is nothing
    (of_rows(". . . .", ". . . .", ". . . .", ". . . ."), 0, 0, 0),
    # 8 in a corner falls away from both walls
    (of_rows("8 . . .", ". . . .", ". . . .", ". . . ."), 0, 0, 1),
    # 8 away from the walls: 3 steps go the wrong way in its row, and in its column
    (of_rows(". . . .", ". 8 . .", ". . . .", ". . . ."), 0, -3 - 3, 1),
    # across the gap 2 rises 3 steps to 16, which falls 4 to the wall
    (of_rows("2 . 16 .", ". . . .", ". . . .", ". . . ."), -3, -3 - 0, 2),
    # rows 3, 1 + 1, columns 1, 1, 0, 2; only 4 to 2 falls in the rows, 2 to 4 rises in the columns
    (of_rows("2 4 8 16", "4 2 . 4", ". . . .", ". . . ."), -3 - 2 - 1 - 1 - 2, -1 - 1, 7),
    # an angle of 2, one of 4, and a bar of 2
    (of_rows("2 2 4 2", "2 4 4 2", ". . . .", ". . . ."), -2 - 2 - 1, -2 - 1, 3),
]


@pytest.mark.parametrize(("cells", "smooth", "monotone", "islands"), HAND_WORKED)
def test_the_terms_on_boards_worked_by_hand(
    cells: Cells, smooth: int, monotone: int, islands: int
) -> None:
    plain = Plain("2048", "2/4")
    assert plain.smoothness(cells) == smooth
    assert plain.monotonicity(cells) == monotone
    assert plain.islands(cells) == islands
    board, index = plain.board.board(cells), plain.board.values.index(max(cells))
    expected = (smooth, monotone, log(cells.count(0)), index)
    for term in range(4):
        only = Plain("2048", "2/4", [float(term == each) for each in range(4)])
        assert evaluated(board, only.heuristic()) == pytest.approx(expected[term])


@pytest.mark.parametrize(("name", "spawn"), GAMES)
def test_random_boards_are_valued_as_the_definitions_say(name: str, spawn: str) -> None:
    plain = Plain(name, spawn, random_weights(2))
    heuristic = plain.heuristic()
    for cells in random_boards(plain, 400, seed=3):
        found = evaluated(plain.board.board(cells), heuristic)
        assert found == pytest.approx(plain.value(cells), abs=1e-9), cells


def annoying_placements(plain: Plain, cells: Cells) -> set[tuple[int, int]]:
    out = np.zeros(32, np.int16)
    count = annoying(plain.board.board(cells), plain.heuristic(), out)
    codes = [int(code) - len(SLIDES) for code in out[:count]]
    assert len(set(codes)) == count
    return {(code // 2, plain.tiles[code % 2]) for code in codes}


@pytest.mark.parametrize(("name", "spawn"), GAMES)
def test_the_most_annoying_placements_are_those_of_the_definition(name: str, spawn: str) -> None:
    plain = Plain(name, spawn)
    for cells in random_boards(plain, 200, seed=4):
        assert annoying_placements(plain, cells) == plain.annoying(cells), cells
    assert annoying_placements(plain, (plain.tiles[0],) * 16) == set()


def test_a_tile_annoys_next_to_what_it_is_far_from() -> None:
    """A 2 is three steps from 16 wherever it is in its row or its column."""
    cells = of_rows("16 . . .", ". . . .", ". . . .", ". . . .")
    near = {(at, 2) for at in (1, 2, 3, 4, 8, 12)}
    assert annoying_placements(Plain("2048", "2/4"), cells) == near
