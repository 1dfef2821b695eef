"""Positions as pictures, for environments."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rules.position import Position

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MODES = ("ansi", "rgb_array")
"""How a position is rendered: as text, or as a picture."""
_INCHES, _DPI = 4, 80
"""A picture has 320×320 pixels."""
_SEATS = ("#2f7bbd", "#d98c21")
"""Blue and orange, which colour-blind people distinguish."""


def picture(position: Position) -> npt.NDArray[np.uint8]:
    """The board as uint8[height, width, 3]."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure((_INCHES, _INCHES), _DPI)
    canvas = FigureCanvasAgg(figure)
    axes = figure.add_axes((0.02, 0.02, 0.96, 0.96))
    axes.set_axis_off()
    axes.set_aspect("equal")
    _DRAWINGS[position.game.name](axes, position.state())
    axes.invert_yaxis()
    canvas.draw()  # type: ignore[no-untyped-call]  # matplotlib gives its canvas no types
    return np.asarray(canvas.buffer_rgba())[..., :3].copy()  # type: ignore[no-untyped-call]  # the same


def _othello(axes: "Axes", state: Mapping[str, Any]) -> None:
    from matplotlib.patches import Circle, Rectangle

    for row, cells in enumerate(state["board"]):
        for column, cell in enumerate(cells):
            ground = "#3b3b3b" if cell == "#" else "#2e8b57"
            axes.add_patch(Rectangle((column, row), 1, 1, facecolor=ground, edgecolor="#1d5c39"))
            if cell in "XO":
                disc = "black" if cell == "X" else "white"
                axes.add_patch(Circle((column + 0.5, row + 0.5), 0.4, facecolor=disc))
    axes.autoscale_view()


def _dots(axes: "Axes", state: Mapping[str, Any]) -> None:
    from matplotlib.patches import Rectangle

    for row, owners in enumerate(state["owners"]):
        for column, owner in enumerate(owners):
            if owner != ".":
                axes.add_patch(Rectangle((column, row), 1, 1, facecolor=_SEATS[int(owner)]))
    for row, edges in enumerate(state["horizontal"]):
        for column, drawn in enumerate(edges):
            axes.plot((column, column + 1), (row, row), **_line(drawn))
    for row, edges in enumerate(state["vertical"]):
        for column, drawn in enumerate(edges):
            axes.plot((column, column), (row, row + 1), **_line(drawn))


def _line(drawn: int) -> dict[str, Any]:
    look = {"color": "black", "linewidth": 3} if drawn else {"color": "#dddddd", "linewidth": 1}
    return {
        **look,
        "marker": "o",
        "markersize": 5,
        "markerfacecolor": "black",
        "markeredgewidth": 0,
    }


def _tiles(axes: "Axes", state: Mapping[str, Any]) -> None:
    from matplotlib import colormaps

    board = np.array(state["board"])
    shades = np.where(board > 0, np.log2(np.maximum(board, 1)) + 1, 0) / 18
    axes.imshow(shades, cmap=colormaps["YlOrBr"], vmin=0, vmax=1, origin="lower")
    for (row, column), tile in np.ndenumerate(board):
        if tile:
            colour = "white" if shades[row, column] > 0.5 else "black"
            axes.text(column, row, str(tile), ha="center", va="center", size=16, color=colour)


_DRAWINGS: Mapping[str, Callable[["Axes", Mapping[str, Any]], None]] = {
    "othello": _othello,
    "dots": _dots,
    "2048": _tiles,
    "2584": _tiles,
}
