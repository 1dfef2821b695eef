"""A player, as it travels and as it is started."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from arena.model.containment import Held, Policy
from arena.model.frozen import Frozen


class Prepared(Frozen):
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
    policy: Policy = Policy()
    """What contains it."""
    held: Held = Held()
    """What its sandbox was found to hold before the tournament; kept with each game."""
