"""The options of `alphabeta`."""

from __future__ import annotations

from pydantic import Field

from players.options.common import SearchOptions


class AlphaBetaOptions(SearchOptions):
    """Iterative deepening with principal variation search."""

    depth: int | None = Field(default=None, gt=0)
    """Search no deeper than so many moves; the clock still ends the thinking."""
    memory_mb: int = Field(default=64, ge=1, le=16_384)
    """The size of the transposition table."""
