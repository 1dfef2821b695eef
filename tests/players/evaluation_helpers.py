"""The evaluations for Python: what `players.kernels.game` says of a position, compiled."""

from __future__ import annotations

from typing import Any

from players.kernels import game
from players.kernels.cache import kernel


@kernel
def evaluate(position: Any, terms: Any) -> Any:
    """`game.evaluate` for Python."""
    return game.evaluate(position, terms)


@kernel
def expectation(position: Any, value: Any) -> Any:
    """`game.expectation` for Python."""
    return game.expectation(position, value)
