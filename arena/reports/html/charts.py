"""Drawings of figures as SVG: attributes and classes alone, for pages that allow no styles."""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeVar

from markupsafe import Markup

from arena.reports.html.wording import minus

_LINE_WIDTH, _MARGIN = 200, 6
"""Of a drawing along a line."""
_WIDTH, _HEIGHT = 480, 240
"""Of curves."""
_LEFT, _RIGHT, _TOP, _BOTTOM = 62, 28, 12, 26
_NAME_WIDTH, _NAME_HEIGHT, _LONGEST = 110, 14, 20
"""The room for a name at the end of a curve, and its most characters."""
_TICKS = 4
MOST_POINTS = 400
"""The points of a curve that are drawn: more cannot be distinguished."""

Row = TypeVar("Row")
Points = Sequence[tuple[float, float]]
"""Games, or rounds, and a figure."""


class Scale(NamedTuple):
    """From figures to places between two ends; one for all drawings that are compared."""

    low: float
    high: float
    begin: float = _MARGIN
    end: float = _LINE_WIDTH - _MARGIN

    @classmethod
    def over(cls, figures: Sequence[float]) -> "Scale":
        """The scale on which all of these have room."""
        low, high = min(figures, default=0.0), max(figures, default=1.0)
        return cls(low, high if high > low else low + 1)

    def at(self, figure: float) -> float:
        """The place of a figure; of one beyond an end, that end."""
        share = (figure - self.low) / ((self.high - self.low) or 1)
        return round(self.begin + min(max(share, 0), 1) * (self.end - self.begin), 1)

    def ticks(self) -> Iterator[float]:
        """Round figures along it, a few."""
        step = _round_step((self.high - self.low) / _TICKS)
        # counted: a step may be too short to change a figure that it is added to
        for number in range(math.ceil(self.low / step), math.floor(self.high / step + 1e-9) + 1):
            yield round(number * step, 10)


def whisker(
    low: float, middle: float, high: float, scale: Scale, zero: float, label: str
) -> Markup:
    """A rating as a dot with its interval, and a mark at the zero of the scale."""
    one, at, other = map(scale.at, (low, middle, high))
    mark = ""
    if scale.low <= zero <= scale.high:
        mark = f'<path class="zero" d="M{scale.at(zero)} 0V18"/>'
    return Markup(
        f'<svg class="whisker" viewBox="0 0 {_LINE_WIDTH} 18" role="img" aria-label="{{}}">{mark}'
        f'<path class="bar" d="M{one} 9H{other}M{one} 5V13M{other} 5V13"/>'
        f'<circle cx="{at}" cy="9" r="4.5"/></svg>'
    ).format(label)


def spread(quantiles: Sequence[float], scale: Scale, label: str) -> Markup:
    """A distribution by five quantiles: its ends, its middle half as a box, its median."""
    low, first, median, third, high = map(scale.at, quantiles)
    return Markup(
        f'<svg class="spread" viewBox="0 0 {_LINE_WIDTH} 18" role="img" aria-label="{{}}">'
        f'<path class="bar" d="M{low} 9H{high}"/>'
        f'<rect x="{first}" y="4" width="{max(third - first, 1):.1f}" height="10" rx="2"/>'
        f'<path class="median" d="M{median} 2V16"/></svg>'
    ).format(label)


def gauge(value: float, lower: float, upper: float) -> Markup:
    """A log-likelihood ratio on its way between the bounds of a test."""
    at = Scale(lower, upper).at(value)
    middle = Scale(lower, upper).at(0)
    low, high = minus(f"H0 at {lower:+.2f}"), minus(f"H1 at {upper:+.2f}")
    return Markup(
        f'<div class="verdict"><span class="soft">{low}</span>'
        f'<svg class="gauge" viewBox="0 0 {_LINE_WIDTH} 18" role="img" '
        f'aria-label="log-likelihood ratio {minus(f"{value:+.2f}")}, between {low} and {high}">'
        f'<path class="axis" d="M6 9H194M6 3V15M194 3V15M{middle} 6V12"/>'
        f'<circle cx="{at}" cy="9" r="4.5"/></svg><span class="soft">{high}</span></div>'
    )


