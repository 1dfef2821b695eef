"""Drawings of figures as SVG: attributes and classes alone, for pages that allow no styles."""

from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup

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
