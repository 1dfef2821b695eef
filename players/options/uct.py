"""The options of `uct` and `weighted-uct`."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationInfo, field_validator

from players.options.common import SearchOptions

WEIGHT_TABLES = ("hand", "league")
"""The weights that come with the package."""


class UctOptions(SearchOptions):
    """UCB1 applied to trees, with random playouts."""

    c: float = Field(default=1.0, ge=0)
    """The weight of exploration in value + c·sqrt(2·ln N/n), values being in [0, 1]."""
    iterations: int | None = Field(default=None, gt=0)
    """Think for so many iterations instead of by the clock; the choice then depends on the seed
    alone. The clock still ends the thinking when it runs out first."""
    final: Literal["visits", "value"] = "visits"
    """Play the move with the most visits, or the one with the highest mean value."""
    memory_mb: int = Field(default=1024, ge=1, le=65_536)
    """The size of the tree. When it is full the tree stops growing and sampling goes on."""
    reuse: bool = True
    """Keep the part of the tree below the moves played for the next move."""


class WeightedUctOptions(UctOptions):
    """UCT whose values are multiplied by a weight for each move during selection."""

    weights: str = "hand"
    """"hand", "league", or the path of a JSON file, relative to the tournament file: for Othello
    `{"black": rows, "white": rows}`, each 8 rows of 8 weights or, where the board is symmetric, its
    upper left quarter, 4 rows of 4; for dots `{"first": {"a1b1": 1.05, …}, "second": {…}}`, with 1
    for every edge left out. The tables "hand" and "league" are made for cornerless Othello; for
    dots none is published, and there they stand for 1 everywhere."""

    @field_validator("weights")
    @classmethod
    def _exists(cls, weights: str, info: ValidationInfo) -> str:
        """Where the tournament file's folder is known as the context `folder`."""
        if info.context and weights not in WEIGHT_TABLES:
            path = Path(info.context["folder"]) / weights
            if not path.is_file():
                known = " and ".join(WEIGHT_TABLES)
                raise ValueError(f"no such file: {path}; the tables that come along are {known}")
        return weights
