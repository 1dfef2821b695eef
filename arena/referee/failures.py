"""What the runtimes of languages write to stderr when a program fails: the error and its place."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

_LOOKED_AT = 8_000
"""Characters at the end: a report of an address sanitizer has half of that."""
_LINE = 400
"""Characters of a line: what players write may be long, and patterns take the square of that."""
_TRACEBACK = "Traceback (most recent call last):"
_MARGIN = re.compile(r"^ +[|+] ", re.MULTILINE)
"""What Python draws left of the tracebacks in a group of exceptions."""
_ERROR = re.compile(
    r"""
    [\w.$]*(?:Error|Exception)(?:\ \[\w+\])?(?::\ .*)? | Fatal\ Python\ error.*  # also JavaScript
    | \[?UnhandledPromiseRejection.*
    | (?:Exception\ in\ thread|Caused\ by:|Unhandled\ exception)\ .*  # Java, C#
    | thread\ '.*\ panicked\ at\ .*  # Rust
    | (?:panic|fatal\ error):\ .*  # Go
    | terminate\ called\ .* | .*:\ .*Assertion\ .*failed.* | Assertion\ failed:\ .*  # C, C++
    | ==\d+==\s?ERROR:\ .* | \S+:\d+:\d+:\ runtime\ error:\ .*  # sanitizers
    | \S+:\d+:(?:\d+:)?\ (?:fatal\ )?error:\ .*  # compilers
    | .*\ at\ \S+\ line\ \d+(?:,\ <\w*>\ \w+\ \d+)?\.  # Perl
    | \S+:\d+:in\ .*\(\w+Error\)  # Ruby
    | \w+:\ \S+\.lua:\d+:\ .*
    | (?:\S+:\ ){1,2}line\ \d+:\ .*  # shells, awk
    """,
    re.VERBOSE,
)
_IS_CONTINUED = re.compile(r"thread '.*:|terminate called .*")
"""Errors whose sentence is the next line."""

_OURS = "sdk.py"
"""A copy that comes with a bot: what goes wrong there began in the bot."""
_PYTHON_PLACE = re.compile(r'File "(?!.*/lib/python|<)([^"]+)", line (\d+)')
_OTHER_PLACE = re.compile(
    r"([\w./-]+\.(?:js|mjs|cjs|ts|java|rs|c|cc|cpp|cxx|h|hpp|go|rb|lua)):(\d+)"
    r"| at (\S+) line (\d+)|(\S+): line (\d+):"
)
RUNTIME = re.compile(
    r"\bnode:|\bjava\.base/|\.\.\. \d+ more|/rustc/|/go/src/|/usr/(?:include|lib)/"
    r"|libsanitizer/|sysdeps/|/csu/"
)
"""In the lines of a stack that are the runtime's own."""


class Place(NamedTuple):
    """Where a program failed."""

    path: str
    line: int
    named_in: int
    """The line of the text, counted from 0 without empty ones."""

    @property
    def file(self) -> str:
        """Without its folders."""
        return Path(self.path).name


class Failure(NamedTuple):
    """A program's last error."""

    error: str
    """Its line, without the folders of the arena or of the author."""
    told: tuple[str, ...]
    """The lines that tell it, in the order they were written: also the place in the program itself
    where one is named, without these folders, and what Python quotes from there.
    """


def failure_in(stderr: str) -> Failure | None:
    """The last error at the end of a text; None where no runtime names one."""
    lines = _lines(stderr)
    at = _error_in(lines)
    if at is None:
        return None
    error = lines[at].strip()
    if _IS_CONTINUED.fullmatch(error):
        error = " ".join(line.strip() for line in lines[at : at + 2])
    place = _place_in(lines, at)
    if place is None:
        return Failure(error, (error,))
    shown = place.file if place.path.startswith("/") else place.path
    error, place_line = (
        line.strip().replace(place.path, shown) for line in (error, lines[place.named_in])
    )
    if place.named_in == at:
        return Failure(error, (error,))
    if place.named_in > at:
        return Failure(error, (error, place_line))
    quoted = lines[place.named_in + 1]
    is_quoted = _PYTHON_PLACE.search(place_line) and quoted.startswith("    ")
    return Failure(error, (place_line, *([quoted.strip()] if is_quoted else ()), error))


def place_in(stderr: str) -> Place | None:
    """Where the last error at the end of a text happened in the program itself."""
    lines = _lines(stderr)
    return _place_in(lines, _error_in(lines) or 0)


def _lines(stderr: str) -> Sequence[str]:
    text = _MARGIN.sub("", stderr[-_LOOKED_AT:])
    return [line[:_LINE] for line in text.splitlines() if line.strip()]


def _error_in(lines: Sequence[str]) -> int | None:
    """Below Python's last traceback it is what follows the indented lines."""
    ends = [at for at, line in enumerate(lines) if line.endswith(_TRACEBACK)][-1:]
    for end in ends:
        for at in range(end + 1, len(lines)):
            if not lines[at][0].isspace():
                return at
    return next((at for at in reversed(range(len(lines))) if _ERROR.fullmatch(lines[at])), None)


def _place_in(lines: Sequence[str], at: int) -> Place | None:
    """Python names the innermost place last, above the error; others first, mostly below it."""
    frames = list(_python_places(lines))
    own = [frame for frame in frames if frame.file != _OURS]
    others = [] if frames else list(_other_places(lines))
    below = [place for place in others if place.named_in >= at]
    return next(iter((own or frames)[-1:] or below[:1] or others[-1:]), None)


def _python_places(lines: Sequence[str]) -> Iterator[Place]:
    for index, line in enumerate(lines):
        if found := _PYTHON_PLACE.search(line):
            yield Place(found[1], int(found[2]), index)


def _other_places(lines: Sequence[str]) -> Iterator[Place]:
    for index, line in enumerate(lines):
        found = None if RUNTIME.search(line) else _OTHER_PLACE.search(line)
        if found:
            path, number = filter(None, found.groups())
            yield Place(path, int(number), index)
