"""Othello's evaluations against plain Python over `rules/`, their symmetries and their bounds."""

from collections.abc import Iterator
from functools import cache
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest

import rules
from players.compiled.bits import extract_by_shifts
from players.compiled.cache import intrinsic, kernel
from players.games import interface as game
from players.games.othello import evaluation as othello_evaluation
from players.games.othello import move_patterns
from players.games.othello import patterns as othello_patterns
from players.games.registry import load_board
from players.weights.evaluations import load_terms
from rules.position import PASS, Position
from tests.players.conftest import random_position
from tests.players.evaluation_helpers import evaluate, evaluate_after, expectation

PRESETS = ("standard", "cornerless")
Grid = list[list[int]]
"""1 for a disc of the mover, 2 for one of the other, 0 for an empty square, −1 for one out of
play."""


def positions(preset: str, size: int, count: int) -> Iterator[tuple[str, Position, Any]]:
    """Seeded positions of all phases: (where they come from, the rules' position, the kernels')."""
    rule_set = rules.load("othello", preset=preset, size=size)
    board = load_board("othello", rule_set.variant)
    for seed in range(count):
        rng = Random(seed)
        truth = random_position(rule_set, rng.randrange(1, size * size - 2), rng)
        yield f"{preset} {size}, seed {seed}\n{truth}", truth, board.position(truth.state())


def grid_of(truth: Position) -> Grid:
    own = "XO"[truth.to_move or 0]
    value = {"#": -1, ".": 0, own: 1, "XO"[own == "X"]: 2}
    return [[value[cell] for cell in row] for row in truth.state()["board"]]


def moves_of(truth: Position, seat: int) -> set[tuple[int, int]]:
    """Where `seat` might move."""
    legal = truth.game.position({**truth.state(), "to_move": seat}).legal_moves()
    return {(int(move[1:]) - 1, ord(move[0]) - ord("a")) for move in legal if move != PASS}


def around(grid: Grid, row: int, column: int) -> Iterator[int]:
    for rows, columns in product((-1, 0, 1), repeat=2):
        if (rows or columns) and 0 <= row + rows < len(grid) and 0 <= column + columns < len(grid):
            yield grid[row + rows][column + columns]


def cells(grid: Grid) -> Iterator[tuple[int, int, int]]:
    for row, line in enumerate(grid):
        for column, value in enumerate(line):
            yield row, column, value


EDGE = [(0, column) for column in range(8)] + [(1, 1), (1, 6)]
SHAPES = [
    EDGE,
    list(product(range(3), range(3))),
    list(product(range(2), range(5))),
    *([(row, column) for column in range(8)] for row in (1, 2, 3)),
    *([(step, step + gap) for step in range(8 - gap)] for gap in range(5)),
]
"""One place of each shape, its squares from the lowest digit on."""


def turned(row: int, column: int, symmetry: int) -> tuple[int, int]:
    """A square after one of the board's eight symmetries."""
    if symmetry & 1:
        row = 7 - row
    if symmetry & 2:
        column = 7 - column
    return (column, row) if symmetry & 4 else (row, column)


@cache
def places() -> list[tuple[int, list[tuple[int, int]]]]:
    """Every place on the board with the start of its shape's entries."""
    found, start = [], 0
    for shape in SHAPES:
        of_shape = {}
        for symmetry in range(8):
            place = [turned(row, column, symmetry) for row, column in shape]
            of_shape.setdefault(frozenset(place), place)
        found += [(start, place) for place in of_shape.values()]
        start += 3 ** len(shape)
    return found


def slow_move_entries(grid: Grid, moves: set[Any], replies: set[Any]) -> Iterator[int]:
    """The entries of who may move where, after those of the discs."""
    start, discs = sum(3 ** len(shape) for shape in SHAPES), sum(v > 0 for _, _, v in cells(grid))
    for side, squares in enumerate((moves, replies)):
        yield start + 128 * side + 64 * (discs % 2) + len(squares)
    start += 256
    for row in (0, 1):
        for at in (row, 7 - row):
            for line in (
                [(at, step) for step in range(1, 7)],
                [(step, at) for step in range(1, 7)],
            ):
                bits = [square in moves for square in line] + [square in replies for square in line]
                yield start + sum(bit << power for power, bit in enumerate(bits))
        start += 4**6
    for row, column in product((0, 7), repeat=2):
        near = list(product(sorted({row, abs(row - 1)}), sorted({column, abs(column - 1)})))
        bits = [grid[r][c] == side for side in (1, 2) for r, c in near]
        bits += [(row, column) in squares for squares in (moves, replies)]
        yield start + sum(bit << power for power, bit in enumerate(bits))
        start += 1024


