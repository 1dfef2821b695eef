"""A training as it goes on: a block in lines or as CSV, and a screen that renews itself."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Generic, NamedTuple, Protocol, Self, TypeVar

from rich.console import Console, Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from arena.reports.live import duration
from arena.reports.screen import Screen

_BARS = "▁▂▃▄▅▆▇█"
_CURVE_WIDTH, _SHOWN_BLOCKS, _RATE_BLOCKS = 48, 6, 5
"""The width of the curve; how many blocks have a line at least; the speed is that of so many."""
_REACH_WIDTH = 12
_COLOUR = "blue"


class Timed(Protocol):
    """Games played one after the other while the network learned from them."""

    @property
    def games(self) -> int:
        """Games played when it ended, from the first."""

    @property
    def moves(self) -> int:
        """The moves of its games."""

    @property
    def seconds(self) -> float:
        """The time it took."""


_Block = TypeVar("_Block", bound=Timed)
_Told = TypeVar("_Told", bound=Timed, contravariant=True)


class Look(Protocol[_Told]):
    """How the blocks of a game are told."""

    @property
    def measure(self) -> str:
        """What the curve shows."""

    @property
    def headings(self) -> Sequence[str]:
        """Over the cells of `row`."""

    def lines(self, block: _Told) -> list[str]:
        """A block in lines."""

    def csv_header(self) -> str:
        """The columns of `csv_line`."""

    def csv_line(self, block: _Told) -> str:
        """A block in a line of a table."""

    def height(self, block: _Told) -> float:
        """Its point of the curve, not below 0."""

    def figure(self, block: _Told) -> str:
        """The same in words."""

    def row(self, block: _Told) -> Sequence[str]:
        """Its cells in a table on the screen."""

    def detail(self, block: _Told) -> Table | None:
        """More about the last block."""


class Block(Timed, Protocol):
    """Games of 2048 or 2584."""

    @property
    def mean(self) -> float:
        """Its games' mean score."""

    @property
    def best(self) -> int:
        """Its games' best score."""

    @property
    def reached(self) -> Mapping[int, float]:
        """Tile → the share of its games that reached it, from the smallest that one ended with to
        the largest.
        """

    @property
    def ended(self) -> Mapping[int, float]:
        """The same tiles → the share of its games whose largest it was."""


class Plan(NamedTuple):
    """What a training is called, what it does, and how far it is to go."""

    name: str
    about: str
    """What learns, and how, in a line."""
    games: int


def block_lines(block: Block) -> list[str]:
    """A block as the tools of this field print it: a line, and one for each of its tiles."""
    head = (
        f"{block.games:,} games: average {block.mean:,.0f}, maximum {block.best:,}, "
        f"{short(speed(block))} moves/s"
    )
    tiles = sorted(block.reached)
    width = len(str(tiles[-1])) + 4
    return [
        head,
        *(
            f"{tile:>{width}}  reached {100 * block.reached[tile]:5.1f} %"
            f"  ended here {100 * block.ended[tile]:5.1f} %"
            for tile in tiles
        ),
    ]


def csv_header(tiles: Sequence[int]) -> str:
    """The columns of `csv_line`."""
    figures = ("games", "mean", "best", "moves", "seconds", "moves_per_s")
    shares = (f"{what}_{tile}" for what in ("reached", "ended") for tile in tiles)
    return table_line((*figures, *shares))


def csv_line(block: Block, tiles: Sequence[int]) -> str:
    """A block in a line; shares are of 1."""
    figures = (block.games, block.mean, block.best, block.moves)
    times = (round(block.seconds, 6), round(speed(block)))
    smallest = min(block.reached)  # which, and all before it, every game reached
    reached = (block.reached.get(tile, 1.0 if tile < smallest else 0.0) for tile in tiles)
    ended = (block.ended.get(tile, 0.0) for tile in tiles)
    return table_line((*figures, *times, *reached, *ended))


class TileLook:
    """Of 2048 and 2584: scores, and for each of the `tiles` how many games reached it."""

    measure = "average"
    headings = ("games", "average", "maximum", "moves/s")

    def __init__(self, tiles: Sequence[int]) -> None:
        self._tiles = tiles

    def lines(self, block: Block) -> list[str]:
        """A line, and one for each of its tiles."""
        return block_lines(block)

    def csv_header(self) -> str:
        """The columns of `csv_line`."""
        return csv_header(self._tiles)

    def csv_line(self, block: Block) -> str:
        """A block in a line; shares are of 1."""
        return csv_line(block, self._tiles)

    def height(self, block: Block) -> float:
        """The mean score."""
        return block.mean

    def figure(self, block: Block) -> str:
        """The same in words."""
        return f"{block.mean:,.0f}"

    def row(self, block: Block) -> Sequence[str]:
        """Its cells in a table on the screen."""
        return (f"{block.games:,}", f"{block.mean:,.0f}", f"{block.best:,}", short(speed(block)))

    def detail(self, block: Block) -> Table | None:
        """Its tiles."""
        return _tile_table(block)


