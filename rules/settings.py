"""Checks of what comes from outside: a game's settings and the keys of a state.

All raise ValueError with a sentence that names the key, what was given and what is expected.
"""

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any


def one_of(key: str, value: object, known: Iterable[str]) -> str:
    """`value`, which must be one of the words `known`."""
    words = tuple(known)
    if not isinstance(value, str) or value not in words:
        hint = _did_you_mean(value, words) if isinstance(value, str) else ""
        raise ValueError(f"{key} must be one of {', '.join(words)}, not {value!r}{hint}")
    return value


def whole(key: str, value: object, low: int, high: int | None = None) -> int:
    """`value`, which must be an integer of low … high; booleans are no integers."""
    if type(value) is not int or value < low or (high is not None and value > high):
        span = f"from {low} to {high}" if high is not None else f"of at least {low}"
        raise ValueError(f"{key} must be an integer {span}, not {value!r}")
    return value


def flag(key: str, value: object) -> bool:
    """`value`, which must be a boolean."""
    if not isinstance(value, bool):
        raise ValueError(f"{key} must be true or false, not {value!r}")
    return value


def only_known(what: str, given: Iterable[str], known: Sequence[str]) -> None:
    """Refuse a key that is not among `known`."""
    for key in given:
        if key not in known:
            hint = _did_you_mean(key, known)
            names = ", ".join(known) or "none"
            raise ValueError(f"{what} has no option {key!r}; known: {names}{hint}")


def _did_you_mean(word: str, known: Sequence[str]) -> str:
    near = get_close_matches(word, known, 1)
    return f"; did you mean {near[0]!r}?" if near else ""


def required(state: Mapping[str, Any], key: str) -> Any:
    """The value of `key`, which a state must have."""
    if not isinstance(state, Mapping):
        raise ValueError(f"a state must be an object, not {state!r}")
    if key not in state:
        raise ValueError(f"the state has no {key!r}")
    return state[key]


def text_rows(key: str, value: object, rows: int, columns: int, alphabet: str) -> str:
    """All characters of `rows` strings of `columns` characters each, top row first."""
    grid = _rows(key, value, rows, "strings")
    for number, row in enumerate(grid):
        if not isinstance(row, str) or len(row) != columns or set(row) - set(alphabet):
            raise ValueError(
                f"{key}[{number}] must be a string of {columns} characters out of "
                f"{' '.join(alphabet)}, not {row!r}"
            )
    return "".join(grid)


def int_rows(key: str, value: object, rows: int, columns: int) -> tuple[int, ...]:
    """All entries of `rows` lists of `columns` integers each, top row first."""
    grid = _rows(key, value, rows, "lists")
    for number, row in enumerate(grid):
        fits = isinstance(row, list | tuple) and len(row) == columns
        if not fits or any(type(entry) is not int for entry in row):
            raise ValueError(f"{key}[{number}] must be a list of {columns} integers, not {row!r}")
    return tuple(entry for row in grid for entry in row)


def seat_or_null(state: Mapping[str, Any], seats: Sequence[int]) -> int | None:
    """`to_move` of a state: one of `seats`, or null."""
    value = required(state, "to_move")
    if value is not None and (type(value) is not int or value not in seats):
        expected = ", ".join(map(str, seats))
        raise ValueError(f"to_move must be one of {expected} or null, not {value!r}")
    return value


def _rows(key: str, value: object, rows: int, kind: str) -> Sequence[Any]:
    if not isinstance(value, list | tuple) or len(value) != rows:
        found = f"{len(value)} entries" if isinstance(value, list | tuple) else repr(value)
        raise ValueError(f"{key} must be a list of {rows} {kind}, not {found}")
    return value
