"""The learning curve as a picture: how well a network plays, and which tiles it reaches, by games.

Drawn with matplotlib's own objects: no window, no global state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import EngFormatter, PercentFormatter

SUFFIXES = ("png", "svg")

SHOWN_TILES, RARE = 5, 0.01
"""Reach is drawn for so many tiles: the largest that this share of a block's games reached."""

_INK, FAINT, GRID = "#22272e", "#6b7280", "#e5e7eb"
AVERAGE, _MAXIMUM = "#2563eb", "#f59e0b"
_TILES = ("#fdba74", "#fb8b3c", "#e4572e", "#b5305c", "#6a2a8c")
"""From the smallest tile to the largest."""
PEN: dict[str, Any] = {"linewidth": 2, "markersize": 4.5, "clip_on": False}
_MARKED = 40
"""Up to so many blocks each is a dot on its line."""

_STYLE: dict[Any, Any] = {
    "font.size": 10,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": _INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "text.color": _INK,
    "xtick.color": FAINT,
    "ytick.color": FAINT,
    "text.parse_math": False,  # a name may have $ in it
    "svg.fonttype": "none",  # text stays text: it can be searched, and read aloud
    "svg.hashsalt": "arena",  # the same blocks make the same file
}


class Point(Protocol):
    """A block of games as the picture needs it."""

    @property
    def games(self) -> int:
        """Games played when it ended, from the first."""

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


def save_curve(folder: Path, blocks: Sequence[Point], title: str, about: str) -> None:
    """Draw `blocks`, at least one, to curve.png and curve.svg in `folder`, each replaced whole.

    `about` stands under the `title` and says what learns, and how. Raises OSError.
    """
    with styled():
        save_figure(folder, learning_curve(blocks, title, about))


def styled() -> AbstractContextManager[None]:
    """Figures made meanwhile look as ours do."""
    return matplotlib.rc_context(_STYLE)


def save_figure(folder: Path, figure: Figure) -> None:
    """Write a figure to curve.png and curve.svg in `folder`, each as a whole. Raises OSError."""
    for suffix in SUFFIXES:
        path = folder / f"curve.{suffix}"
        partial = path.with_suffix(f".{suffix}.part")
        figure.savefig(partial, format=suffix, dpi=150, metadata=_undated(suffix))
        partial.replace(path)


def learning_curve(blocks: Sequence[Point], title: str, about: str) -> Figure:
    """The average and best score of each block at the left, its reach rates at the right."""
    figure = Figure(figsize=(12, 5.2), layout=ConstrainedLayoutEngine(w_pad=0.15, h_pad=0.12))
    figure.suptitle(title, x=0.012, ha="left", fontsize=16, fontweight="bold")
    figure.supxlabel(about, x=0.012, ha="left", fontsize=9, color=FAINT)
    scores, reach = figure.subplots(1, 2)
    _draw_scores(scores, blocks)
    _draw_reach(reach, blocks)
    for axes in (scores, reach):
        axes.set_xlabel("games")
        axes.set_xlim(0, blocks[-1].games)
        axes.xaxis.set_major_formatter(EngFormatter(sep=""))
        axes.legend(
            title="in the last block",
            loc="upper left",
            bbox_to_anchor=(1.01, 1.02),
            frameon=False,
            alignment="left",
        )
    return figure


def _draw_scores(axes: Axes, blocks: Sequence[Point]) -> None:
    games = [block.games for block in blocks]
    mean, best = [block.mean for block in blocks], [block.best for block in blocks]
    axes.set_title("Score, by block of games", loc="left", fontsize=11)
    axes.set_ylabel("score of a game")
    axes.yaxis.set_major_formatter(EngFormatter(sep=""))
    axes.plot(
        games, mean, drawn_line(blocks), color=AVERAGE, label=f"average {mean[-1]:,.0f}", **PEN
    )
    axes.plot(games, best, ".", color=_MAXIMUM, label=f"maximum {best[-1]:,}", **PEN)
    axes.set_ylim(0)
    axes.fill_between(games, mean, color=AVERAGE, alpha=0.08, linewidth=0)


def _draw_reach(axes: Axes, blocks: Sequence[Point]) -> None:
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


def _share(block: Point, tile: int) -> float:
    """How many games of the block reached the tile."""
    return block.reached.get(tile, 1.0 if tile < min(block.reached) else 0.0)


def drawn_line(blocks: Sequence[object]) -> str:
    """A line, with a dot a block while they are few."""
    return "-o" if len(blocks) <= _MARKED else "-"


def shown_tiles(blocks: Sequence[Point]) -> list[int]:
    """The tiles whose reach is drawn, ascending."""
    tiles = {tile for block in blocks for tile, share in block.reached.items() if share >= RARE}
    return sorted(tiles)[-SHOWN_TILES:]


def _undated(suffix: str) -> dict[str, None]:
    """No time of drawing in the file."""
    return {"Date": None} if suffix == "svg" else {}
