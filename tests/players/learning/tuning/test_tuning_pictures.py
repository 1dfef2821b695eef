"""Pictures of a tuning: figures that can be read, and weights at an end of their range."""

from collections.abc import Sequence

import matplotlib
import pytest
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from players.learning.pictures import INK, STYLE
from players.learning.tuning import pictures
from players.learning.tuning.space import Space
from players.learning.tuning.tuner import StartComparison, TuningPoint
from tests.players.learning.tuning.spaces import CORNERLESS, PLAN


@pytest.fixture(scope="module")
def space() -> Space:
    return Space(CORNERLESS, {}, (), PLAN)


def drawn(space: Space, vector: tuple[float, ...]) -> Figure:
    figure = pictures.board_figure(space, vector, "it", "about it")
    figure.draw_without_rendering()
    return figure


def luminance(colour: Sequence[float]) -> float:
    """Relative, by WCAG 2."""
    parts = [(c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4) for c in colour[:3]]
    return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True))


def frames(figure: Figure) -> int:
    ink = to_rgba(INK)
    patches = (patch for axes in figure.axes for patch in axes.patches)
    return sum(isinstance(each, Rectangle) and each.get_edgecolor() == ink for each in patches)


@pytest.mark.slow
def test_figures_stand_out_from_every_colour(space: Space) -> None:
    figure = drawn(space, tuple(0.9 + 0.2 * place / 17 for place in range(18)))
    for axes in figure.axes[:4]:
        image = axes.images[0]
        for text in axes.texts:
            cell = luminance(image.to_rgba(float(text.get_text()))) + 0.05
            ink = luminance(to_rgba(text.get_color())) + 0.05
            assert max(cell, ink) / min(cell, ink) > 4.5, text.get_text()


@pytest.mark.slow
def test_weights_at_an_end_of_their_range_are_framed(space: Space) -> None:
    figure = drawn(space, space.start)
    assert frames(figure) == 0
    assert "framed" not in figure.get_supxlabel()
    first = len(space.orbits[0].moves)
    figure = drawn(space, (1.1, *space.start[1:]))
    assert frames(figure) == first > 1
    assert figure.get_supxlabel().startswith("framed: at an end of its range, 0.9 to 1.1\n")


def test_labels_are_no_longer_than_their_axes(space: Space) -> None:
    points = [TuningPoint(0, space.start), TuningPoint(10, space.start)]
    with matplotlib.rc_context(STYLE):
        figure = pictures.parameter_figure(
            space, points, [StartComparison(10, (1.0, 1.5))], "it", "about it"
        )
        figure.draw_without_rendering()
    for axes in figure.axes[:3]:
        box = axes.get_window_extent()
        assert axes.yaxis.label.get_window_extent().height < box.height
        assert axes.title.get_window_extent().width < box.width
