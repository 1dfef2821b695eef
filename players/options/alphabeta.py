"""The options of `alphabeta`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from players.options.common import EVALUATIONS, SearchOptions, named_or_file
from players.options.tunable import Tunable


class AlphaBetaOptions(SearchOptions):
    """Iterative deepening with a transposition table, and exact endgames."""

    method: Literal["minimax", "alphabeta", "pvs", "mtdf"] = "pvs"
    """How the tree is searched; all give the same value at equal depth. "pvs" looks whether a move
    is better than the best so far before it asks by how much; "mtdf" finds the value by such
    questions alone; "minimax" prunes nothing."""
    depth: int | None = Field(default=None, gt=0)
    """Search no deeper than so many moves; the clock still ends the thinking. Boxes that are taken
    as a matter of course are not counted."""
    nodes: int | None = Field(default=None, gt=0)
    """Search about so many positions at most, those the exact endgame looks at not counted; the
    clock still ends the thinking."""
    evaluation: Annotated[str, named_or_file(*EVALUATIONS)] = "default"
    """What positions are valued by: "default"; "classic", without patterns; "learned", the networks
    for 8×8 Othello that come along; or the path of a file, such as a network of `arena train`."""
    memory_mb: int = Field(default=64, ge=0, le=16_384)
    """The size of the transposition table; 0 for none."""
    aspiration: Annotated[float, Tunable(low=0.0, high=20.0, step=1.0)] = Field(default=0, ge=0)
    """Expect the value of a deeper search within so many discs or boxes of the last one, and search
    again where it is not; 0 for no expectation. "minimax" and "mtdf" have no use for it."""
    endgame: int | None = Field(default=None, ge=0)
    """Solve the position exactly once so many moves remain, after a first search of a quarter of
    the time; 0 for never. Left out: as many as are, typically, solved in the time there is, and
    none when `depth` or `nodes` is given."""
    endgame_leaves: int | None = Field(default=None, ge=0)
    """End the search's lines with exact values where so many moves remain; 0 for never. Left out:
    as many as are, typically, solved in a tenth of a millisecond."""
    endgame_mb: int = Field(default=64, ge=1, le=16_384)
    """The size of the exact endgame's table."""
    early_stop: bool = False
    """Stop thinking when the time left is too short for a deeper search, which saves time on a
    bank; otherwise the deeper search is begun for what its first moves show."""