def slow_patterns(truth: Position, terms: Any) -> int:
    grid = grid_of(truth)
    empty = sum(value == 0 for _, _, value in cells(grid))
    size = (othello_patterns.ENTRIES + 1) // 2 + 6
    table = terms[1 + min((empty - 1) // 5, 11) * size :][:size]
    patterns = table[6:].view(np.int16)
    seat = truth.to_move or 0
    near = {
        side: sum(
            value == 0 and side in around(grid, row, column) for row, column, value in cells(grid)
        )
        for side in (1, 2)
    }
    moves, replies = moves_of(truth, seat), moves_of(truth, 1 - seat)
    numbers = (len(moves), len(replies), near[2], near[1], 1, empty % 2)
    value = sum(int(weight) * number for weight, number in zip(table[:6], numbers, strict=True))
    for start, place in places():
        filling = sum(
            max(grid[row][column], 0) * 3**digit for digit, (row, column) in enumerate(place)
        )
        value += int(patterns[start + filling])
    return value + sum(int(patterns[entry]) for entry in slow_move_entries(grid, moves, replies))


def slow_stable(grid: Grid, side: int) -> set[tuple[int, int]]:
    """Discs of `side` backed by the edge or each other on every line, from the largest set down."""
    playable = {(row, column) for row, column, value in cells(grid) if value >= 0}
    found: set[tuple[int, int]] = set()
    while True:
        more = {
            (row, column)
            for row, column, value in cells(grid)
            if value == side
            and all(
                any(
                    (square := (row + sign * rows, column + sign * columns)) not in playable
                    or square in found
                    for sign in (1, -1)
                )
                for rows, columns in ((0, 1), (1, 0), (1, 1), (1, -1))
            )
        }
        if more == found:
            return found
        found = more


def slow_features(truth: Position, terms: Any) -> float:
    grid, seat = grid_of(truth), truth.to_move or 0
    size = len(grid)
    empty = sum(value == 0 for _, _, value in cells(grid))
    playable = sum(value >= 0 for _, _, value in cells(grid))
    frontier = {
        side: sum(
            value == side and 0 in around(grid, row, column) for row, column, value in cells(grid)
        )
        for side in (1, 2)
    }
    features = np.zeros(20)
    features[0] = len(slow_stable(grid, 1)) - len(slow_stable(grid, 2))
    features[1] = len(moves_of(truth, seat)) - len(moves_of(truth, 1 - seat))
    features[2] = frontier[1] - frontier[2]
    features[3] = 1 if empty % 2 else -1
    for row, column, value in cells(grid):
        square = 4 * min(row, size - 1 - row) + min(column, size - 1 - column)
        features[4 + square] += (value == 1) - (value == 2)
    opening, end = features @ terms[1:21], features @ terms[21:41]
    return float(opening * empty + end * (playable - empty)) / playable


@pytest.mark.slow
@pytest.mark.parametrize("preset", PRESETS)
def test_patterns_are_the_sum_of_their_places(preset: str) -> None:
    variant = rules.load("othello", preset=preset).variant
    learned = load_terms("othello", variant)
    other = np.random.default_rng(1).integers(-30, 30, othello_patterns.ENTRIES)
    patterns = np.tile(other.astype(np.int16), (12, 1))
    scalars = np.arange(72, dtype=np.int16).reshape(12, 6)
    for terms in (learned, othello_evaluation.from_patterns(scalars, patterns)):
        for where, truth, position in positions(preset, 8, 60):
            assert evaluate(position, terms) == slow_patterns(truth, terms), where


@pytest.mark.parametrize("name", ["default", "classic"])
@pytest.mark.parametrize("preset", PRESETS)
def test_a_move_later_positions_have_the_value_of_their_own(preset: str, name: str) -> None:
    variant = rules.load("othello", preset=preset).variant
    board, terms = load_board("othello", variant), load_terms("othello", variant, name)
    passes = 0
    for where, truth, position in positions(preset, 8, 40):
        if truth.is_over or truth.legal_moves() == (PASS,):
            continue
        for move in truth.legal_moves():
            drawn = np.zeros(game.OUTLINE, np.int16)
            passes += truth.play(move).legal_moves() == (PASS,)
            value, own = evaluate_after(position, board.moves[move], terms, drawn)
            assert value == own, f"{where} {move}"
    assert passes or preset == "cornerless"  # where squares are free, nobody passes


def test_what_older_files_lack_counts_for_nothing() -> None:
    """A number for parity, and patterns of moves."""
    scalars = np.arange(60, dtype=np.int16).reshape(12, 5)
    patterns = np.ones((12, othello_patterns.FILLED), np.int16)
    with_parity = np.hstack([scalars, np.zeros((12, 1), np.int16)])
    with_moves = np.hstack([patterns, np.zeros((12, move_patterns.MOVE_ENTRIES), np.int16)])
    older, newer = (
        othello_evaluation.from_patterns(*each)
        for each in ((scalars, patterns), (with_parity, with_moves))
    )
    assert older.tolist() == newer.tolist()


def test_shapes_have_all_their_places() -> None:
    assert len(places()) == othello_patterns.PLACES - move_patterns.MOVE_PLACES == 46
    assert sum(3 ** len(shape) for shape in SHAPES) == othello_patterns.FILLED
    assert move_patterns.MOVE_PLACES == 14


@pytest.mark.parametrize("size", [4, 6, 8])
@pytest.mark.parametrize("preset", PRESETS)
def test_classic_is_the_sum_of_its_features(preset: str, size: int) -> None:
    variant = rules.load("othello", preset=preset, size=size).variant
    terms = load_terms("othello", variant, "classic")
    for where, truth, position in positions(preset, size, 40):
        assert evaluate(position, terms) == int(slow_features(truth, terms)), where


def board_images(position: Any, size: int) -> Iterator[Any]:
    """The position under the symmetries of the board."""

    def image(word: Any, symmetry: int) -> Any:
        squares = (divmod(square, 8) for square in range(64) if int(word) >> square & 1)
        moved = [turned(row, column, symmetry) for row, column in squares]
        shift = 8 - size  # a smaller board is in the upper left corner
        flip = (symmetry & 1, symmetry & 2)
        if symmetry & 4:
            flip = (flip[1], flip[0])
        rows, columns = (shift if flipped else 0 for flipped in flip)
        return np.uint64(sum(1 << 8 * (row - rows) + column - columns for row, column in moved))

    for symmetry in range(8):
        yield position._replace(
            own=image(position.own, symmetry), other=image(position.other, symmetry)
        )


@pytest.mark.parametrize("size", [4, 6, 8])
@pytest.mark.parametrize("name", ["default", "classic"])
@pytest.mark.parametrize("preset", PRESETS)
def test_values_know_no_side_of_the_board_and_no_colour(preset: str, name: str, size: int) -> None:
    terms = load_terms("othello", rules.load("othello", preset=preset, size=size).variant, name)
    for where, _, position in positions(preset, size, 20):
        value = evaluate(position, terms)
        for image in board_images(position, size):
            assert evaluate(image, terms) == value, where
        assert evaluate(position._replace(seat=1 - position.seat), terms) == value, where


def test_without_parity_the_classic_value_of_the_other_side_is_the_negative() -> None:
    terms = load_terms("othello", rules.load("othello").variant, "classic")
    terms[[4, 24]] = 0
    for where, _, position in positions("standard", 8, 40):
        swapped = position._replace(own=position.other, other=position.own)
        assert evaluate(swapped, terms) == -evaluate(position, terms), where


@pytest.mark.parametrize("name", ["default", "classic"])
def test_values_are_bounded(name: str) -> None:
    terms = load_terms("othello", rules.load("othello").variant, name)
    terms[1:] = 50_000
    values = {evaluate(position, terms) for _, _, position in positions("standard", 8, 20)}
    assert max(map(abs, values)) == game.LIMIT


@pytest.mark.parametrize("preset", PRESETS)
def test_expectation_rises_with_the_value_and_is_fair(preset: str) -> None:
    for where, _, position in positions(preset, 8, 10):
        values = [float(expectation(position, value)) for value in range(-6400, 6401, 100)]
        assert values == sorted(values), where
        assert values[64] == 0.5, where
        assert 0.0 <= values[0] < 0.1, where
        assert np.allclose(np.add(values, values[::-1]), 1.0), where


def test_bits_are_extracted_without_the_instruction_as_with_it() -> None:
    mask = othello_patterns.SHAPES[0].places[0].mask | 1 << 63

    @intrinsic
    def by_shifts(_typing: Any, word: Any) -> Any:
        """The bits under the mask."""

        def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            return extract_by_shifts(builder, arguments[0], mask)

        return word(word), generate

    @kernel
    def extracted(word: Any) -> Any:
        return by_shifts(word)

    rng = Random(1)
    places = [bit for bit in range(64) if mask >> bit & 1]
    for _ in range(100):
        word = rng.getrandbits(64)
        expected = sum((word >> bit & 1) << index for index, bit in enumerate(places))
        assert extracted(np.uint64(word)) == expected, hex(word)
