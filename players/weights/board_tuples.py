"""The tuples of n-tuple networks: a board's cells, symmetries, families of tuples, stages."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

import rules as rule_sets
from players.games.othello.evaluation import LONGEST_TUPLE
from players.games.registry import load_board
from players.games.tiles.boards import CELL_BITS, TileBoard
from rules import tiles
from rules.position import square_symmetries

BOARD_GAMES = ("othello", "dots")

WORD, SIDE = 64, 8
"""Cells of a word, and of a row of it."""

STATES = {"othello": 3, "dots": 2} | {rules: 1 << bits for rules, bits in CELL_BITS.items()}
"""The states of a cell: empty, the mover's, the other's; drawn or not; empty, or one of the
tiles.
"""

LONGEST = {"othello": LONGEST_TUPLE, "dots": 2 * LONGEST_TUPLE}
"""Cells of a tuple at most."""

FAMILIES = {
    "othello": 'squares, as "a1 b1 c1", or "straight-N" for all lines of N squares',
    "dots": 'edges, as "a1b1 a1a2", or "boxes-RxC" for all blocks of R rows and C columns',
}

Cell = tuple[int, int, int]
"""A word, a row and a column of a view."""


class BoardCells:
    """The cells of one game's board: squares by name, edges by their two dots."""

    def __init__(self, rules: str, variant: Mapping[str, Any]) -> None:
        """Raises ValueError for a board that no network is for."""
        self.rules = rules
        if rules == "dots":
            if variant["rows"] != variant["cols"] or variant["rows"] >= SIDE:
                raise ValueError(
                    "networks for dots are for square boards of up to 7×7 boxes, not for "
                    f"{variant['rows']}×{variant['cols']}"
                )
            self.size = variant["rows"]
            edges = load_board(rules, variant).moves
            names: dict[str, Cell] = {
                name: (move // WORD, *divmod(move % WORD, self.size + 1))
                for name, move in edges.items()
            }
        elif rules == "othello":
            if variant["size"] > SIDE:
                raise ValueError(f"networks for Othello are for boards of up to 8×8, not {variant}")
            self.size = variant["size"]
            places = {
                name: divmod(move, SIDE) for name, move in load_board(rules, variant).moves.items()
            }
            corner = {0, self.size - 1}
            names = {
                name: (0, *place)
                for name, place in places.items()
                if variant["corners"] or not corner.issuperset(place)
            }
        else:
            self.size = tiles.SIZE
            self._tiles = TileBoard(rules, next(iter(tiles.SPAWNS[rules])))
            names = {name: (0, *divmod(at, tiles.SIZE)) for at, name in enumerate(tiles.CELLS)}
        self.cells: dict[str, Cell] = dict(sorted(names.items(), key=lambda item: item[1]))
        """The cells by name, in the order in which a table counts them."""
        self._names = {cell: name for name, cell in self.cells.items()}

    def in_order(self, names: Sequence[str]) -> tuple[str, ...]:
        """The cells of a tuple in order. Raises ValueError for what is no tuple."""
        unknown = [name for name in names if name not in self.cells]
        if unknown or not names:
            got = f"{unknown[0]!r} is not one" if unknown else "there is none"
            if self.rules in FAMILIES:
                raise ValueError(f"a tuple is made of {FAMILIES[self.rules]}; {got} on this board")
            raise ValueError(f"a tuple is made of cells from a1 to d4, {got}")
        twice = [name for name in self.cells if list(names).count(name) > 1]
        if twice:
            raise ValueError(f"a tuple has each cell once, {twice[0]} is there again")
        longest = LONGEST.get(self.rules, len(self.cells))
        if len(names) > longest:
            raise ValueError(f"a tuple has at most {longest} cells, got {len(names)}")
        return tuple(name for name in self.cells if name in names)

    @cached_property
    def _symmetries(self) -> Sequence[Mapping[str, str]]:
        """Where each cell goes by each turn and reflection of the board."""
        if self.rules == "dots":
            return rule_sets.load(self.rules, rows=self.size, cols=self.size).symmetries
        return tuple(square_symmetries(self.size, self.size))

    def twins(self, names: Sequence[str]) -> set[tuple[str, ...]]:
        """The tuples that a tuple becomes by the 8 symmetries of the board."""
        turned = ([goes_to[name] for name in names] for goes_to in self._symmetries)
        return {self.in_order(each) for each in (names, *turned)}

    def tuples(self, line: str) -> list[tuple[str, ...]]:
        """The tuples that a line of a file stands for: its cells, or one of each symmetry class of
        a family. Raises ValueError.
        """
        kind, _, size = line.strip().partition("-")
        if kind == "straight" and self.rules == "othello":
            if not size.isdecimal() or not 1 <= int(size) <= self.size:
                raise ValueError(f"straight-N has N from 1 to {self.size}")
            return self._classes(self._lines(int(size)))
        if kind == "boxes" and self.rules == "dots":
            sides = [int(side) if side.isdecimal() else 0 for side in size.split("x")]
            if len(sides) != 2 or not all(1 <= side <= self.size for side in sides):
                raise ValueError(f"boxes-RxC has R and C from 1 to {self.size}")
            return self._classes(self._blocks(*sides))
        return [self.in_order(line.split())]

    def _lines(self, length: int) -> Iterator[list[Cell]]:
        for row in range(self.size):
            for column in range(self.size):
                for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                    yield [(0, row + down * step, column + right * step) for step in range(length)]

    def _blocks(self, rows: int, columns: int) -> Iterator[list[Cell]]:
        for top in range(self.size - rows + 1):
            for left in range(self.size - columns + 1):
                across = [(0, r, c) for r in range(rows + 1) for c in range(columns)]
                down = [(1, r, c) for r in range(rows) for c in range(columns + 1)]
                yield [(word, top + row, left + column) for word, row, column in across + down]

    def _classes(self, groups: Iterator[list[Cell]]) -> list[tuple[str, ...]]:
        """One of each class of tuples that symmetries turn into each other."""
        kept: list[tuple[str, ...]] = []
        known: set[tuple[str, ...]] = set()
        for cells in groups:
            if all(cell in self._names for cell in cells):
                names = self.in_order([self._names[cell] for cell in cells])
                if names not in known:
                    kept.append(names)
                    known |= self.twins(names)
        return kept

    def floors(self, stages: Sequence[int]) -> list[int]:
        """The `progress` at which each later stage begins: the index of a tile, or a number of
        discs or edges. Raises ValueError for what is none.
        """
        if self.rules in BOARD_GAMES:
            if list(stages) != sorted({*stages} - {0}) or any(stage < 0 for stage in stages):
                raise ValueError("the numbers of stages must go up from above 0")
            return list(stages)
        values = self._tiles.values
        wrong = [tile for tile in stages if tile not in values[2:]]
        if wrong:
            raise ValueError(f"a stage begins at a tile of {self.rules}; {wrong[0]} is not one")
        if list(stages) != sorted(set(stages)):
            raise ValueError("the tiles of stages must go up")
        return [values.index(tile) for tile in stages]

    def masks(self, tuples: Sequence[Sequence[str]]) -> Any:
        """uint64[tuples, 2]: the masks of a `Network`."""
        masks = np.zeros((len(tuples), 2), np.uint64)
        for number, names in enumerate(tuples):
            if self.rules in BOARD_GAMES:
                for name in names:
                    word, row, column = self.cells[name]
                    masks[number, word] |= np.uint64(1 << SIDE * row + column)
            else:  # the largest tile has all bits of its cell
                last = self._tiles.values[-1]
                words = self._tiles.board([last * (name in names) for name in tiles.CELLS])
                masks[number, : len(words)] = words
        return masks


def board_cells(rules: str, variant: Mapping[str, Any]) -> BoardCells:
    """The cells of the board of `rules` with the settings `variant`, judged by the rules. Raises
    ValueError for a setting that is none.
    """
    return BoardCells(rules, rule_sets.load(rules, **variant).variant)
