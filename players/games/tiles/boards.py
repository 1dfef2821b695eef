"""2048 and 2584 between the wire and the kernels: boards, tiles by index, tables of slides."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from players.compiled.bits import HALF
from players.compiled.cache import answers, kernel
from players.compiled.types import Array
from players.games.tiles import board_2048 as tiles_2048
from players.games.tiles import board_2584 as tiles_2584
from players.games.tiles.board_2048 import Board2048
from players.games.tiles.board_2584 import Board2584
from players.games.tiles.interface import CELLS, Laws, Tiles, largest
from players.ntuple import board as network
from rules.tiles import SPAWNS, is_tile, merges

ROW_CELLS = 4
CELL_BITS = {"2048": tiles_2048.CELL_BITS, "2584": tiles_2584.CELL_BITS}
"""How many bits a cell has in each game."""


@answers(network.progress, Board2048, Board2584)
def _progress(board: Tiles) -> Any:
    return largest(board)


class TileBoard:
    """One game's boards and tiles: 2048 or 2584 with one of its spawn tables."""

    def __init__(self, rules: str, spawn: str) -> None:
        self.rules = rules
        self.cell_bits = CELL_BITS[rules]
        self.values = _values(rules, 1 << self.cell_bits)
        """The tile of each index; 0 for index 0."""
        self._index = {value: index for index, value in enumerate(self.values)}
        self._spawn = SPAWNS[rules][spawn]

    @cached_property
    def laws(self) -> Laws:
        left, right = (np.empty(1 << ROW_CELLS * self.cell_bits, np.uint64) for _ in range(2))
        merged = _merged(self.rules, self.values)
        fill_slides(self.cell_bits, merged, np.array(self.values, np.uint64), left, right)
        (common, share), (rare, _) = self._spawn.items()
        return Laws(
            left,
            right,
            np.uint64(self._index[common]),
            np.uint64(self._index[rare]),
            np.float64(share),
        )

    def position(self, state: Mapping[str, Any]) -> Any:
        """The board of a `state` from the wire; a tile beyond the last one counts as that."""
        return self.board([tile for row in state["board"] for tile in row])

    def board(self, cells: Sequence[int]) -> Any:
        indices = [self._index.get(tile, len(self.values) - 1) for tile in cells]
        bits = sum(index << self.cell_bits * cell for cell, index in enumerate(indices))
        if self.rules == "2048":
            return Board2048(np.uint64(bits))
        word = CELLS // 2 * self.cell_bits
        return Board2584(np.uint64(bits & (1 << word) - 1), np.uint64(bits >> word))


def _values(rules: str, count: int) -> tuple[int, ...]:
    values = [0, *(tile for tile in range(1, 4) if is_tile(rules, tile))]
    while len(values) < count:  # from there on each tile is the sum of two before it
        values.append(values[-1] + values[-1 if rules == "2048" else -2])
    return tuple(values)


def _merged(rules: str, values: Sequence[int]) -> Any:
    """int64[count, count]: the index of what two tiles merge into, 0 for none."""
    merged = np.zeros((len(values), len(values)), np.int64)
    for one, tile in enumerate(values):
        for other, right in enumerate(values):
            if one and other and tile + right in values and merges(rules, tile, right):
                merged[one, other] = values.index(tile + right)
    return merged


@kernel
def fill_slides(cell_bits: int, merged: Array, values: Array, left: Array, right: Array) -> None:
    tile_bits = (1 << cell_bits) - 1
    for row in range(len(left)):
        for table, first, step in ((left, 0, 1), (right, ROW_CELLS - 1, -1)):
            after, at, waiting, reward = 0, first, 0, np.uint64(0)
            for number in range(ROW_CELLS):
                tile = row >> cell_bits * (first + step * number) & tile_bits
                if tile == 0:
                    continue
                if waiting != 0:
                    tile_made = merged[waiting, tile]
                    after |= (tile_made if tile_made != 0 else waiting) << cell_bits * at
                    at += step
                    reward += values[tile_made]
                    waiting = 0 if tile_made != 0 else tile
                else:
                    waiting = tile
            after |= waiting << cell_bits * at if waiting != 0 else 0
            table[row] = np.uint64(after) | reward << HALF
