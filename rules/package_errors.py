"""Errors in the games of packages: what breaks a promise, and errors of their code in words."""

from __future__ import annotations

import sys
from typing import NamedTuple

_OURS = ("__main__", "arena", "players", "rules")
"""Packages that have no game of others."""


class BrokenPromise(ValueError):
    """A package's game is not what it must be; the text says in what, and where."""


class Line(NamedTuple):
    """A line that an error went through."""

    package: str
    """The first part of the name of its module."""
    function: str
    file: str
    number: int


def lines_of(error: BaseException) -> list[Line]:
    """The lines of packages that an error went through; last the one that is nearest to it."""
    trace, lines = error.__traceback__, list[Line]()
    while trace is not None:
        code = trace.tb_frame.f_code
        package = str(trace.tb_frame.f_globals.get("__name__")).partition(".")[0]
        parts = code.co_filename.split("/")
        file = "/".join(parts[-2 if parts[-1] == "__init__.py" else -1 :])  # every folder has one
        if package not in _OURS and package not in sys.stdlib_module_names:
            lines.append(Line(package, code.co_name, file, trace.tb_lineno))
        trace = trace.tb_next
    return lines


def describe(error: BaseException) -> str:
    """An error of a package's code in words, with the line of the package."""
    if isinstance(error, BrokenPromise):
        return str(error)
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    if isinstance(error, SyntaxError):  # which names its own place
        return text
    return "".join((text, *(f" ({at.file}, line {at.number})" for at in lines_of(error)[-1:])))


def require(kept: bool, problem: str) -> None:
    """Raise BrokenPromise with the problem unless a promise is kept."""
    if not kept:
        raise BrokenPromise(problem)
