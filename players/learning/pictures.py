"""Pictures: what all share, and learning curves: how well a network plays, by games learned from.

Drawn with matplotlib's own objects: no window, no global state.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import EngFormatter, PercentFormatter

from players.learning.games.trainer import GameBlock
from players.learning.tiles.trainer import TileBlock

SUFFIXES = ("png", "svg")

INK, FAINT, GRID, LINE = "#22272e", "#6b7280", "#e5e7eb", "#2563eb"
PEN: dict[str, Any] = {"linewidth": 2, "markersize": 4.5, "clip_on": False}

CURVE = "curve"
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
    figure.suptitle(title, x=0.012, ha="left", fontsize=16, fontweight="bold")
    figure.supxlabel(about, x=0.012, ha="left", fontsize=size, color=FAINT)
    return figure


def by_games(axes: Axes, games: int) -> None:
    """What is drawn goes from the first game to the last of that many."""
    axes.set_xlabel("games")
    axes.set_xlim(0, games)
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    axes.grid(True)


def save_figure(folder: Path, name: str, draw: Callable[[], Figure]) -> None:
    """Write a figure of our look to NAME.png and NAME.svg in `folder`, each as a whole. Raises
    OSError.
    """
    with matplotlib.rc_context(STYLE):
        figure = draw()
        for suffix in SUFFIXES:
            path = folder / f"{name}.{suffix}"
            partial = path.with_suffix(f".{suffix}.part")
            undated = {"Date": None} if suffix == "svg" else {}
            figure.savefig(partial, format=suffix, dpi=150, metadata=undated)
            partial.replace(path)


def tile_curve(blocks: Sequence[TileBlock], title: str, about: str) -> Figure:
    """The average and best score of each block at the left, its reach rates at the right."""
    figure = new_figure(12, 5.2, title, about, size=9)
    scores, reach = figure.subplots(1, 2)
    _draw_scores(scores, blocks)
    _draw_reach(reach, blocks)
    for axes in (scores, reach):
        by_games(axes, blocks[-1].games)
        axes.legend(
            title="in the last block",
            loc="upper left",
            bbox_to_anchor=(1.01, 1.02),
            frameon=False,
            alignment="left",
        )
    return figure


def game_curve(
    blocks: Sequence[GameBlock], title: str, about: str, yardstick: str, unit: str
) -> Figure:
    """The points of each block's games against the yardstick at the left, margins at the right."""
    figure = new_figure(12, 5.2, title, about, size=9)
    points, margins = figure.subplots(1, 2)
    games = [block.games for block in blocks]
    scores, won_by = [block.score for block in blocks], [block.margin for block in blocks]
    points.set_title(f"Points against {yardstick}", loc="left", fontsize=11)
    points.set_ylabel("share of the points")
    points.yaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
    points.set_ylim(0, 1)
    points.plot(games, scores, drawn_line(blocks), color=LINE, **PEN)
    margins.set_title(f"Won by: {won_by[-1]:+.1f} in the last block", loc="left", fontsize=11)
    margins.set_ylabel(f"{unit} a game")
    margins.axhline(0, color=GRID, linewidth=1.5)
    margins.plot(games, won_by, drawn_line(blocks), color=LINE, **PEN)
    for axes in (points, margins):
        by_games(axes, blocks[-1].games)
    return figure


def _draw_scores(axes: Axes, blocks: Sequence[TileBlock]) -> None:
    games = [block.games for block in blocks]
    mean, best = [block.mean for block in blocks], [block.best for block in blocks]
    axes.set_title("Score, by block of games", loc="left", fontsize=11)
    axes.set_ylabel("score of a game")
    axes.yaxis.set_major_formatter(EngFormatter(sep=""))
    axes.plot(games, mean, drawn_line(blocks), color=LINE, label=f"average {mean[-1]:,.0f}", **PEN)
    axes.plot(games, best, ".", color=_MAXIMUM, label=f"maximum {best[-1]:,}", **PEN)
    axes.set_ylim(0)
    axes.fill_between(games, mean, color=LINE, alpha=0.08, linewidth=0)


def _draw_reach(axes: Axes, blocks: Sequence[TileBlock]) -> None:
    games = [block.games for block in blocks]
    axes.set_title("Games that reached a tile", loc="left", fontsize=11)
    axes.set_ylabel("share of the block's games")
    axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
    axes.set_ylim(0, 1)
    tiles = shown_tiles(blocks)
    for tile, colour in zip(tiles, _TILES[-len(tiles) :], strict=True):
        shares = [_share(block, tile) for block in blocks]
        label = f"{tile}:  {100 * shares[-1]:.1f} %"
        axes.plot(games, shares, drawn_line(blocks), color=colour, label=label, **PEN)


def _share(block: TileBlock, tile: int) -> float:
    return block.reached.get(tile, 1.0 if tile < min(block.reached) else 0.0)


def drawn_line(blocks: Sequence[object]) -> str:
    """A line, with a dot a block while they are few."""
    return "-o" if len(blocks) <= _MARKED else "-"


def shown_tiles(blocks: Sequence[TileBlock]) -> list[int]:
    """The tiles whose reach is drawn, ascending."""
    tiles = {tile for block in blocks for tile, share in block.reached.items() if share >= RARE}
    return sorted(tiles)[-SHOWN_TILES:]
