"""Pictures: what all share, and learning curves: how well a network plays, by games learned from.

Drawn with matplotlib's own objects: no window, no global state.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from textwrap import fill
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import EngFormatter, PercentFormatter

from arena.files.whole_file import replacing
from players.learning import PICTURE_FORMATS, picture_files
from players.learning.games.trainer import GameBlock
from players.learning.tiles.trainer import TileBlock

INK, FAINT, GRID, LINE = "#22272e", "#6b7280", "#e5e7eb", "#2563eb"
PEN: dict[str, Any] = {"linewidth": 2, "markersize": 4.5, "clip_on": False}

_LETTERS = 108
"""In an inch of text, at a size of one point."""

SHOWN_TILES, RARE = 5, 0.01
"""Reach is drawn for that many tiles: the largest that this share of a block's games reached."""

_MAXIMUM = "#f59e0b"
_TILES = ("#fdba74", "#fb8b3c", "#e4572e", "#b5305c", "#6a2a8c")
"""From the smallest tile to the largest."""
_MARKED = 40
"""Up to that many blocks each is a dot on its line."""

STYLE: dict[Any, Any] = {
    "font.size": 10,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "text.color": INK,
    "xtick.color": FAINT,
    "ytick.color": FAINT,
    "text.parse_math": False,  # a name may have $ in it
    "svg.fonttype": "none",  # text stays text: it can be searched, and read aloud
    "svg.hashsalt": "arena",  # the same run makes the same file
}


def new_figure(width: float, height: float, title: str, about: str, *, size: float = 8) -> Figure:
    """An empty figure under its title, `about` below it in letters of that size."""
    figure = Figure(figsize=(width, height), layout=ConstrainedLayoutEngine(w_pad=0.15, h_pad=0.12))
    title, about = _wrapped(title, width, 16), _wrapped(about, width, size)
    figure.suptitle(title, x=0.012, ha="left", fontsize=16, fontweight="bold")
    figure.supxlabel(about, x=0.012, ha="left", fontsize=size, color=FAINT)
    return figure


def _wrapped(text: str, inches: float, size: float) -> str:
    letters = int(inches * _LETTERS / size)
    return "\n".join(fill(line, letters) for line in text.splitlines())


def begin_panel(
    axes: Axes, games: int, title: str, ylabel: str = "", *, shares: bool = False
) -> None:
    """Label a panel of what is drawn by games, up to that many; `shares` are of 1, in percent."""
    axes.set_title(title, loc="left", fontsize=11)
    axes.set(xlabel="games", ylabel=ylabel, xlim=(0, games))
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    axes.grid(True)
    if shares:
        axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
        axes.set_ylim(0, 1)


def save_figure(folder: Path, name: str, draw: Callable[[], Figure]) -> None:
    """Write a figure of our look to its files, each as a whole. Raises OSError."""
    with matplotlib.rc_context(STYLE):
        figure = draw()
        for form, file_name in zip(PICTURE_FORMATS, picture_files(name), strict=True):
            undated = {"Date": None} if form == "svg" else {}
            with replacing(folder / file_name, "wb") as file:
                figure.savefig(file, format=form, dpi=150, metadata=undated)
            figure.set_layout_engine("none")  # once: it takes a third of the time


def tile_curve(blocks: Sequence[TileBlock], title: str, about: str) -> Figure:
    """The average and best score of each block at the left, its reach rates at the right."""
    figure = new_figure(12, 5.2, title, about, size=9)
    scores, reach = figure.subplots(1, 2)
    games, line = [block.games for block in blocks], _line(blocks)
    mean, best = [block.mean for block in blocks], [block.best for block in blocks]
    begin_panel(scores, games[-1], "Score, by block of games", "score of a game")
    scores.yaxis.set_major_formatter(EngFormatter(sep=""))
    scores.plot(games, mean, line, color=LINE, label=f"average {mean[-1]:,.0f}", **PEN)
    scores.plot(games, best, ".", color=_MAXIMUM, label=f"maximum {best[-1]:,}", **PEN)
    scores.set_ylim(0)
    scores.fill_between(games, mean, color=LINE, alpha=0.08, linewidth=0)
    of_games = "share of the block's games"
    begin_panel(reach, games[-1], "Games that reached a tile", of_games, shares=True)
    tiles = shown_tiles(blocks)
    for tile, colour in zip(tiles, _TILES[-len(tiles) :], strict=True):
        shares = [block.reach(tile) for block in blocks]
        label = f"{tile}:  {100 * shares[-1]:.1f}%"
        reach.plot(games, shares, line, color=colour, label=label, **PEN)
    for axes in (scores, reach):
        place: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.02)}
        axes.legend(title="in the last block", frameon=False, alignment="left", **place)
    return figure


def game_curve(
    blocks: Sequence[GameBlock], title: str, about: str, yardstick: str, unit: str
) -> Figure:
    """The points of each block's games against the yardstick at the left, margins at the right."""
    figure = new_figure(12, 5.2, title, about, size=9)
    points, margins = figure.subplots(1, 2)
    games, line = [block.games for block in blocks], _line(blocks)
    scores, won_by = [block.score for block in blocks], [block.margin for block in blocks]
    against = f"Points against {yardstick}"
    begin_panel(points, games[-1], against, "share of the points", shares=True)
    points.plot(games, scores, line, color=LINE, **PEN)
    won = f"Won by: {won_by[-1]:+.1f} in the last block"
    begin_panel(margins, games[-1], won, f"{unit} a game")
    margins.axhline(0, color=GRID, linewidth=1.5)
    margins.plot(games, won_by, line, color=LINE, **PEN)
    return figure


def _line(blocks: Sequence[object]) -> str:
    return "-o" if len(blocks) <= _MARKED else "-"


def shown_tiles(blocks: Sequence[TileBlock]) -> list[int]:
    """The tiles whose reach is drawn, ascending."""
    tiles = {tile for block in blocks for tile, share in block.reached.items() if share >= RARE}
    return sorted(tiles)[-SHOWN_TILES:]
