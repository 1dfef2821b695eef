"""On which line of a TOML file a key stands: `tomllib` reads values and forgets their place."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator

KeyPath = tuple[str | int, ...]
"""Keys and, inside arrays of tables, indices from 0: `("player", 1, "options", "c")`."""

_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"""'
    r"|'''.*?'''"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'[^'\n]*'"
    r"|#[^\n]*"
    r"|[\[\]{}=\n]"
    r"|[^\[\]{}=\n\"'#]+",
    re.DOTALL,
)


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
    last: dict[KeyPath, int] = {}  # arrays of tables → index of their newest table
    for head, line in _statements(text):
        if not head.startswith("["):
            yield (*table, *_keys(head)), line
            continue
        is_array = head.startswith("[[")
        keys = _keys(head.strip("[]"))
        table = ()
        for position, key in enumerate(keys, 1):
            table = (*table, key)
            if is_array and position == len(keys):
                last[table] = last.get(table, -1) + 1
            if table in last:
                table = (*table, last[table])
        yield table, line


def _statements(text: str) -> Iterator[tuple[str, int]]:
    """Every `[header]` and the left side of every `key = value`, with its line."""
    line, depth, head, in_value = 1, 0, "", False
    for match in _TOKEN.finditer(text + "\n"):
        token = match.group()
        if token == "\n" and depth == 0:
            if head.strip() and not in_value:
                yield head.strip(), line
            head, in_value = "", False
        elif token == "=" and not in_value:
            yield head.strip(), line
            in_value = True
        elif in_value:
            depth += (token in ("[", "{")) - (token in ("]", "}"))
        elif not token.startswith("#"):
            head += token
        line += token.count("\n")


def _keys(dotted: str) -> KeyPath:
    """`a."b.c"` → ("a", "b.c"), read by the parser that knows all about quoting."""
    keys: list[str] = []
    value: object = tomllib.loads(f"{dotted} = 0")
    while isinstance(value, dict):
        (key, value), *_ = value.items()
        keys.append(key)
    return tuple(keys)
