"""The error and its place, as runtimes write them to stderr when a program fails."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

_LOOKED_AT = 8_000
"""Characters at the end: a report of an address sanitizer has half of that."""
LINE = 200
"""Characters at the beginning and at the end of a line: what players write may be long, and
patterns take the square of that.
"""
_TRACEBACK = "Traceback (most recent call last):"
_END_OF_QUOTE = '"""'
_FATAL = "Fatal Python error"
"""Its frames are below it, the innermost first."""
_TCL_STACK = "    while executing"
"""Below it Tcl quotes the program, in lines like any others."""
_MARGIN = re.compile(r"^ +[|+] ", re.MULTILINE)
"""Python's drawing left of the tracebacks in a group of exceptions."""
_ERROR = re.compile(
    r"""
    \[?[\w.$]*(?:Error|Exception)(?:\ \[\w+\])?(?::\ .*)?  # Python, JavaScript
    | Fatal\ Python\ error.*
    | \w+\ \[\w*Error\](?::\ .*)? | \[?UnhandledPromiseRejection.*  # JavaScript
    | (?:Exception\ in\ thread|Caused\ by:)\ .* | Unhandled\ exception[.:]?\ .*  # Java, C#
    | thread\ '.*\ panicked\ at\ .*  # Rust
    | (?:panic|fatal\ error):\ .*  # Go
    | terminate\ called\ .* | .*:\ .*Assertion\ .*failed.* | Assertion\ failed:\ .*  # C, C++
    | ==\d+==\s?ERROR:\ .* | \S+:\d+:\d+:\ runtime\ error:\ .*  # sanitizers
    | \S+:\d+:(?:\d+:)?\ (?:fatal\ )?error:\ .*  # compilers
    | .*\ at\ (?:\S+\.p[lm]|/\S+)\ line\ \d+(?:,\ <\w*>\ \w+\ \d+)?\.  # Perl
    | \S+:\d+:in\ .*\([A-Z]\w+\)  # Ruby
    | \S+:\ \S*[/.]\S+:\d+:(?:\d+:)?\ .*  # Lua, Prolog, awk
    | (?:PHP\ )?(?:Fatal|Parse)\ error:\ .*
    | \*\*\ \(\w+\)\ .*  # Elixir
    | (?:\S*/\S+|\S*sh|\S*awk):\ (?:\S+:\ )?line\ \d+:\ .*  # shells, awk
    """,
    re.VERBOSE,
)
_IS_CONTINUED = re.compile(r"thread '.*:|terminate called .*")
"""Errors whose sentence is the next line."""

_OURS = "sdk.py"
"""A copy that comes with a bot: what goes wrong there began in the bot."""
_PYTHON_PLACE = re.compile(r'File "(?!.*/lib/python|<)([^"]*[^"/])", line (\d+)')
_OTHER_PLACE = re.compile(
    r"(?<![\w./-])((?:file://)?(?:(?:\.\.\.|/(?!/))[^\s:]*/[\w.-]+|[\w./-]+"
    r"\.(?:js|mjs|cjs|ts|java|kt|cs|rs|c|cc|cpp|cxx|h|hpp|go|rb|lua|php|exs?|nim|adb|hs|jl|pl)))"
    r"(?::(?:line )?|\(|\"? (?:on )?line )(\d+)(?!\d| \w)"
)
"""A file whose suffix is known, or the absolute path of any, which Lua cuts; no count of things."""
_PLACE_IN_ERROR = re.compile(r" at (\S+) line (\d+)|(\S+): line (\d+):")
"""A place in the words of Perl, of shells: other lines may have such words too."""
_RUNTIME = re.compile(
    r"\bnode:|\bjava\.base/|\.\.\. \d+ more|/rustc/|/go/src/|/usr/(?:include|lib|share)/"
    r"|libsanitizer/|sysdeps/|/csu/|^ +\(\w+ \d[\d.]+\) "
    r"|:\d+: \w*Warning: |(?:^|[ \[])[IW](?:\d{4})? .*\.(?:cc|cpp):\d+\]"
)
"""In the lines of a stack that are the runtime's own, and in warnings of Python and libraries."""
_FRAME = re.compile(
    r"at \S.*(\)|:\d+)( \{)?|\.\.\. \d+ more"  # JavaScript, Java
    r"|from \S+:\d+:in .*|stack traceback:|\S+: in .*"  # Ruby, Lua
    r"|Stack trace:|#\d+ .*|thrown in .*"  # PHP
    r"|goroutine \d+ .*|main\..*\)|\S+\.go:\d+( \+\S+)?"  # Go
)
"""A line of the stack below an error."""
_TRAILER = re.compile(
    r"Node\.js v\S+|[{}\]]|(code|errno|requireStack|syscall): .*"
    r"|exit status \d+|note: run with .*|==\d+==ABORTING"
)
"""Lines that runtimes write below the stack."""