class Curve(NamedTuple):
    """A figure over games or rounds."""

    name: str
    points: Points


def curves(
    drawn: Sequence[Curve],
    label: str,
    levels: Sequence[tuple[str, float]] = (),
    *,
    named: bool = False,
) -> Markup:
    """The curves, `named` at their ends, and dashed `levels`; `label` is the drawing in words."""
    every = [point for curve in drawn for point in curve.points]
    heights = [figure for _, figure in every] + [level for _, level in levels]
    across = Scale(0, max((games for games, _ in every), default=1), _LEFT, _WIDTH - _RIGHT)
    low, high = min(heights, default=0), max(heights, default=1)
    room = (high - low or abs(high) or 1) * 0.05
    up = Scale(low - room, high + room, _HEIGHT - _BOTTOM, _TOP)
    parts = [
        *(_rule(up, figure) for figure in up.ticks()),
        *(_number(across, games) for games in across.ticks()),
        *(_level(up, *level) for level in levels),
        *(_line(across, up, curve.points, index) for index, curve in enumerate(drawn)),
    ]
    width = _WIDTH
    if named:
        parts += _names([(up.at(each.points[-1][1]), each.name) for each in drawn if each.points])
        width += _NAME_WIDTH
    frame = '<svg class="curves" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>'
    return Markup(frame).format(width, _HEIGHT, label, Markup("").join(parts))


def _names(ends: Sequence[tuple[float, str]]) -> Iterator[Markup]:
    """The names at the ends of their curves, none over another."""
    below = 0.0
    for place, (at, name) in enumerate(sorted(ends), 1 - len(ends)):
        below = max(min(at, _HEIGHT + place * _NAME_HEIGHT - 6), below + _NAME_HEIGHT)
        text = Markup('<text class="name" x="{}" y="{}">{}</text>')
        yield text.format(_WIDTH - _RIGHT + 8, round(below + 3, 1), name[:_LONGEST])


def thinned(rows: Sequence[Row], most: int = MOST_POINTS) -> Sequence[Row]:
    """At most that many of the rows, evenly picked; the last one is among them."""
    if len(rows) <= most:
        return rows
    return [rows[(place + 1) * len(rows) // most - 1] for place in range(most)]


def short(figure: float) -> str:
    """`1.2 M`, `40 k`, `0.25`."""
    for size, letter in ((1e6, " M"), (1e3, " k")):
        if abs(figure) >= 10 * size or (abs(figure) >= size and letter == " M"):
            return minus(f"{figure / size:.4g}{letter}")
    return minus(f"{figure:,.4g}")


def _round_step(step: float) -> float:
    """The next of 1, 2 and 5 times a power of ten."""
    if step <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(step))
    return next(times * power for times in (1, 2, 5, 10) if times * power >= step * (1 - 1e-9))


def _rule(up: Scale, figure: float) -> Markup:
    y = up.at(figure)
    return Markup(
        '<path class="rule" d="M{} {}H{}"/><text class="up" x="{}" y="{}">{}</text>'
    ).format(_LEFT, y, _WIDTH - _RIGHT, _LEFT - 6, round(y + 4, 1), short(figure))


def _number(across: Scale, games: float) -> Markup:
    x = across.at(games)
    return Markup('<text class="across" x="{}" y="{}">{}</text>').format(
        x, _HEIGHT - 8, short(games)
    )


def _level(up: Scale, name: str, figure: float) -> Markup:
    y = up.at(figure)
    return Markup('<path class="limit" d="M{} {}H{}"/><text x="{}" y="{}">{}</text>').format(
        _LEFT, y, _WIDTH - _RIGHT, _LEFT + 4, round(y - 4 if y > 3 * _TOP else y + 13, 1), name
    )


def _line(across: Scale, up: Scale, points: Points, index: int) -> Markup:
    places = [f"{across.at(games)},{up.at(figure)}" for games, figure in thinned(points)]
    if len(places) == 1:
        x, y = places[0].split(",")
        return Markup('<circle class="c{}" cx="{}" cy="{}" r="3"/>').format(index % 8, x, y)
    return Markup('<polyline class="c{}" points="{}"/>').format(index % 8, " ".join(places))
