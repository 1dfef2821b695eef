"""A tuning in pictures: every parameter over games, and the board as a heat map."""

from collections.abc import Sequence
from operator import itemgetter
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import Colormap, LinearSegmentedColormap, TwoSlopeNorm
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from players.learning.pictures import FAINT, GRID, INK, LINE, begin_panel, new_figure
from players.learning.tuning.space import Space, Vector
from players.learning.tuning.tuner import StartComparison, TuningPoint
from players.option_files import seat_names

_LABELLED = 24
"""Up to that many lines have their names next to them."""

_SHOWN = 0.0005
"""Weights that differ by less look the same."""


def parameter_figure(
    space: Space,
    points: Sequence[TuningPoint],
    comparisons: Sequence[StartComparison],
    title: str,
    about: str,
) -> Figure:
    """A panel for each option, one for each side's weights, and one for the score."""
    options = len(space.names) - len(space.orbits)
    groups = {name: [index] for index, name in enumerate(space.names[:options])}
    for index, orbit in enumerate(space.orbits, options):
        side = orbit.name.rpartition(" ")[0]
        groups.setdefault(f"weights, {side}" if side else "weights", []).append(index)
    panels = list(groups.items())
    count = len(panels) + bool(comparisons)
    columns = min(count, 2)
    rows = -(-count // columns)
    figure = new_figure(4.8 * columns, 0.9 + 3.6 * rows, title, about)
    grid = figure.subplots(rows, columns, squeeze=False).flat
    for axes, (name, indices) in zip(grid, panels, strict=False):
        _draw_parameters(axes, space, points, name, indices)
    if comparisons:
        _draw_scores(grid[len(panels)], comparisons, max(points[-1].games, 1))
    for axes in grid[count:]:
        axes.set_axis_off()
    return figure


def _draw_parameters(
    axes: Axes, space: Space, points: Sequence[TuningPoint], name: str, indices: Sequence[int]
) -> None:
    games = [point.games for point in points]
    begin_panel(axes, max(games[-1], 1), name)
    colours = matplotlib.colormaps["viridis"](np.linspace(0.0, 0.85, len(indices)))
    lines = []
    for index, colour in zip(indices, colours, strict=True):
        values = [point.vector[index] for point in points]
        alone = len(indices) == 1
        axes.plot(games, values, color=LINE if alone else colour, linewidth=1.6)
        lines.append((values[-1], space.names[index].rpartition(" ")[2], colour))
    low, high = axes.get_ylim()
    if 1 < len(indices) <= _LABELLED:
        lines.sort(key=itemgetter(0))
        places = _apart([value for value, _, _ in lines], low, high)
        for place, (value, label, colour) in zip(places, lines, strict=True):
            axes.annotate(
                label,
                (1.0, value),
                (1.06, place),
                xycoords=("axes fraction", "data"),
                textcoords=("axes fraction", "data"),
                color=colour,
                va="center",
                fontsize=8,
                annotation_clip=False,
                arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.6},
            )


def _apart(values: Sequence[float], low: float, high: float) -> list[float]:
    """Ascending values moved as little as they must be to stand apart between `low` and `high`."""
    least = min((high - low) / 22, (high - low) / len(values))
    places = list[float]()
    for value in values:
        places.append(max(value, places[-1] + least) if places else value)
    top = high
    for index in reversed(range(len(places))):
        places[index] = min(places[index], top)
        top = places[index] - least
    return places


def _draw_scores(axes: Axes, comparisons: Sequence[StartComparison], games: int) -> None:
    title = "Score against the start, 95% interval"
    begin_panel(axes, games, title, "share of the points")
    axes.axhline(0.5, color=FAINT, linewidth=1, linestyle="--")
    points = [(each.games, each.score, *each.interval) for each in comparisons]
    played, scores, lows, highs = map(np.array, zip(*points, strict=True))
    errors = (scores - lows, highs - scores)
    look: dict[str, Any] = {"fmt": "o-", "color": LINE, "markersize": 4.5, "clip_on": False}
    axes.errorbar(played, scores, errors, capsize=3, **look)


def board_figure(space: Space, vector: Vector, title: str, about: str) -> Figure:
    """Each side's board before at the left, after at the right; unplayable squares hatched."""
    assert space.plan is not None  # there are weights
    boards = [space.by_move(each) for each in (space.start, vector)]
    sides = (0, 1) if space.plan.colours == "apart" else (0,)
    ends = (space.plan.low, space.plan.high)
    values = [weight for board in boards for side in sides for weight in board[side].values()]
    framed = f"framed: at an end of its range, {ends[0]:g} to {ends[1]:g}\n"
    legend = framed if any(_is_end(value, ends) for value in values) else ""
    figure = new_figure(8.4, 0.8 + 3.7 * len(sides), title, legend + about)
    grid = figure.subplots(len(sides), 2, squeeze=False)
    reach = max(1e-3, *(abs(value - 1.0) for value in values))
    norm = TwoSlopeNorm(1.0, 1.0 - reach, 1.0 + reach)
    for row, side in enumerate(sides):
        who = seat_names(space.rules)[side] if len(sides) > 1 else "both"
        for column, when in enumerate(("before", "after")):
            image = _draw_board(grid[row, column], boards[column][side], norm, ends)
            grid[row, column].set_title(f"{who}, {when}", loc="left", fontsize=11)
    figure.colorbar(image, ax=grid, shrink=0.6, label="weight")
    return figure


def _draw_board(axes: Axes, weights: dict[str, float], norm: Any, ends: tuple[float, float]) -> Any:
    squares = np.full((8, 8), np.nan)
    for square, weight in weights.items():
        squares[int(square[1]) - 1, ord(square[0]) - ord("a")] = weight
    image = axes.imshow(np.ma.masked_invalid(squares), cmap=_light_map(), norm=norm)
    for row, column in np.ndindex(8, 8):
        if np.isnan(squares[row, column]):
            axes.add_patch(
                Rectangle((column - 0.5, row - 0.5), 1, 1, fill=False, hatch="///", edgecolor=GRID)
            )
            continue
        axes.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, fill=False, edgecolor="white"))
        if _is_end(float(squares[row, column]), ends):
            inside = Rectangle((column - 0.46, row - 0.46), 0.92, 0.92)
            inside.set(fill=False, edgecolor=INK, linewidth=1.0)
            axes.add_patch(inside)
        middle: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 7, "color": INK}
        axes.text(column, row, f"{squares[row, column]:.3f}", **middle)
    axes.set_xticks(range(8), list("abcdefgh"))
    axes.set_yticks(range(8), [str(row) for row in range(1, 9)])
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    return image


def _is_end(weight: float, ends: tuple[float, float]) -> bool:
    """Whether a weight is at an end of its range, as far as the figures of a square show."""
    return any(abs(weight - end) < _SHOWN for end in ends)


def _light_map() -> Colormap:
    """Purple below, orange above, light: figures on it keep a contrast of 4.5 to 1 (WCAG 2)."""
    colours = matplotlib.colormaps["PuOr_r"](np.linspace(0.27, 0.73, 256))
    return LinearSegmentedColormap.from_list("board", colours)
