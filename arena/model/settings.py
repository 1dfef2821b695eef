"""`--set key=value` and `--option key=value`: what a tournament file says in tables."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from typing import Any

import rules
from arena.errors import UserError
from rules.position import Game


def read_pairs(option: str, pairs: Iterable[str]) -> dict[str, Any]:
    """The table that `option key=value …` stands for.

    A value is read as in a tournament file; what is no number, boolean, list or quoted string is
    a string without its quotes. Raises UserError.
    """
    table: dict[str, Any] = {}
    for pair in pairs:
        key, equals, text = pair.partition("=")
        if not equals or not key.strip():
            raise UserError(f"{option} takes key=value, not {pair!r}")
        table[key.strip()] = read_value(text.strip())
    return table


def load_game(name: str, pairs: Iterable[str]) -> Game:
    """The game of `--set`. Raises UserError."""
    try:
        return rules.load(name, **read_pairs("--set", pairs))
    except ValueError as error:
        raise UserError(f"--set: {error}") from None


def read_value(text: str) -> Any:
    """What a tournament file would have after `key =`; the text itself where that is nothing."""
    try:
        read = tomllib.loads(f"value = {text}")
    except tomllib.TOMLDecodeError:
        return text
    return read["value"]
