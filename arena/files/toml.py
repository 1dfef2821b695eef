"""A TOML file as text and values, and on which line each key is: `tomllib` forgets that."""

import difflib
import re
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from arena.errors import FileError, Problem, UserError
from arena.files.rights import missing


class NotToml(ValueError):
    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def read_file(path: Path, error: type[FileError] = FileError) -> tuple[str, dict[str, Any]]:
    """A file's text and values. Raises `error`."""
    try:
        text = path.read_bytes().decode("utf-8-sig")  # with the mark that some editors begin with
        return text, parse(text)
    except NotToml as found:
        raise error(path, (found.problem,)) from None
    except FileNotFoundError:
        why = _missing(path)
    except IsADirectoryError:
        why = "is a folder; name a file in it"
    except UnicodeDecodeError as found:
        why = f"not UTF-8 text: byte 0x{found.object[found.start]:02x} at {found.start}"
        if found.object.startswith(b"SQLite format 3"):
            why = "is a file of SQLite, not text; `arena report` shows it if it is a run"
    except OSError as found:
        why = "; ".join(filter(None, (f"cannot be read: {found.strerror}", missing(found))))
    raise error(path, (Problem("", None, why),))


def _missing(path: Path) -> str:
    """That there is no such file, and which one may be meant."""
    folder = path.parent
    files = {file.stem: file.name for file in sorted(folder.glob("*.toml"))}
    files.pop("pyproject", None)  # in a checkout, and no file of ours
    near = difflib.get_close_matches(path.stem, files, n=1)
    if near:
        return f'no such file; did you mean "{folder / files[near[0]]}"?'
    if files:
        return f"no such file; there are: {', '.join(files.values())}"
    return f"no such file, and nothing like it in {folder.resolve()}"


_MAX_DEPTH = 64


def parse(text: str) -> dict[str, Any]:
    """The file's values. Raises NotToml with the line where the parser stopped."""
    try:
        values = tomllib.loads(text)
        _refuse_beyond(values, _MAX_DEPTH)
        return values
    except tomllib.TOMLDecodeError as error:
        problem = _written_twice(text, error) or _where(error)
    except ValueError:
        why = "a value cannot be read: an integer of thousands of digits"
        problem = Problem("", None, why)
    except RecursionError:
        problem = Problem("", None, f"is nested more than {_MAX_DEPTH} deep")
    raise NotToml(problem)


def _where(error: tomllib.TOMLDecodeError) -> Problem:
    message, _, place = str(error).partition(" (at line ")
    line, _, column = place.rstrip(")").partition(", column ")
    at = f", at column {column}" if column else ""
    return Problem("", int(line) if line else None, f"not valid TOML: {message}{at}")


def _written_twice(text: str, error: tomllib.TOMLDecodeError) -> Problem | None:
    """The key or table that was written before, where the parser stopped at that."""
    if not str(error).startswith("Cannot "):
        return None
    seen = set[KeyPath]()
    with suppress(ValueError):  # what follows may be no TOML
        for path, line in _walk(text):
            if path in seen:
                key = ".".join(step for step in path if isinstance(step, str))
                return Problem(key, line, "is there twice; leave one of the two out")
            seen.add(path)
    return None


def _refuse_beyond(value: object, levels: int) -> None:
    """Raise RecursionError for tables and lists nested more than that many levels, ValueError for
    an integer that Python does not write in decimals.
    """
    if isinstance(value, int):
        str(value)
    if not isinstance(value, dict | list):
        return
    if levels == 0:
        raise RecursionError
    for each in value.values() if isinstance(value, dict) else value:
        _refuse_beyond(each, levels - 1)


KeyPath = tuple[str | int, ...]
"""Keys and, inside arrays of tables, indices from 0: `("player", 1, "options", "c")`."""

_OPAQUE = re.compile(
    r'"""(?:\\.|[^\\])*?"""|\'\'\'.*?\'\'\'|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|#[^\n]*', re.DOTALL
)
"""Strings and comments."""


class KeyLines:
    """The lines of one TOML text that `tomllib` has accepted."""

    def __init__(self, text: str) -> None:
        self._lines = dict(_walk(text))

    def line_of(self, path: KeyPath) -> int | None:
        """The line of the key, or of the nearest table around it; None when that is the file."""
        while path and path not in self._lines:
            path = path[:-1]
        return self._lines.get(path)


def _walk(text: str) -> Iterator[tuple[KeyPath, int]]:
    table: KeyPath = ()
    newest: dict[KeyPath, int] = {}  # of arrays of tables, the index of the newest table
    for head, line in _statements(text):
        keys = _keys(head.strip("[]"))
        if not head.startswith("["):
            yield (*table, *keys), line
            continue
        table = ()
        for position, key in enumerate(keys, 1):
            array = (*table, key)
            if head.startswith("[[") and position == len(keys):
                newest[array] = newest.get(array, -1) + 1
            table = (*array, newest[array]) if array in newest else array
        yield table, line


def _statements(text: str) -> Iterator[tuple[str, int]]:
    """Every `[header]` and the left side of every `key = value`, with its line."""
    masked = _OPAQUE.sub(lambda found: (" " if found[0][0] == "#" else "x") * len(found[0]), text)
    line, end, depth = 1, 0, 0
    for part in masked.split("\n"):  # of several lines, where a string is
        head, _, value = ("", "", part) if depth else part.partition("=")
        if head.strip():
            yield text[end : end + len(head.rstrip())].lstrip(), line
        depth += sum(map(value.count, "[{")) - sum(map(value.count, "]}"))
        begin, end = end, end + len(part) + 1
        line += text.count("\n", begin, end)


def _keys(dotted: str) -> KeyPath:
    """`a."b.c"` → ("a", "b.c"), read by the parser that knows all about quoting."""
    keys: list[str] = []
    value: object = tomllib.loads(f"{dotted} = 0")
    while isinstance(value, dict):
        (key, value), *_ = value.items()
        keys.append(key)
    return tuple(keys)


def read_pairs(option: str, pairs: Iterable[str] | None) -> dict[str, Any]:
    """The table of a file that `option key=value …` stands for. Raises UserError."""
    table: dict[str, Any] = {}
    for pair in pairs or ():
        key, equals, text = pair.partition("=")
        if not equals or not key.strip():
            raise UserError(f"{option} takes key=value, not {pair!r}")
        table[key.strip()] = read_value(text.strip())
    return table


def read_value(text: str) -> Any:
    """The value as a file has it after `key =`; the text itself where it is none."""
    try:
        return parse(f"value = {text}")["value"]
    except NotToml:
        return text