class SourcePlace(NamedTuple):
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
    lines: tuple[str, ...]
    """The lines to show, in the order they were written: the error, the place in the program itself
    where one is named, without these folders, the source line that Python quotes, and the last line
    that is no part of a stack: an error that was caught may not have ended the program.
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
    last = [line for line in _words_below(lines, at)[-1:] if line not in error]
    place = _place_in(lines, at)
    if place is None:
        return Failure(error, (error, *last))
    is_absolute = place.path.startswith(("/", "file://", "..."))
    shown = place.file if is_absolute else place.path
    error, place_line, *last = (
        line.strip().replace(place.path, shown) for line in (error, lines[place.named_in], *last)
    )
    if place.named_in == at:
        return Failure(error, (error, *last))
    if place.named_in > at:
        return Failure(error, tuple(dict.fromkeys((error, place_line, *last))))
    quoted = lines[place.named_in + 1]
    is_quoted = _PYTHON_PLACE.search(place_line) and quoted.startswith("    ")
    return Failure(error, (place_line, *([quoted.strip()] if is_quoted else ()), error, *last))


def place_in(stderr: str) -> SourcePlace | None:
    """Where the last error at the end of a text happened in the program itself."""
    lines = _lines(stderr)
    return _place_in(lines, _error_in(lines))


def words_in(stderr: str) -> Iterator[str]:
    """The lines with words: without markers below a line, as Python draws them, and of a stack
    the first line that is not the runtime's.
    """
    placed = True  # whether the error's place was yielded
    for line in map(str.strip, stderr.splitlines()):
        if _FRAME.fullmatch(line):
            if not placed and not _RUNTIME.search(line):
                placed = True
                yield line
        elif line.strip("~^|+- ") and not _TRAILER.fullmatch(line):
            placed = False
            yield line


def _lines(stderr: str) -> Sequence[str]:
    """Those of the end that are not empty; a frame of a recursion once."""
    once = "\n".join(line for line, _ in groupby(_MARGIN.sub("", stderr).splitlines()))
    lines = filter(str.strip, once[-_LOOKED_AT:].splitlines())
    return [line if len(line) <= 2 * LINE else line[:LINE] + line[-LINE:] for line in lines]


def _words_below(lines: Sequence[str], at: int) -> Sequence[str]:
    """The lines after an error that are no part of its stack."""
    if lines[at].startswith("==") or _is_above_tcl_stack(lines, at):
        return ()  # a sanitizer and Tcl write a page, and are the last to write
    own = (line for line in lines[at + 1 :] if not (line[0].isspace() or _FRAME.fullmatch(line)))
    return [line for line in own if not _TRAILER.fullmatch(line)]


def _error_in(lines: Sequence[str]) -> int | None:
    """Below Python's last traceback it is what follows the indented lines."""
    begun = _last_traceback(lines)
    if begun is not None:
        for at in range(begun + 1, len(lines)):
            if not lines[at][0].isspace():
                fatal = (each for each in range(at, len(lines)) if lines[each].startswith(_FATAL))
                return next(fatal, at)
    backwards = reversed(range(len(lines)))
    ends = (at for at in backwards if _ERROR.fullmatch(lines[at]) or _is_above_tcl_stack(lines, at))
    return next(ends, None)


def _is_above_tcl_stack(lines: Sequence[str], at: int) -> bool:
    return _TCL_STACK in lines[at + 1 : at + 2]


def _last_traceback(lines: Sequence[str]) -> int | None:
    """Where a worker process failed it is the worker's own, which is quoted above its caller's."""
    begun = [at for at, line in enumerate(lines) if line.endswith(_TRACEBACK)]
    is_quoted = len(begun) > 1 and lines[begun[-1] - 2] == _END_OF_QUOTE
    return begun[-2 if is_quoted else -1] if begun else None


def _place_in(lines: Sequence[str], at: int | None) -> SourcePlace | None:
    """Python names the innermost place last, above the error; others first, mostly below it."""
    frames = list(_places(lines, _PYTHON_PLACE))
    if frames:
        begun = _last_traceback(lines)
        is_fatal = at is not None and lines[at].startswith(_FATAL)
        end = at if at is not None and begun is not None and not is_fatal else len(lines)
        of_last = [frame for frame in frames if (begun or -1) < frame.named_in < end] or frames
        own = [frame for frame in of_last if frame.file != _OURS] or of_last
        if is_fatal:
            return next((frame for frame in own if frame.named_in > (at or 0)), None)
        return own[-1]
    if at is not None and (match := _PLACE_IN_ERROR.search(lines[at])):
        path, number = filter(None, match.groups())
        return SourcePlace(path, int(number), at)
    others = [each for each in _places(lines, _OTHER_PLACE) if not _RUNTIME.search(lines[each[2]])]
    below = [place for place in others if place.named_in >= (at or 0)]
    return next(iter(below[:1] or others[-1:]), None)


def _places(lines: Sequence[str], pattern: re.Pattern[str]) -> Iterator[SourcePlace]:
    for index, line in enumerate(lines):
        if match := pattern.search(line):
            yield SourcePlace(match[1], int(match[2]), index)
