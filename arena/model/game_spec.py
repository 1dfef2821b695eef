"""One game to be played: its terms, its place in the tournament, its randomness, its players."""

import hashlib
import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

import rules as rule_sets
from arena.model import Frozen
from arena.model.contender import Contender
from arena.model.protocol import Clock
from rules.position import Game, Position

Seed = Annotated[int, Field(ge=-(2**63), lt=2**63)]
"""Such as stores keep."""
OnFault = Literal["forfeit", "random_move"]
"""The cost of a fault: the game, or a move that the referee draws at random."""
STARTUP_MS, GRACE_MS = 30_000, 100
"""By default: the time to answer `start`, and what is added to every limit."""


class Terms(Frozen):
    """The terms that all games of a tournament share: one value in configuration, spec, record."""

    rules: str
    """The rule set: othello, dots, 2048, 2584, or one of a course."""
    variant: dict[str, Any]
    """Keyword arguments of `rules.load` after the name."""
    clock: Clock = Clock()
    startup_ms: int = Field(default=STARTUP_MS, gt=0)
    """The time a player has to answer `start`."""
    grace_ms: int = Field(default=GRACE_MS, ge=0)
    """Added to every limit."""
    on_fault: OnFault = "forfeit"
    ponder: bool = True
    """Whether players may think while others are to move; else they are frozen."""
    max_plies: int | None = Field(default=None, gt=0)
    """The game is adjudicated by its scores after that many plies; null for no limit."""

    @property
    def game(self) -> Game:
        """The rules of the game. Raises ValueError where there is no such game."""
        return _loaded(self.rules, json.dumps(self.variant, sort_keys=True))


@lru_cache
def _loaded(rules: str, variant: str) -> Game:
    """The tables of a board are made once, not for each game."""
    return rule_sets.load(rules, **json.loads(variant))


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


class GameSetup(UnderTerms):
    """The start of a game: all that its players do not decide."""

    game: str
    """Its id, unique in the tournament and sent to the players."""
    round: int = 0
    pair: str = ""
    """Games that belong together (colours or roles swapped, or the same seed) share this label."""
    opening: tuple[str, ...] = ()
    """Moves played before a player is asked."""
    seed: Seed = 0
    """Draws chance moves and random moves, and each player's own `seed`."""

    def start(self) -> Position:
        """The first position, before the opening."""
        return first_position(self.terms.game, self.seed)


class GameSpec(GameSetup):
    """One game as it travels to where it is played."""

    players: tuple[Contender, ...] = Field(min_length=1)
    """By seat."""


def derive(seed: int, purpose: str) -> int:
    """Draw a seed from another, the same on every machine and in every version of Python.

    0 ≤ seed < 2³¹, as players in any language can take it; from SHA-256 of `seed:purpose`.
    """
    digest = hashlib.sha256(f"{seed}:{purpose}".encode()).digest()
    return int.from_bytes(digest[:4], "big") >> 1


def first_position(game: Game, seed: int) -> Position:
    """Where the game of this seed starts: the tiles that 2048 and 2584 begin with are drawn."""
    return game.start(derive(seed, "start"))
