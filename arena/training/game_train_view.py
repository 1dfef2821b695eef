"""A training at Othello or dots as it goes on: each block's games against a yardstick."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rich.table import Table

from arena.training.train_view import Timed, short, speed, table_line


class GameBlock(Timed, Protocol):
    """Games, and what the network took of the yardstick after them."""

    @property
    def score(self) -> float:
        """The share of points, 0 to 1."""

    @property
    def margin(self) -> float:
        """By how much it won, on average."""


class GameLook:
    """Points and margins against the `yardstick`, in discs or boxes, the `unit`."""

    headings = ("games", "points", "margin", "moves/s")

    def __init__(self, yardstick: str, unit: str) -> None:
        self.measure = f"against {yardstick}"
        self._unit = unit

    def lines(self, block: GameBlock) -> list[str]:
        """A block in a line."""
        return [
            f"{block.games:,} games: {self.figure(block)} of the points {self.measure}, "
            f"{block.margin:+.1f} {self._unit} a game"
        ]

    def csv_header(self) -> str:
        """The columns of `csv_line`."""
        return table_line(("games", "score", "margin", "moves", "seconds", "moves_per_s"))

    def csv_line(self, block: GameBlock) -> str:
        """A block in a line; the score is of 1."""
        times = (block.moves, round(block.seconds, 6), round(speed(block)))
        return table_line((block.games, block.score, block.margin, *times))

    def height(self, block: GameBlock) -> float:
        """The share of points."""
        return block.score

    def figure(self, block: GameBlock) -> str:
        """The same in words."""
        return f"{100 * block.score:.1f} %"

    def row(self, block: GameBlock) -> Sequence[str]:
        """Its cells in a table on the screen."""
        return (
            f"{block.games:,}",
            self.figure(block),
            f"{block.margin:+.1f}",
            short(speed(block)),
        )

    def detail(self, block: GameBlock) -> Table | None:
        """There is no more."""
        return None
