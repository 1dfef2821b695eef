"""The learning curve of Othello and dots as a picture: points and margins against the yardstick."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import EngFormatter, PercentFormatter

from players.learning.curve import AVERAGE, FAINT, GRID, PEN, drawn_line, save_figure, styled


class Point(Protocol):
    """A block of games as the picture needs it."""

    @property
    def games(self) -> int:
        """Games played when it ended, from the first."""

    @property
    def score(self) -> float:
        """The share of points against the yardstick, 0 to 1."""

    @property
    def margin(self) -> float:
        """By how much these games were won, on average."""


def save_curve(
    folder: Path, blocks: Sequence[Point], title: str, about: str, yardstick: str, unit: str
) -> None:
    """Draw `blocks`, at least one, to curve.png and curve.svg in `folder`, each replaced whole.

    `about` stands under the `title`; margins are in discs or boxes, the `unit`. Raises OSError.
    """
    with styled():
        save_figure(folder, learning_curve(blocks, title, about, yardstick, unit))


def learning_curve(
    blocks: Sequence[Point], title: str, about: str, yardstick: str, unit: str
) -> Figure:
    """The points of each block's games against the yardstick at the left, margins at the right."""
    figure = Figure(figsize=(12, 5.2), layout=ConstrainedLayoutEngine(w_pad=0.15, h_pad=0.12))
    figure.suptitle(title, x=0.012, ha="left", fontsize=16, fontweight="bold")
    figure.supxlabel(about, x=0.012, ha="left", fontsize=9, color=FAINT)
    points, margins = figure.subplots(1, 2)
    games = [block.games for block in blocks]
    scores, won_by = [block.score for block in blocks], [block.margin for block in blocks]
    points.set_title(f"Points against {yardstick}", loc="left", fontsize=11)
    points.set_ylabel("share of the points")
    points.yaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
    points.set_ylim(0, 1)
    points.plot(games, scores, drawn_line(blocks), color=AVERAGE, **PEN)
    margins.set_title(f"Won by: {won_by[-1]:+.1f} in the last block", loc="left", fontsize=11)
    margins.set_ylabel(f"{unit} a game")
    margins.axhline(0, color=GRID, linewidth=1.5)
    margins.plot(games, won_by, drawn_line(blocks), color=AVERAGE, **PEN)
    for axes in (points, margins):
        axes.set_xlabel("games")
        axes.set_xlim(0, blocks[-1].games)
        axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    return figure
