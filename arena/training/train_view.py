"""A training as it goes on: a block in lines or as CSV, and a screen that renews itself."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Generic, TypeVar

from rich.console import Console, Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from arena.reports.html.charts import short
from arena.reports.screen import Lines, Screen
from arena.reports.words import duration
from players.learning.games.trainer import GameBlock
from players.learning.tiles.trainer import TileBlock

BARS = "▁▂▃▄▅▆▇█"
_CURVE_WIDTH, _SHOWN_BLOCKS, _RATE_BLOCKS = 48, 6, 5
"""The width of the curve; the fewest blocks with a line; the last blocks, which give the speed."""
_REACH_WIDTH = 12
_UNBOUNDED = 1000
"""The columns of a console that cuts no table."""
_COLOUR = "blue"

Block = TypeVar("Block", bound=GameBlock | TileBlock)


class BlockView(ABC, Generic[Block]):
    """How the blocks of a training are shown."""

    measure: str
    """The figure of the curve."""
    headings: Sequence[str]
    """Over the cells of `row`."""
    columns: Sequence[str]
    """The columns of the table in CSV."""

    @abstractmethod
    def lines(self, block: Block) -> list[str]:
        """A block in lines."""

    @abstractmethod
    def cells(self, block: Block) -> Sequence[object]:
        """A block under the `columns`; shares are of 1."""

    @abstractmethod
    def height(self, block: Block) -> float:
        """The point of a block on the curve, not below 0."""

    @abstractmethod
    def figure(self, block: Block) -> str:
        """The point of a block on the curve, in words."""

    @abstractmethod
    def row(self, block: Block) -> Sequence[str]:
        """The cells of a block in a table on the screen."""

    def detail(self, block: Block) -> Table | None:
        return None


class TileBlockView(BlockView[TileBlock]):
    """2048 and 2584: scores, and for each of the `tiles` how many games reached it."""

    measure = "average"
    headings = ("games", "average", "maximum", "moves/s")

    def __init__(self, tiles: Sequence[int]) -> None:
        self._tiles = tiles
        shares = (f"{what}_{tile}" for what in ("reached", "ended") for tile in tiles)
        self.columns = ("games", "mean", "best", "moves", "seconds", "moves_per_s", *shares)

    def lines(self, block: TileBlock) -> list[str]:
        tiles = sorted(block.reached)
        width = len(str(tiles[-1])) + 4
        return [
            f"{block.games:,} games: average {block.mean:,.0f}, maximum {block.best:,}, "
            f"{short(speed(block))} moves/s",
            *(
                f"{tile:>{width}}  reached {100 * block.reached[tile]:5.1f}%"
                f"  ended here {100 * block.ended[tile]:5.1f}%"
                for tile in tiles
            ),
        ]

    def cells(self, block: TileBlock) -> Sequence[object]:
        reached = map(block.reach, self._tiles)
        ended = (block.ended.get(tile, 0.0) for tile in self._tiles)
        return (block.games, block.mean, block.best, *_times(block), *reached, *ended)

    def height(self, block: TileBlock) -> float:
        return block.mean

    def figure(self, block: TileBlock) -> str:
        return f"{block.mean:,.0f}"

    def row(self, block: TileBlock) -> Sequence[str]:
        return (f"{block.games:,}", f"{block.mean:,.0f}", f"{block.best:,}", short(speed(block)))

    def detail(self, block: TileBlock) -> Table:
        table = _table(("tile", "reached", "", "ended here"))
        table.columns[2].justify = "left"
        for tile in sorted(block.reached):
            table.add_row(
                str(tile),
                f"{100 * block.reached[tile]:.1f}%",
                Text("━" * round(_REACH_WIDTH * block.reached[tile]), _COLOUR),
                f"{100 * block.ended[tile]:.1f}%",
            )
        return table


class GameBlockView(BlockView[GameBlock]):
    """Othello and dots: points and margins against the `yardstick`, in discs or boxes (`unit`)."""

    headings = ("games", "points", "margin", "moves/s")
    columns = ("games", "score", "margin", "moves", "seconds", "moves_per_s")

    def __init__(self, yardstick: str, unit: str) -> None:
        self.measure = f"against {yardstick}"
        self._unit = unit

    def lines(self, block: GameBlock) -> list[str]:
        return [
            f"{block.games:,} games: {self.figure(block)} of the points {self.measure}, "
            f"{block.margin:+.1f} {self._unit} a game"
        ]

    def cells(self, block: GameBlock) -> Sequence[object]:
        return (block.games, block.score, block.margin, *_times(block))

    def height(self, block: GameBlock) -> float:
        return block.score

    def figure(self, block: GameBlock) -> str:
        return f"{100 * block.score:.1f}%"

    def row(self, block: GameBlock) -> Sequence[str]:
        margin = f"{block.margin:+.1f}"
        return (f"{block.games:,}", self.figure(block), margin, short(speed(block)))


class LiveTraining(Screen, Generic[Block]):
    """A training on a terminal, as far as `games`; `before` are blocks of earlier runs."""

    def __init__(
        self,
        console: Console,
        name: str,
        games: int,
        view: BlockView[Block],
        before: Sequence[Block],
        now: Callable[[], float],
    ) -> None:
        self._console, self._name, self._games, self._view = console, name, games, view
        self._blocks = list(before)
        super().__init__(console, now)

    def show(self, block: Block) -> None:
        self._blocks.append(block)

    def _screen(self) -> RenderableType:
        if not self._blocks:
            return Group(*self._activity())
        view, blocks, colour = self._view, self._blocks, _COLOUR
        progress = Table.grid(padding=(0, 2, 0, 0))
        bar = ProgressBar(self._games, blocks[-1].games, 16)
        bar.complete_style = bar.finished_style = colour
        progress.add_row(bar, Text(status(self._games, blocks)))
        curve = sparkline([view.height(block) for block in blocks], _CURVE_WIDTH)
        rise = f"{view.figure(blocks[0])} → {view.figure(blocks[-1])}"
        figures: list[RenderableType] = [self._rows(_SHOWN_BLOCKS)]
        if (detail := view.detail(blocks[-1])) is not None:
            figures += [Text(), detail]
            side_by_side = Table.grid(padding=(0, 4, 0, 0))
            side_by_side.add_row(self._rows(max(_SHOWN_BLOCKS, detail.row_count)), detail)
            unbounded = self._console.options.update(width=_UNBOUNDED)
            needed = self._console.measure(side_by_side, options=unbounded).maximum
            if needed <= self._console.width:
                figures = [side_by_side]
        way = Text.assemble(f"{view.measure}  ", (curve, colour), f"  {rise}")
        title = Text(self._name, "bold")
        return Group(title, progress, Text(), way, Text(), *figures, *self._activity())

    def _rows(self, count: int) -> Table:
        """The last blocks, one a row."""
        rows = _table(self._view.headings)
        for block in self._blocks[-count:]:
            rows.add_row(
                *self._view.row(block), style="bold" if block is self._blocks[-1] else "dim"
            )
        return rows


class PlainTraining(Lines, Generic[Block]):
    def __init__(self, console: Console, view: BlockView[Block]) -> None:
        super().__init__(console)
        self._view = view

    def show(self, block: Block) -> None:
        for line in self._view.lines(block):
            self.say(line)


def status(games: int, blocks: Sequence[GameBlock | TileBlock]) -> str:
    """Games played, speed, time left, in a line."""
    last = blocks[-_RATE_BLOCKS:]
    before = blocks[-len(last) - 1].games if len(blocks) > len(last) else 0
    seconds = sum(block.seconds for block in last)
    left = (games - last[-1].games) * seconds / (last[-1].games - before)
    rate = sum(block.moves for block in last) / seconds if seconds else 0.0
    parts = [f"{last[-1].games:,} of {games:,} games", f"{short(rate)} moves/s"]
    return " · ".join([*parts, f"{duration(left)} left"] if left > 0 else parts)


def sparkline(values: Sequence[float], width: int) -> str:
    """The values, none below 0, as bars side by side; `width` means where there are more."""
    count = min(width, len(values))
    edges = [len(values) * at // count for at in range(count + 1)]
    means = [sum(values[begin:end]) / (end - begin) for begin, end in pairwise(edges)]
    top = max(means) or 1.0
    return "".join(BARS[min(int(mean / top * len(BARS)), len(BARS) - 1)] for mean in means)


def _table(columns: Sequence[str]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in columns:
        table.add_column(column, justify="right")
    return table


def _times(block: GameBlock | TileBlock) -> tuple[int, float, int]:
    return block.moves, round(block.seconds, 6), round(speed(block))


def speed(block: GameBlock | TileBlock) -> float:
    return block.moves / block.seconds if block.seconds else 0.0
