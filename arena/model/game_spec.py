"""What the referee is asked to play: one game, its players and its limits."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from arena.model.containment import Held, Policy
from arena.model.frozen import Frozen
from arena.model.protocol import Clock


class PlayerSpec(Frozen):
    """A program that plays, and what it is given."""

    name: str
    """Its name in the tournament, unique there."""
    command: tuple[str, ...] = Field(min_length=1)
    """The program and its arguments."""
    cwd: str | None = None
    """The folder it is started in; null for the referee's own."""
    options: dict[str, Any] = Field(default_factory=dict)
    """Sent as `options` in `start`."""
    threads: int = Field(default=1, ge=1)
    """Cores it may keep busy while it thinks."""
    memory_mb: int | None = Field(default=2048, gt=0)
    """Resident memory of all its processes together; null for no limit."""
    sandbox: Policy = Policy()
    held: Held = Held()
    """What its sandbox was found to hold before the tournament; kept with each game."""


class GameSpec(Frozen):
    """One game, complete: playing it needs nothing else."""

    game: str
    """Its id, unique in the tournament and sent to the players."""
    round: int = 0
    pair: str = ""
    """Games that belong together (colours or roles swapped, or the same seed) share this label."""
    rules: str
    variant: dict[str, Any]
    """Keyword arguments of `rules.load` beside the name."""
    players: tuple[PlayerSpec, ...] = Field(min_length=1)
    """By seat."""
    opening: tuple[str, ...] = ()
    """Moves played before a player is asked."""
    seed: int = 0
    """Draws chance moves and random moves, and each player's own `seed`."""
    clock: Clock = Clock()
    startup_ms: int = Field(default=30_000, gt=0)
    grace_ms: int = Field(default=100, ge=0)
    """Added to every limit."""
    on_fault: Literal["forfeit", "random_move"] = "forfeit"
    ponder: bool = True
    """Whether players may go on thinking while others are to move; else they are frozen."""
    max_plies: int | None = Field(default=None, gt=0)
    """The game is adjudicated by its scores after so many plies; null for no limit."""
