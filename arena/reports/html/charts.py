"""Drawings of figures as SVG: attributes and classes alone, for pages that allow no styles."""

from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup

from arena.reports.html.wording import signed

_WIDTH, _MARGIN = 200, 6


class Scale(NamedTuple):
    """From figures to places along a line; one for all drawings that are compared."""

    low: float
    high: float

    @classmethod
    def over(cls, figures: Sequence[float]) -> "Scale":
        """The scale on which all of these have room."""
        low, high = min(figures, default=0.0), max(figures, default=1.0)
        return cls(low, high if high > low else low + 1)

    def at(self, figure: float, width: float = _WIDTH) -> float:
        """The place of a figure."""
        share = (figure - self.low) / (self.high - self.low)
        return round(_MARGIN + min(max(share, 0), 1) * (width - 2 * _MARGIN), 1)


def whisker(low: float, middle: float, high: float, scale: Scale, zero: float, said: str) -> Markup:
    """A rating as a dot with its interval, and a mark at the zero of the scale."""
    one, at, other = map(scale.at, (low, middle, high))
    mark = ""
    if scale.low <= zero <= scale.high:
        mark = f'<path class="zero" d="M{scale.at(zero)} 0V18"/>'
    return Markup(
        f'<svg class="whisker" viewBox="0 0 {_WIDTH} 18" role="img" aria-label="{{}}">{mark}'
        f'<path class="bar" d="M{one} 9H{other}M{one} 5V13M{other} 5V13"/>'
        f'<circle cx="{at}" cy="9" r="4.5"/></svg>'
    ).format(said)


def spread(quantiles: Sequence[float], scale: Scale, said: str) -> Markup:
    """A distribution by five quantiles: its ends, its middle half as a box, its median."""
    low, first, median, third, high = map(scale.at, quantiles)
    return Markup(
        f'<svg class="spread" viewBox="0 0 {_WIDTH} 18" role="img" aria-label="{{}}">'
        f'<path class="bar" d="M{low} 9H{high}"/>'
        f'<rect x="{first}" y="4" width="{max(third - first, 1):.1f}" height="10" rx="2"/>'
        f'<path class="median" d="M{median} 2V16"/></svg>'
    ).format(said)


def gauge(value: float, lower: float, upper: float, said: str) -> Markup:
    """A log-likelihood ratio on its way between the bounds of a test."""
    at = Scale(lower, upper).at(value)
    middle = Scale(lower, upper).at(0)
    return Markup(
        f'<svg class="gauge" viewBox="0 0 {_WIDTH} 18" role="img" aria-label="{{}}">'
        f'<path class="axis" d="M6 9H194M6 3V15M194 3V15M{middle} 6V12"/>'
        f'<circle cx="{at}" cy="9" r="4.5"/></svg>'
    ).format(said)


class Line(NamedTuple):
    """A figure over time."""

    name: str
    figures: tuple[float | None, ...]
    """At each time; None where it is not known."""


_LEFT, _RIGHT = 50, 600
"""Where lines over time begin and end; figures are left of them, names right."""


def lines(drawn: Sequence[Line], said: str) -> Markup:
    """Figures over time on one scale, each line with its name at its end."""
    known = [figure for line in drawn for figure in line.figures if figure is not None]
    scale, height = Scale.over(known), 24 * max(len(drawn), 6)
    times = max((len(line.figures) for line in drawn), default=1)
    parts = [_level(figure, scale, height) for figure in (scale.low, scale.high)]
    parts += [_line(line, scale, height, times, index) for index, line in enumerate(drawn)]
    parts += _apart([(_end(line, scale, height), line.name) for line in drawn])
    start = Markup('<svg class="lines" viewBox="0 0 760 {}" role="img" aria-label="{}">')
    return start.format(height + 8, said) + Markup("").join(parts) + Markup("</svg>")


def _level(figure: float, scale: Scale, height: int) -> Markup:
    """A line at a figure of the scale."""
    at = height - scale.at(figure, height)
    drawn = '<path class="axis" d="M{} {}H{}"/><text class="figure" x="{}" y="{}">{}</text>'
    return Markup(drawn).format(_LEFT, at, _RIGHT, _LEFT - 6, at + 4, signed(figure))


def _line(line: Line, scale: Scale, height: int, times: int, index: int) -> Markup:
    step = (_RIGHT - _LEFT) / max(times - 1, 1)
    points = " ".join(
        f"{_LEFT + step * at:.1f},{height - scale.at(figure, height):.1f}"
        for at, figure in enumerate(line.figures)
        if figure is not None
    )
    return Markup('<polyline class="c{}" points="{}"/>').format(index % 8, points)


def _end(line: Line, scale: Scale, height: int) -> float:
    last = [figure for figure in line.figures if figure is not None]
    return height - scale.at(last[-1], height) if last else height / 2


def _apart(ends: Sequence[tuple[float, str]]) -> list[Markup]:
    """The names at the ends of their lines, none over another."""
    placed, below = list[Markup](), -15.0
    text = Markup('<text x="{}" y="{}">{}</text>')
    for at, name in sorted(ends):
        below = max(at, below + 15)
        placed.append(text.format(_RIGHT + 8, round(below + 4, 1), name[:20]))
    return placed
