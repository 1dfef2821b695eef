"""The sliding games 2048 and 2584, on 4×4 cells.

Seat 0 slides all tiles towards a wall. In a lane, in the direction of travel, the pair nearest
the wall merges first, and a tile merges once a slide; the reward is the new tile. Then a small
tile is placed: by chance, by seat 1, or on seat 1's cell with the tile drawn by chance. The
game ends when no slide changes the board.

2048 merges equal tiles and spawns 2 (0.9) or 4 (0.1). 2584 holds Fibonacci numbers, merges
neighbours in 1, 2, 3, 5, 8, … and 1+1, and spawns 1 (0.9) or 2 (0.1), or 1 (0.75) or 3 (0.25).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from random import Random, SystemRandom
from typing import Any, ClassVar

from rules.position import (
    CHANCE,
    Game,
    IllegalMove,
    MalformedMove,
    Position,
    draw_chance,
    draw_grid,
    rows_of,
    square_name,
)
from rules.settings import int_rows, one_of, only_known, required, seat_or_null, whole

SIZE = 4
"""Rows, and columns."""
SPAWNS: Mapping[str, Mapping[str, Mapping[int, float]]] = {
    "2048": {"2/4": {2: 0.9, 4: 0.1}},
    "2584": {"1/2": {1: 0.9, 2: 0.1}, "1/3": {1: 0.75, 3: 0.25}},
}
"""For each game its spawn tables, the default first: the probability of each tile."""
NAMES = tuple(SPAWNS)
OPTIONS = ("spawn", "placer", "placer_chooses")
SLIDES = ("up", "down", "left", "right")
CELLS = tuple(square_name(row, column) for row in range(SIZE) for column in range(SIZE))

_CELL_INDEX = {name: index for index, name in enumerate(CELLS)}
_LANES: Mapping[str, tuple[tuple[int, ...], ...]] = {
    "up": tuple(tuple(range(column, 16, 4)) for column in range(4)),
    "down": tuple(tuple(range(12 + column, -1, -4)) for column in range(4)),
    "left": tuple(tuple(range(4 * row, 4 * row + 4)) for row in range(4)),
    "right": tuple(tuple(range(4 * row + 3, 4 * row - 1, -1)) for row in range(4)),
}
"""For each slide its four lanes as cell indices, the cell at the wall first."""


def load(name: str, /, **settings: Any) -> TileGame:
    """The game with settings as `rules.load` lists them. ValueError: an unknown option or value."""
    only_known(name, settings, OPTIONS)
    tables = SPAWNS[name]
    return TileGame(
        name,
        one_of("spawn", settings.get("spawn", next(iter(tables))), tables),
        one_of("placer", settings.get("placer", "chance"), ("chance", "player")),
        one_of("placer_chooses", settings.get("placer_chooses", "tile"), ("tile", "cell")),
    )


@lru_cache(maxsize=1 << 16)
def slide_lane(name: str, lane: tuple[int, ...]) -> tuple[tuple[int, ...], int]:
    """The lane after a slide towards its first cell, and the reward."""
    tiles = [tile for tile in lane if tile]
    merged: list[int] = []
    reward = 0
    while tiles:
        tile = tiles.pop(0)
        if tiles and merges(name, tile, tiles[0]):
            tile += tiles.pop(0)
            reward += tile
        merged.append(tile)
    return (*merged, *(0,) * (len(lane) - len(merged))), reward


def merges(name: str, one: int, other: int) -> bool:
    """Whether two tiles of a game merge into their sum."""
    if name == "2048":
        return one == other
    return is_tile(name, one + other) and (one != other or one == 1)


def is_tile(name: str, value: int) -> bool:
    """Whether a game can have a tile of this value."""
    if name == "2048":
        return value >= 2 and value & (value - 1) == 0
    small, large = 1, 2
    while small < value:
        small, large = large, small + large
    return small == value


@dataclass(frozen=True)
class TileGame(Game):
    """The rule set with its settings."""

    decided_by_seed = True
    is_endless = True
    typical_plies = 600
    """Slides and placements of a simple player; good ones last much longer."""
    opening_plies = 0
    """None: each seed is another game."""
    move_pattern = r"up|down|left|right|[a-z]\d+(?:=\d+)?"
    landmarks: ClassVar = {
        "two legal moves": lambda at, before, again: len(at.legal_moves()) == 2,
        "a full board": lambda at, before, again: all(map(all, at.state()["board"])),
    }

    kind: str
    """2048 or 2584."""
    spawn: str
    """The name of a table in SPAWNS."""
    placer: str
    """chance or player."""
    placer_chooses: str
    """tile: a player places a tile in a cell; cell: the cell alone, whose tile is drawn."""

    @property
    def name(self) -> str:
        return self.kind

    @property
    def seats(self) -> int:
        return 2 if self.placer == "player" else 1

    @property
    def variant(self) -> dict[str, Any]:
        return {"spawn": self.spawn, "placer": self.placer, "placer_chooses": self.placer_chooses}

    @property
    def title(self) -> str:
        """As `2048`, `2584, spawn 1/3, tiles placed by a bot`."""
        spawn = "" if self.spawn == next(iter(SPAWNS[self.name])) else f", spawn {self.spawn}"
        return f"{self.name}{spawn}{', tiles placed by a bot' * (self.placer == 'player')}"

    def start(self, seed: int | None = None) -> TilesPosition:
        """Two tiles, both drawn by chance even where a player places the later ones. Raises
        ValueError for a seed that is no integer of at least 0.
        """
        rng = SystemRandom() if seed is None else Random(whole("seed", seed, 0))
        by_chance = TileGame(self.name, self.spawn, "chance", "tile")
        cells = (0,) * len(CELLS)
        for _ in range(2):
            position = TilesPosition(by_chance, cells, 0, CHANCE)
            cells = position.play(draw_chance(position, rng)).cells
        return TilesPosition(self, cells, 0, 0)

    def position(self, state: Mapping[str, Any]) -> TilesPosition:
        """The position of `{"board", "score"}`, with `to_move` (0 when absent) and, when chance
        draws the tile for a cell that seat 1 chose, that `cell`.
        """
        cells = int_rows("board", required(state, "board"), SIZE, SIZE)
        for name, tile in zip(CELLS, cells, strict=True):
            if tile and not is_tile(self.name, tile):
                raise ValueError(f"board: {name} is {tile}, but must be 0 or a tile of {self.name}")
        score = whole("score", required(state, "score"), 0)
        seat = seat_or_null({"to_move": 0, **state}, self.movers)
        if seat is None or seat == 0:
            position = TilesPosition(self, cells, score, 0).settled()
            if seat is None and not position.is_over:
                raise ValueError("to_move is null, but the game is not over: it must be 0")
            return position
        if all(cells):
            raise ValueError(f"to_move is {seat}, but the board has no empty cell")
        cell = None
        if seat == CHANCE and self.seats == 2:
            cell = one_of("cell", required(state, "cell"), CELLS)
            if held := cells[_CELL_INDEX[cell]]:
                raise ValueError(f"cell must be empty, but {cell} holds {held}")
        return TilesPosition(self, cells, score, seat, cell)

    @property
    def movers(self) -> tuple[int, ...]:
        """The values `to_move` can have during the game."""
        if self.placer == "chance":
            return (0, CHANCE)
        return (0, 1) if self.placer_chooses == "tile" else (0, 1, CHANCE)

    @cached_property
    def spawns(self) -> Mapping[int, float]:
        """The probability of each tile that can be placed."""
        return SPAWNS[self.name][self.spawn]

    @cached_property
    def placements(self) -> frozenset[str]:
        """Every move that places a tile, such as `c2=4`."""
        return frozenset(f"{cell}={tile}" for cell in CELLS for tile in self.spawns)

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """Every move of the game, in any position."""
        cells = CELLS if CHANCE in self.movers and self.seats == 2 else ()
        return self.placements.union(SLIDES, cells)


@dataclass(frozen=True)
class TilesPosition(Position):
    """The board, the slider's score, and who moves."""

    game: TileGame
    cells: tuple[int, ...]
    """The 16 tiles row by row; 0 for an empty cell."""
    score: int
    to_move: int | None
    cell: str | None = None
    """The cell seat 1 chose, while chance draws the tile for it."""

    must_pass = False

    def legal_moves(self) -> tuple[str, ...]:
        if self.to_move is None:
            return ()
        if self.to_move == 0:
            return self._slides
        if self._names_cell:
            return self._targets
        return tuple(f"{cell}={tile}" for cell in self._targets for tile in self.game.spawns)

    def play(self, move: str) -> TilesPosition:
        placements = CELLS if self._names_cell else self.game.placements
        if self.to_move is None or move not in (SLIDES if self.to_move == 0 else placements):
            raise self._refusal(move)
        if self.to_move == 0:
            cells, reward = self._slid(move)
            if cells == self.cells:
                raise IllegalMove(f"{move!r} is illegal: the slide changes nothing")
            placer = CHANCE if self.game.placer == "chance" else 1
            return TilesPosition(self.game, cells, self.score + reward, placer)
        cell, _, tile = move.partition("=")
        if self.cell not in (None, cell):
            raise IllegalMove(f"{move!r} is illegal: the tile goes to {self.cell}")
        index = _CELL_INDEX[cell]
        if self.cells[index]:
            raise IllegalMove(f"{move!r} is illegal: {cell} holds {self.cells[index]}")
        if self._names_cell:
            return TilesPosition(self.game, self.cells, self.score, CHANCE, cell)
        cells = (*self.cells[:index], int(tile), *self.cells[index + 1 :])
        return TilesPosition(self.game, cells, self.score, 0).settled()

    def chance(self) -> tuple[tuple[str, float], ...]:
        if self.to_move != CHANCE:
            return ()
        share = 1 / len(self._targets)
        return tuple(
            (f"{cell}={tile}", share * probability)
            for cell in self._targets
            for tile, probability in self.game.spawns.items()
        )

    def scores(self) -> tuple[int, ...]:
        return (self.score, 0)[: self.game.seats]

    def state(self) -> dict[str, Any]:
        board = rows_of(list(self.cells), SIZE)
        cell = {} if self.cell is None else {"cell": self.cell}
        return {"board": board, "score": self.score, "to_move": self.to_move, **cell}

    def __str__(self) -> str:
        rows = [[str(tile or ".") for tile in row] for row in rows_of(list(self.cells), SIZE)]
        turns = {None: "game over", 0: "slider to move", 1: "placer to move"}
        turn = turns.get(self.to_move, f"a tile comes{f' to {self.cell}' if self.cell else ''}")
        return f"{draw_grid(rows)}\n{turn}, score {self.score}"

    def settled(self) -> TilesPosition:
        """The position itself, or the end of the game when no slide changes it."""
        return self if self.legal_moves() else replace(self, to_move=None)

    @cached_property
    def _slides(self) -> tuple[str, ...]:
        """The slides that change the board."""
        return tuple(move for move in SLIDES if self._slid(move)[0] != self.cells)

    @property
    def _names_cell(self) -> bool:
        """Whether the next move is a cell without a tile."""
        return self.to_move == 1 and self.game.placer_chooses == "cell"

    @property
    def _targets(self) -> tuple[str, ...]:
        """The cells the next tile may go to."""
        if self.cell is not None:
            return (self.cell,)
        return tuple(cell for cell, tile in zip(CELLS, self.cells, strict=True) if not tile)

    def _refusal(self, move: str) -> MalformedMove | IllegalMove:
        tiles = " or ".join(map(str, self.game.spawns))
        placement = f"a cell, a1 to d4, with a tile, {tiles}, such as 'c2={min(self.game.spawns)}'"
        due = "a cell alone, a1 to d4" if self._names_cell else placement
        if move not in self.game.vocabulary:
            slides = f"{', '.join(SLIDES[:-1])} or {SLIDES[-1]}"
            wanted = {None: f"{slides}, or {placement}", 0: slides}
            expected = wanted.get(self.to_move, due)
            return MalformedMove(f"{move!r} is not a move of {self.game.name}: expected {expected}")
        why = {None: "the game is over", 0: "it is the slider's turn"}
        reason = why.get(self.to_move, f"a placement is due, {due}")
        return IllegalMove(f"{move!r} is illegal: {reason}")

    def _slid(self, move: str) -> tuple[tuple[int, ...], int]:
        cells = list(self.cells)
        total = 0
        for lane in _LANES[move]:
            slid, reward = slide_lane(self.game.name, tuple([cells[index] for index in lane]))
            total += reward
            for index, tile in zip(lane, slid, strict=True):
                cells[index] = tile
        return tuple(cells), total