class LiveTraining(Screen, Generic[_Block]):
    """A screen that renews itself on a terminal, and stays as it ends. A context manager.

    `before` are blocks of earlier runs; `now` tells monotonic seconds.
    """

    def __init__(
        self,
        console: Console,
        plan: Plan,
        look: Look[_Block],
        before: Sequence[_Block],
        now: Callable[[], float],
    ) -> None:
        self._plan, self._look = plan, look
        self._blocks = list(before)
        super().__init__(console, now)

    def show(self, block: _Block) -> None:
        """Show a block that was played."""
        self._blocks.append(block)

    def doing(self, what: str) -> None:
        """Show what is going on until something else does; nothing, with an empty text."""
        self._doing, self._since = what, self._now()
        self._live.refresh()

    def _screen(self) -> RenderableType:
        parts = [screen(self._plan, self._look, self._blocks)] if self._blocks else []
        if self._doing:
            spent = duration(self._now() - self._since)
            self._spinner.update(text=Text(f"{self._doing} · {spent}", style="dim"))
            return Group(*parts, self._spinner)
        return Group(*parts)


class PlainTraining(Generic[_Block]):
    """Lines for logs and pipes. A context manager."""

    def __init__(self, console: Console, look: Look[_Block]) -> None:
        self._console, self._look = console, look

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing is held open."""

    def say(self, line: str) -> None:
        """Print a line."""
        self._console.print(Text(line), soft_wrap=True)

    def show(self, block: _Block) -> None:
        """Print a block that was played."""
        for line in self._look.lines(block):
            self.say(line)

    def doing(self, what: str) -> None:
        """What is going on is worth no line."""


def screen(plan: Plan, look: Look[_Block], blocks: Sequence[_Block]) -> RenderableType:
    """How far the training is, how it went, and more of the last block; of at least one block."""
    done = blocks[-1].games
    progress = Table.grid(padding=(0, 2, 0, 0))
    progress.add_row(
        ProgressBar(
            total=plan.games,
            completed=done,
            width=16,
            complete_style=_COLOUR,
            finished_style=_COLOUR,
        ),
        Text(status(plan, blocks)),
    )
    curve = sparkline([look.height(block) for block in blocks], _CURVE_WIDTH)
    rise = f"{look.figure(blocks[0])} → {look.figure(blocks[-1])}"
    figures = Table.grid(padding=(0, 4, 0, 0))
    detail = look.detail(blocks[-1])
    shown = _SHOWN_BLOCKS if detail is None else max(_SHOWN_BLOCKS, detail.row_count)
    figures.add_row(_last_blocks(look, blocks[-shown:]), detail)
    return Group(
        Text(plan.name, "bold"),
        progress,
        Text(),
        Text.assemble(f"{look.measure}  ", (curve, _COLOUR), f"  {rise}"),
        Text(),
        figures,
    )


def status(plan: Plan, blocks: Sequence[Timed]) -> str:
    """Games played, speed, time left, in a line."""
    last = blocks[-_RATE_BLOCKS:]
    before = blocks[-len(last) - 1].games if len(blocks) > len(last) else 0
    seconds = sum(block.seconds for block in last)
    left = (plan.games - last[-1].games) * seconds / (last[-1].games - before)
    speed = sum(block.moves for block in last) / seconds if seconds else 0.0
    parts = [f"{last[-1].games:,} of {plan.games:,} games", f"{short(speed)} moves/s"]
    return " · ".join([*parts, f"{duration(left)} left"] if left > 0 else parts)


def sparkline(values: Sequence[float], width: int) -> str:
    """The values, none below 0, as bars side by side; `width` means where there are more."""
    count = min(width, len(values))
    edges = [len(values) * at // count for at in range(count + 1)]
    means = [sum(values[begin:end]) / (end - begin) for begin, end in pairwise(edges)]
    top = max(means) or 1.0
    return "".join(_BARS[min(int(mean / top * len(_BARS)), len(_BARS) - 1)] for mean in means)


def _last_blocks(look: Look[_Block], blocks: Sequence[_Block]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in look.headings:
        table.add_column(column, justify="right")
    for block in blocks:
        table.add_row(*look.row(block), style="bold" if block is blocks[-1] else "dim")
    return table


def _tile_table(block: Block) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("tile", "reached", "", "ended here"):
        table.add_column(column, justify="left" if column == "" else "right")
    for tile in sorted(block.reached):
        table.add_row(
            str(tile),
            f"{100 * block.reached[tile]:.1f} %",
            Text("━" * round(_REACH_WIDTH * block.reached[tile]), _COLOUR),
            f"{100 * block.ended[tile]:.1f} %",
        )
    return table


def speed(block: Timed) -> float:
    """Moves a second."""
    return block.moves / block.seconds if block.seconds else 0.0


def short(number: float) -> str:
    """`1.21 M`, `845 k`, `97`."""
    if number >= 999_500:
        return f"{number / 1e6:.2f} M"
    return f"{number / 1e3:.0f} k" if number >= 1000 else f"{number:.0f}"


def table_line(cells: Iterable[object]) -> str:
    """Cells as CSV has them."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerow(cells)
    return text.getvalue()
