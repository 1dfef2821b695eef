"""The terms of a game: what is played, and under which limits."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, model_validator

import rules as rule_sets
from arena.model import Frozen
from arena.model.protocol import Clock
from rules.position import Game

OnFault = Literal["forfeit", "random_move"]
"""What a fault costs: the game, or a move that the referee draws at random."""


class Terms(Frozen):
    """What all games of a tournament have in common: one value in configuration, spec, record."""

    rules: str
    """The rule set: othello, dots, 2048, 2584, or one of a course."""
    variant: dict[str, Any]
    """Keyword arguments of `rules.load` after the name."""
    clock: Clock = Clock()
    startup_ms: int = Field(default=30_000, gt=0)
    """The time a player has to answer `start`."""
    grace_ms: int = Field(default=100, ge=0)
    """Added to every limit."""
    on_fault: OnFault = "forfeit"
    ponder: bool = True
    """Whether players may think while others are to move; else they are frozen."""
    max_plies: int | None = Field(default=None, gt=0)
    """The game is adjudicated by its scores after that many plies; null for no limit."""

    @property
    def game(self) -> Game:
        """The rules of the game. Raises ValueError where there is no such game."""
        return rule_sets.load(self.rules, **self.variant)


class UnderTerms(Frozen):
    """A value that has terms."""

    terms: Terms

    @model_validator(mode="before")
    @classmethod
    def _lift_terms(cls, data: Any) -> Any:
        """Take what stores of schema 1 hold, where the fields of the terms stand among others."""
        if not isinstance(data, Mapping) or "terms" in data:
            return data
        flat = {name: data[name] for name in Terms.model_fields if name in data}
        return {name: data[name] for name in data if name not in flat} | {"terms": flat}
