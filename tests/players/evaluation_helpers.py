"""The evaluations for Python: what `players.games.interface` says of a position, compiled."""

from typing import Any

import numpy as np

from players.compiled.cache import kernel
from players.games import interface as game


@kernel
def evaluate(position: Any, terms: Any) -> Any:
    """`game.evaluate` for Python."""
    return game.evaluate(position, terms)


@kernel
def evaluate_after(position: Any, move: Any, terms: Any, drawn: Any) -> Any:
    """The values of what a move and those that follow by themselves lead to, by its outline before
    the move and by itself.
    """
    game.outline(position, terms, drawn)
    child = game.play(position, np.int64(move))
    after = game.forced(child)
    while after >= 0:
        child = game.play(child, after)
        after = game.forced(child)
    return game.evaluate_after(position, np.int64(move), child, drawn, terms), game.evaluate(
        child, terms
    )


@kernel
def expectation(position: Any, value: Any) -> Any:
    """`game.expectation` for Python."""
    return game.expectation(position, value)
