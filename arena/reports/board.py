"""Boards in colour. The characters show the same as the colours; a pipe and NO_COLOR have none."""

import re

from rich.text import Text

from rules.position import Position

_COLOURS = (
    "#4f9dde", "#d98c21", "#7f8fa6", "#6f93b8", "#5f97ca", "#4f9dde", "#56a8b5", "#8aa96a",
    "#b3a94a", "#c9a034", "#d98c21", "#e0762a", "#e8603c",
)  # fmt: skip
"""Seats 0 and 1, blue and orange, which colour-blind people distinguish; then tiles, from 2 on."""
_PLACED, _TURNED = "reverse", "underline"
_EMPTY = " ."


def coloured(position: Position, before: Position | None = None) -> Text:
    """The drawing of a position. Where the move from the position before put something on the
    board, that is marked, and what it turned is underlined.
    """
    lines = str(position).split("\n")
    text = Text("\n".join(lines))
    for seat, mark in enumerate(position.game.marks):
        text.highlight_regex(rf"(?<!\S){re.escape(mark)}(?!\S)", f"bold {_COLOURS[seat]}")
    if not position.game.marks:
        _colour_numbers(text, lines)
    if before is not None:
        _mark_changes(text, str(before).split("\n"), lines)
    return text


def _colour_numbers(text: Text, lines: list[str]) -> None:
    """Tiles, and the owners of boxes; no row numbers, which come first in their lines."""
    for start, line in _starts(lines):
        for number in re.finditer(r"(?<=\S)(\s+)(\d+)", line):
            value = int(number[2])
            colour = _COLOURS[min(value if value < 2 else value.bit_length(), len(_COLOURS) - 1)]
            text.stylize(f"bold {colour}", start + number.start(2), start + number.end(2))


def _mark_changes(text: Text, before: list[str], now: list[str]) -> None:
    changes = [
        (start + column, was, is_)
        for (start, line), old in zip(_starts(now), before, strict=False)
        for column, (was, is_) in enumerate(zip(old.ljust(len(line)), line, strict=False))
        if was != is_
    ]
    if any(is_ in _EMPTY for _, _, is_ in changes):
        return  # pieces went elsewhere, as in a slide
    for at, was, _ in changes:
        text.stylize(_PLACED if was in _EMPTY else _TURNED, at, at + 1)


def _starts(lines: list[str]) -> list[tuple[int, str]]:
    """The lines of the board, without the last with the side to move; each with its place."""
    places, at = [], 0
    for line in lines[:-1]:
        places.append((at, line))
        at += len(line) + 1
    return places
