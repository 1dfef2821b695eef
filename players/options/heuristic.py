"""The options of `heuristic`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from players.options.common import SearchOptions
from players.options.tunable import Tunable

SMOOTHNESS, MONOTONICITY, EMPTY, LARGEST = 0.1, 1.0, 2.7, 1.0
"""The weights of the evaluation's terms in S19 of the course notes."""

MOST = 100.0
"""No weight is further from 0, so that the end of a game counts more than any board."""

DEEPEST = 50
"""No search looks more slides ahead."""


class HeuristicOptions(SearchOptions):
    """Alpha-beta with iterative deepening against a placer that annoys the slider most."""

    think_ms: int | None = Field(default=100, gt=0)
    """Think no longer than so long a move, whatever the clock allows."""
    depth: int | None = Field(default=None, gt=0, le=DEEPEST)
    """Look no more slides ahead; the clock still ends the thinking."""
    nodes: int | None = Field(default=None, gt=0)
    """Look at about so many boards at most; the clock still ends the thinking."""
    smoothness: Annotated[float, Tunable(low=0.0, high=5.0, step=0.1)] = Field(
        default=SMOOTHNESS, ge=-MOST, le=MOST
    )
    """The weight of smoothness: minus the differences between neighbouring tiles, counted in steps
    of the row of tiles; the next tile across empty cells is a neighbour."""
    monotonicity: Annotated[float, Tunable(low=0.0, high=10.0, step=0.2)] = Field(
        default=MONOTONICITY, ge=-MOST, le=MOST
    )
    """The weight of monotonicity: minus the steps the wrong way, in the rows together and in the
    columns together, the right way being the one that leaves less of them."""
    empty: Annotated[float, Tunable(low=0.0, high=20.0, step=0.5)] = Field(
        default=EMPTY, ge=-MOST, le=MOST
    )
    """The weight of the natural logarithm of the number of empty cells."""
    largest: Annotated[float, Tunable(low=0.0, high=10.0, step=0.3)] = Field(
        default=LARGEST, ge=-MOST, le=MOST
    )
    """The weight of the largest tile, counted in steps of the row of tiles."""
    memory_mb: int = Field(default=16, ge=0, le=16_384)
    """The size of the transposition table; 0 for none."""
