"""Words of the pages that the terminal has no use for."""

import re

from arena.files.plain_text import printable
from arena.model.protocol import Termination
from arena.ratings.model import PlayerStanding

FEW_GAMES = 30
"""With fewer games than that a rating is not shown."""
_TRACEBACK = "Traceback (most recent call last):"
_MARGIN = re.compile(r"^ +[|+] ", re.MULTILINE)
"""What Python draws left of the tracebacks in a group of exceptions."""
_ERROR = re.compile(
    r"""^(?:
        (?:[\w.$]*(?:Error|Exception)(?:\ \[\w+\])?:\ | Fatal\ Python\ error).*  # also JavaScript
        | (?:Exception\ in\ thread|Unhandled\ exception)\b.*  # Java, C#
        | thread\ '.*\ panicked\ at\ .*(?:\n.*)?  # Rust: its sentence has a line of its own
        | (?:panic|fatal\ error):\ .*  # Go
        | terminate\ called\ .*(?:\n\ +what\(\):.*)? | ==\d+==ERROR:\ .*  # C++, sanitizers
        | \S+:\ \S+:\d+:\ .*\ failed\. | Assertion\ failed:\ .*
        | .*\ at\ \S+\ line\ \d+\.  # Perl
        | \S+:\d+:in\ .*\(\w+Error\)  # Ruby
        | \S+:\ line\ \d+:\ .*  # shells
    )$""",
    re.MULTILINE | re.VERBOSE,
)
"""An error in the words of a runtime. No part of it looks at a line more than a few times, as a
line may be long.
"""
_PART_OF_PATH = re.compile(r"\S*/\S*$")


def ending_word(ending: Termination) -> str:
    """The word that terminal and JSON have for an ending: `illegal move`."""
    return ending.replace("_", " ")


def signed(value: float) -> str:
    """`+12`, `−3`, `0`."""
    whole = round(value)
    return f"{whole:+d}".replace("-", "−") if whole else "0"


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
    if time is None:
        return "–"
    return f"{time:,.0f} ms" if time >= 10 else f"{time:.1f} ms"


def line_of(stderr: str, most: int) -> str:
    """The last error that a runtime wrote, else the first line that is not blank, up to a number
    of characters; empty without one. Of Python's errors it is the one below the last traceback.
    """
    text = _MARGIN.sub("", stderr)
    _, header, after = text.rpartition(_TRACEBACK)
    lines = [line for line in after.splitlines()[1:] if line[:1].strip()] if header else []
    lines = lines or _ERROR.findall(text)[-1:] or list(filter(str.strip, text.splitlines()))
    line = printable(" ".join("".join(lines[:1]).split()))
    return line if len(line) <= most else _PART_OF_PATH.sub("", line[:most])
