"""Words of the pages that the terminal has no use for."""

import re

from arena.files.plain_text import printable
from arena.model.protocol import Termination
from arena.ratings.model import PlayerStanding
from arena.referee.failures import failure_in, words_in
from arena.reports.words import rounded_ms

FEW_GAMES = 30
"""With fewer games than that a rating is not shown."""
_MINUS = re.compile(r"(?<![^\s(])-(?=\d)")
_PART_OF_PATH = re.compile(r"\S*/\S*$")


def ending_word(ending: Termination) -> str:
    """The word that terminal and JSON have for an ending: `illegal move`."""
    return ending.replace("_", " ")


def signed(value: float) -> str:
    """`+12`, `−3`, `0`."""
    whole = round(value)
    return minus(f"{whole:+d}") if whole else "0"


def minus(text: str) -> str:
    """The text of a terminal with the minus sign of the pages in front of its numbers: `−12`."""
    return _MINUS.sub("−", text)


def rating(row: PlayerStanding, anchor: str | None) -> str:
    """`+480 ± 257`, never a rating without its interval."""
    if row.elo is None or row.elo_error is None:
        return "no result"
    if row.name == anchor:
        return f"{signed(row.elo)}, the anchor"
    if row.games < FEW_GAMES:
        return "too few games"
    return f"{signed(row.elo)} ± {row.elo_error:.0f}"


def milliseconds(time: float | None) -> str:
    """`138 ms`, `2.4 ms`; a dash for none."""
    return "–" if time is None else f"{rounded_ms(time):,} ms"


def line_of(stderr: str, most: int) -> str:
    """The last error that a runtime wrote, else the last line with words, cut; may be empty."""
    failure = failure_in(stderr)
    lines = [failure.error] if failure else list(words_in(stderr))
    line = printable(" ".join("".join(lines[-1:]).split()))
    return line if len(line) <= most else _PART_OF_PATH.sub("", line[:most])
