"""The evaluations for Python: what `players.games.interface` says of a position, compiled."""

from typing import Any

from players.compiled.cache import kernel
from players.games import interface as game


@kernel
def evaluate(position: Any, terms: Any) -> Any:
    """`game.evaluate` for Python."""
    return game.evaluate(position, terms)


@kernel
def expectation(position: Any, value: Any) -> Any:
    """`game.expectation` for Python."""
    return game.expectation(position, value)
