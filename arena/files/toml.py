"""A TOML file as text and values, and the error that tells all that is wrong with it."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from arena.errors import FileError, Problem
from arena.files.toml_lines import KeyLines
from arena.files.toml_tables import Finding, written


class NotToml(ValueError):
    """The parser stopped."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def read_file(path: Path) -> tuple[str, dict[str, Any]]:
    """A file's text and values. Raises FileError."""
    try:
        text = path.read_bytes().decode("utf-8")
        return text, parse(text)
    except NotToml as error:
        problem = error.problem
    except FileNotFoundError:
        problem = Problem("", None, _missing(path))
    except IsADirectoryError:
        problem = Problem("", None, "is a folder; name a file in it")
    except UnicodeDecodeError as error:
        message = f"not UTF-8 text: byte 0x{error.object[error.start]:02x} at {error.start}"
        problem = Problem("", None, message)
    except OSError as error:
        problem = Problem("", None, f"cannot be read: {error.strerror}")
    raise FileError(path, (problem,))


def _missing(path: Path) -> str:
    """That there is no such file, and which one may be meant."""
    folder = path.parent
    files = {file.stem: file.name for file in sorted(folder.glob("*.toml"))}
    near = difflib.get_close_matches(path.stem, files, n=1)
    if near:
        return f'no such file; did you mean "{folder / files[near[0]]}"?'
    if files:
        return f"no such file; there are: {', '.join(files.values())}"
    return f"no such file, and no *.toml in {folder.resolve()}"


def parse(text: str) -> dict[str, Any]:
    """The file's values. Raises NotToml with the line where the parser stopped."""
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"\(at line (\d+), column (\d+)\)", str(error))
        line = int(place[1]) if place else None
        raise NotToml(Problem("", line, f"not valid TOML: {error}")) from None
    except RecursionError:
        raise NotToml(_NESTED) from None
    except ValueError as error:  # an integer of thousands of digits
        raise NotToml(Problem("", None, f"a value cannot be read: {error}")) from None
    if _is_deeper(values, _MAX_DEPTH):
        raise NotToml(_NESTED)
    return values


_MAX_DEPTH = 64
_NESTED = Problem("", None, f"is nested more than {_MAX_DEPTH} deep")


def _is_deeper(value: object, levels: int) -> bool:
    """Whether tables and lists lie in each other more than so many levels."""
    if not isinstance(value, dict | list):
        return False
    inner = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(_is_deeper(each, levels - 1) for each in inner)


def problems(text: str, findings: Iterable[Finding]) -> tuple[Problem, ...]:
    """The findings with their lines, in the order of the file."""
    lines = KeyLines(text)
    placed = sorted(findings, key=lambda finding: lines.line_of(finding.path) or 0)
    return tuple(Problem(written(at), lines.line_of(at), message) for at, message in placed)
