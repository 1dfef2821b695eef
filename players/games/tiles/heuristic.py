"""The heuristic value of a board of 2048 or 2584, and the placements that annoy the slider most.

The evaluation of S19 of the course notes, a weighted sum of four terms. All compare tiles by their
index, which is the logarithm of a tile of 2048, and all read lines: the four rows and the four
columns. In a line a tile's neighbour is the next tile, across empty cells.

- smoothness: minus the sum over neighbouring tiles of the difference of their indices.
- monotonicity: for the rows together and for the columns together, minus the sum of the steps that
  go the wrong way, where the right way is the one that leaves the smaller sum. An empty end of a
  line counts as a tile of index 0, so that large tiles belong to the walls.
- empty: the natural logarithm of the number of empty cells.
- largest: the index of the largest tile.

A placement annoys by the islands there are after it, less the smoothness. Islands are the groups of
equal tiles that lie side by side, a tile alone being one.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from players.compiled.bits import ONE, ZERO, lowest, popcount
from players.compiled.cache import answers, kernel, part
from players.compiled.types import Array, Int, Real, Word
from players.games.tiles.board_2048 import Board2048
from players.games.tiles.board_2584 import Board2584
from players.games.tiles.boards import ROW_CELLS, TileBoard
from players.games.tiles.interface import CELLS, SLIDES, Laws, Tiles, empty, placed
from players.ntuple.board import of_words, transposed, words

FIELD, LARGEST = np.uint64(9), np.uint64(27)
"""The bits of each sum in an entry of `lines`, enough for four lines, and where the sums end."""
SUM, SUMS = np.uint64((1 << 9) - 1), np.uint64((1 << 27) - 1)

TWO, THREE, FOUR = (np.uint64(n) for n in (2, 3, 4))
ALL_CELLS, NOT_FIRST, NOT_LAST = np.uint64(0xFFFF), np.uint64(0xEEEE), np.uint64(0x7777)


class Heuristic(NamedTuple):
    laws: Laws
    lines: Array
    """uint32[rows]: of each row of four cells the roughness (the opposite of smoothness), the sum
    of the steps up and that of the steps down, 9 bits each, and in 5 bits its largest tile."""
    common: Tiles
    """A board with the common tile of `laws` everywhere, then one with the rare tile."""
    rare: Tiles
    smoothness: Real
    """The weight of a step of smoothness, then of one of monotonicity."""
    monotonicity: Real
    emptiness: Array
    """float64[17]: what each number of empty cells counts; none, never so after a slide, as one."""
    largest: Real


def make_heuristic(
    board: TileBoard, smoothness: float, monotonicity: float, empty: float, largest: float
) -> Heuristic:
    """The evaluation of a game's boards with these weights of its terms."""
    laws = board.laws
    return Heuristic(
        laws=laws,
        lines=_lines(board.cell_bits),
        common=board.board([board.values[int(laws.common)]] * CELLS),
        rare=board.board([board.values[int(laws.rare)]] * CELLS),
        smoothness=float(smoothness),
        monotonicity=float(monotonicity),
        emptiness=float(empty) * np.log(np.maximum(np.arange(CELLS + 1.0), 1)),
        largest=float(largest),
    )


@cache
def _lines(cell_bits: int) -> Any:
    lines = np.empty(1 << ROW_CELLS * cell_bits, np.uint32)
    fill_lines(cell_bits, lines)
    return lines


def row(board: Tiles, index: Int) -> Any:
    """The four cells of the row `index`, 0 to 3 from the top, at the low end of a uint64."""
    raise NotImplementedError  # answered for each type


@answers(row, Board2048)
def _row_2048(board: Board2048, index: Int) -> Any:
    return board.cells >> (np.uint64(index) << np.uint64(4)) & np.uint64(0xFFFF)


@answers(row, Board2584)
def _row_2584(board: Board2584, index: Int) -> Any:
    word = board.upper if index < 2 else board.lower
    return word >> np.uint64(20) * (np.uint64(index) & ONE) & np.uint64(0xF_FFFF)


