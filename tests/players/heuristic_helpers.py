"""The heuristic of 2048 and 2584 once more, in plain Python, and positions to compare it on."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import log
from random import Random
from typing import Any

import rules
from players.games.tiles.boards import TileBoard
from players.games.tiles.heuristic import make_heuristic
from players.heuristic import EMPTY, LARGEST, MONOTONICITY, SMOOTHNESS
from rules.position import draw_chance
from rules.tiles import SPAWNS, TilesPosition

WEIGHTS = (SMOOTHNESS, MONOTONICITY, EMPTY, LARGEST)
Cells = tuple[int, ...]
LOST = -1e9


class Plain:
    """The heuristic once more, in plain Python and as its definitions say."""

    def __init__(self, name: str, spawn: str, weights: Sequence[float] = WEIGHTS) -> None:
        self.game = rules.load(name, spawn=spawn)
        self.board = TileBoard(name, spawn)
        self.weights = weights
        self.tiles = tuple(SPAWNS[name][spawn])

    def lines(self, cells: Cells) -> tuple[list[list[int]], list[list[int]]]:
        """Rows and columns of indices."""
        indices = [self.board.values.index(tile) for tile in cells]
        return [indices[4 * r : 4 * r + 4] for r in range(4)], [indices[c::4] for c in range(4)]

    def smoothness(self, cells: Cells) -> int:
        rows, columns = self.lines(cells)
        kept = ([tile for tile in line if tile] for line in rows + columns)
        return -sum(abs(one - other) for line in kept for one, other in pairwise(line))

    def monotonicity(self, cells: Cells) -> int:
        total = 0
        for lines in self.lines(cells):
            up = down = 0
            for line in lines:
                kept = [tile for at, tile in enumerate(line) if tile or at in (0, 3)]
                up += sum(max(other - one, 0) for one, other in pairwise(kept))
                down += sum(max(one - other, 0) for one, other in pairwise(kept))
            total -= min(up, down)
        return total

    def islands(self, cells: Cells) -> int:
        left, count = {at for at, tile in enumerate(cells) if tile}, 0
        while left:
            count += 1
            group = [left.pop()]
            for at in group:
                for beside in (
                    at - 4,
                    at + 4,
                    *(at - 1,) * (at % 4 > 0),
                    *(at + 1,) * (at % 4 < 3),
                ):
                    if beside in left and cells[beside] == cells[at]:
                        left.remove(beside)
                        group.append(beside)
        return count

    def value(self, cells: Cells) -> float:
        smooth, monotone, empty, largest = self.weights
        return (
            smooth * self.smoothness(cells)
            + monotone * self.monotonicity(cells)
            + empty * log(cells.count(0) or 1)
            + largest * self.board.values.index(max(cells))
        )

    def annoying(self, cells: Cells) -> set[tuple[int, int]]:
        """The placements (cell, tile) that annoy most."""
        annoyance = {}
        for at in (at for at, tile in enumerate(cells) if not tile):
            for tile in self.tiles:
                after = (*cells[:at], tile, *cells[at + 1 :])
                annoyance[at, tile] = self.islands(after) - self.smoothness(after)
        return {each for each, much in annoyance.items() if much == max(annoyance.values())}

    def slider(self, cells: Cells, depth: int, ply: int = 0) -> float:
        """What the slider to move reaches, that many slides ahead."""
        afters = self.slides(cells)
        return max((self.placer(each, depth - 1, ply + 1) for each in afters), default=LOST + ply)

    def placer(self, cells: Cells, depth: int, ply: int = 0) -> float:
        """What the placer to move leaves the slider."""
        if depth == 0:
            return self.value(cells)
        return min(
            self.slider((*cells[:at], tile, *cells[at + 1 :]), depth, ply + 1)
            for at, tile in self.annoying(cells)
        )

    def slides(self, cells: Cells) -> list[Cells]:
        position = TilesPosition(self.game, cells, 0, 0)
        return [position.play(move).cells for move in position.legal_moves()]

    def heuristic(self) -> Any:
        return make_heuristic(self.board, *self.weights)


def random_weights(seed: int) -> list[float]:
    rng = Random(seed)
    return [rng.uniform(-3, 3) for _ in WEIGHTS]


def game_boards(plain: Plain, seed: int, every: int = 25) -> Iterable[TilesPosition]:
    """Positions of a game of random slides, the last one before the end among them."""
    rng, position, ply = Random(seed), plain.game.start(seed), 0
    while True:
        after = position.play(rng.choice(position.legal_moves()))
        after = after.play(draw_chance(after, rng))
        if after.is_over or ply % every == 0:
            yield position
        if after.is_over:
            return
        position, ply = after, ply + 1
