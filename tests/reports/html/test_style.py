"""The colours of the pages, light and dark: what must be read or found stands out."""

import re

import pytest

from arena.reports.html.assets import stylesheet

Colour = tuple[float, ...]
TEXT, DRAWN = 4.5, 3.0
"""The contrasts that WCAG 2.2 asks for."""
PAIRS = [
    *((ink, ground, TEXT) for ink in ("ink", "soft", "accent", "bad") for ground in ("bg", "card")),
    ("ink", "tile", TEXT),
    *((mark, "felt", DRAWN) for mark in ("x", "o", "grid", "ink")),
]


def colours(dark: bool) -> dict[str, Colour]:
    """The colours by their names."""
    style = stylesheet()
    light, other = re.findall(r":root \{(.*?)\}", style, re.S)[:2]
    found = re.findall(r"--(\w+): #(\w+);", light + other * dark)
    return {name: colour(code) for name, code in found}


def colour(code: str) -> Colour:
    size = len(code) // 3
    return tuple(
        int(code[at : at + size] * (3 - size), 16) / 255 for at in range(0, 3 * size, size)
    )


def luminance(light: Colour) -> float:
    linear = [part / 12.92 if part <= 0.04 else ((part + 0.055) / 1.055) ** 2.4 for part in light]
    return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize(("mark", "ground", "least"), PAIRS)
def test_it_stands_out(mark: str, ground: str, least: float, dark: bool) -> None:
    found = colours(dark)
    low, high = sorted(luminance(found[each]) for each in (mark, ground))
    assert (high + 0.05) / (low + 0.05) >= least
