"""Tables on a terminal, each column whole: where there is no room for all, some are left out."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import ceil
from typing import Any

from rich import box
from rich.cells import cell_len, set_cell_size
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Column, Table
from rich.text import Text

_NAMES = ("Player", "Opponent")
"""Columns of names: cut rather than wrapped, to this many characters where room is short."""
_NAME_WIDTH = 24
_LEAST_NAME = 8
"""Characters of a name that are shown however narrow the screen is."""
_WORDS = ("Counted by", "Forfeits", "Ending")
"""Columns that may be wrapped, at words, where they have this many characters."""
_TEXT_WIDTH = 28
_IDS = "Game"
"""A column that is wrapped anywhere and never cut: no command takes a part of an id."""
_LEFT = ("Side", "Result")
_LEFT_OUT_FIRST = (
    "LOS", "D", "p99 ms", "Moves", "s a game", "Slides a game", "Best", "W", "L", "Won",
    "Difference", "Moving second", "Moving first", "Side", "Plies", "Slowest ms", "Longest ms",
    "Random", "Games", "Result", "±",
)  # fmt: skip
"""Where a table is too wide, the columns that are left out, in this order."""
_MOST_ROWS = 200
"""Rows of a table that is drawn; a longer one is a plain list."""
_GAP = 2
"""Between two columns."""
_LOOK: dict[str, Any] = {
    "box": box.SIMPLE_HEAD, "pad_edge": False, "padding": (0, 1, 0, 0), "show_edge": False
}  # fmt: skip


class FittingTable(Table):
    """A table that leaves columns out where it would be too wide."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """As many of its columns as there is room for, and names whole where there is."""
        longest = [_longest(column, console, options) for column in self.columns]
        whole = (replace(column, max_width=None) for column in self.columns)
        columns = list(zip(whole, longest, strict=True))
        if _total(columns) > options.max_width:
            columns = list(zip(self.columns, map(_width, self.columns, longest), strict=True))
        for name in _LEFT_OUT_FIRST:
            if _total(columns) <= options.max_width:
                break
            columns = [each for each in columns if each[0].header != name]
        columns = _with_short_names(columns, _total(columns) - options.max_width)
        ids = (each for each in columns if each[0].header == _IDS)
        cut = any(width < _longest(column, console, options) for column, width in ids)
        if self.row_count > _MOST_ROWS and not cut:
            yield _listed(columns)
            return
        table = Table(*(column.copy() for column, _ in columns), **_LOOK)
        for row in zip(*(column.cells for column, _ in columns), strict=True):
            table.add_row(*row)
        yield from console.render(table, options)


def _with_short_names(
    columns: Sequence[tuple[Column, int]], excess: int
) -> list[tuple[Column, int]]:
    """The columns with names shortened by the excess: else rich would take it from the ids."""
    names = sum(column.max_width is not None for column, _ in columns)
    if excess <= 0 or not names:
        return list(columns)
    most = max(_LEAST_NAME, _NAME_WIDTH - ceil(excess / names))
    return [
        (column, width)
        if column.max_width is None
        else (replace(column, max_width=most), min(width, most))
        for column, width in columns
    ]


def _listed(columns: Sequence[tuple[Column, int]]) -> Text:
    """The table in one text: rich takes a second for a thousand rows."""
    rows = zip(
        *([str(column.header), *map(str, column.cells)] for column, _ in columns), strict=True
    )
    lines = [
        "".join(_padded(cell, *each) for cell, each in zip(row, columns, strict=True))
        for row in rows
    ]
    lines.insert(1, "─" * (sum(width + _GAP for _, width in columns) - _GAP))
    return Text("\n".join(map(str.rstrip, lines)), no_wrap=True, overflow="ignore")


def _padded(cell: str, column: Column, width: int) -> str:
    if column.justify == "right":
        cell = " " * (width - cell_len(cell)) + cell
    return set_cell_size(cell, width) + " " * _GAP


def _total(columns: Sequence[tuple[Column, int]]) -> int:
    return sum(width + _GAP for _, width in columns) - _GAP


def _longest(column: Column, console: Console, options: ConsoleOptions) -> int:
    """The room that a column takes where none of its lines is cut or wrapped."""
    cells = (column.header, *column.cells)
    if len(cells) > _MOST_ROWS:
        return max(cell_len(str(cell)) for cell in cells)
    return max(Measurement.get(console, options, cell).maximum for cell in cells)


def _width(column: Column, longest: int) -> int:
    """The room that a column needs at least."""
    return min(longest, column.max_width or longest if column.no_wrap else _TEXT_WIDTH)


def new_table(*columns: str) -> Table:
    """A table without rows; figures stand to the right."""
    table = FittingTable()
    for name in columns:
        if name in _NAMES:
            table.add_column(name, overflow="ellipsis", no_wrap=True, max_width=_NAME_WIDTH)
        elif name in _WORDS:
            table.add_column(name)
        elif name == _IDS:
            table.add_column(name, overflow="fold")
        else:
            table.add_column(name, justify="left" if name in _LEFT else "right", no_wrap=True)
    return table


def titled(title: str, table: Table) -> RenderableType:
    """The title stands above the table, so that a narrow table does not wrap it."""
    return Group(Text(), Text(title, style="bold cyan"), table)


def paragraphs(lines: Iterable[str]) -> Iterator[RenderableType]:
    """The lines under an empty one; nothing where there are none."""
    if texts := [Text(line) for line in lines]:
        yield Group(Text(), *texts)


def and_more(rows: int, table: Table) -> Iterator[Text]:
    """How many rows a table that was cut does not show."""
    if rows > table.row_count:
        yield Text(f"and {rows - table.row_count} more", style="dim")