@part
def evaluate(board: Tiles, heuristic: Heuristic) -> Any:
    """The four terms of a board, weighted, as float64."""
    lines, side = heuristic.lines, transposed(board)
    across, down, largest = ZERO, ZERO, ZERO
    for index in range(ROW_CELLS):
        facts = np.uint64(lines[row(board, index)])
        across += facts & SUMS
        largest = max(largest, facts >> LARGEST)
        down += np.uint64(lines[row(side, index)]) & SUMS
    rough = (across & SUM) + (down & SUM)
    wrong = _wrong(across) + _wrong(down)
    return (
        heuristic.emptiness[popcount(empty(board))]
        + heuristic.largest * np.float64(largest)
        - heuristic.smoothness * np.float64(rough)
        - heuristic.monotonicity * np.float64(wrong)
    )


@part
def _wrong(facts: Word) -> Any:
    up, down = facts >> FIELD & SUM, facts >> (FIELD + FIELD) & SUM
    return min(up, down)


@part
def most_annoying(board: Tiles, heuristic: Heuristic, out: Array) -> Any:
    """Write the most annoying placements, SLIDES + 2·cell (+ 1: the rare tile); their number."""
    count, most = 0, np.int64(-(1 << 62))
    side, cells = transposed(board), empty(board)
    common, rare = holding(board, heuristic.common), holding(board, heuristic.rare)
    while cells != ZERO:
        cell = lowest(cells)
        cells &= cells - ONE
        for kind in range(2):
            tile = heuristic.laws.common if kind == 0 else heuristic.laws.rare
            like = common if kind == 0 else rare
            annoyance = annoyance_of(board, side, cell, tile, like, heuristic.lines)
            if annoyance > most:
                count, most = 0, annoyance
            if annoyance == most:
                out[count] = SLIDES + 2 * np.int64(cell) + kind
                count += 1
    return count


@part
def annoyance_of(
    board: Tiles, side: Tiles, cell: Word, tile: Word, like: Word, lines: Array
) -> Any:
    """By how much `tile` on the empty `cell` makes islands less smoothness greater. `side` is the
    transposed board, `like` are the cells that hold such a tile.
    """
    height, width = cell >> TWO, cell & THREE
    after, roughened = placed(board, cell, tile), placed(side, width << TWO | height, tile)
    rougher = (roughness(after, height, lines) - roughness(board, height, lines)) + (
        roughness(roughened, width, lines) - roughness(side, width, lines)
    )
    return rougher + np.int64(1) - groups_next_to(cell, like)


@part
def roughness(board: Tiles, index: Int, lines: Array) -> Any:
    """The opposite of the smoothness of a row, as int64."""
    return np.int64(np.uint64(lines[row(board, index)]) & SUM)


@part
def holding(board: Tiles, everywhere: Tiles) -> Any:
    """The cells, as bits, that hold the tile which the board `everywhere` has on all of them."""
    first, second = words(board)
    other, another = words(everywhere)
    return empty(of_words(board, first ^ other, second ^ another))


@part
def groups_next_to(cell: Word, like: Word) -> Any:
    """How many connected groups of the cells `like` are next to `cell`, as int64."""
    count, near = np.int64(0), neighbours(ONE << cell) & like
    while near != ZERO:
        group, grown = ZERO, near & (ZERO - near)
        while grown != group:
            group = grown
            grown |= neighbours(group) & like
        near &= ~group
        count += 1
    return count


@part
def neighbours(cells: Word) -> Any:
    sideways = (cells & NOT_LAST) << ONE | (cells & NOT_FIRST) >> ONE
    return (sideways | cells << FOUR | cells >> FOUR) & ALL_CELLS


@kernel
def fill_lines(cell_bits: int, lines: Array) -> None:
    tile_bits = (1 << cell_bits) - 1
    for cells in range(len(lines)):
        rough, up, down, largest = 0, 0, 0, 0
        before, any_tile = 0, False
        for index in range(ROW_CELLS):
            tile = cells >> cell_bits * index & tile_bits
            is_end = index in (0, ROW_CELLS - 1)
            if tile == 0 and not is_end:
                continue
            if any_tile and tile > 0:
                rough += abs(tile - before)
            if index > 0:
                up += max(tile - before, 0)
                down += max(before - tile, 0)
            any_tile |= tile > 0
            largest = max(largest, tile)
            before = tile
        lines[cells] = rough | up << 9 | down << 18 | largest << 27
