"""What all pictures share: the look, the heading, and files that are replaced whole.

Drawn with matplotlib's own objects: no window, no global state.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import EngFormatter

SUFFIXES = ("png", "svg")

INK, FAINT, GRID, LINE = "#22272e", "#6b7280", "#e5e7eb", "#2563eb"
PEN: dict[str, Any] = {"linewidth": 2, "markersize": 4.5, "clip_on": False}

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
