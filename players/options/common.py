"""What the options of all players share, and the players that take none of their own."""

from __future__ import annotations

import sys
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from players.sdk import Start


class Options(BaseModel):
    """A player's options: fixed once made, no unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class MonkeyOptions(Options):
    """The random player takes none."""


class GreedyOptions(Options):
    """The greedy player takes none."""


class SearchOptions(Options):
    """What every searching player takes."""

    margin_ms: int = Field(default=10, ge=0)
    """Kept unused at the end of the time for a move, for the pipe and the scheduler. A move of
    less than twice this keeps half of its time."""
    think_ms: int | None = Field(default=None, gt=0)
    """Think no longer than so long a move, whatever the clock allows."""


Model = TypeVar("Model", bound=Options)


def read_options(model: type[Model], start: Start) -> Model:
    """The options of a game. A mistake in them ends the process with a sentence on stderr."""
    try:
        return model.model_validate(start.options)
    except ValidationError as error:
        problems = "; ".join(
            f"options.{'.'.join(map(str, problem['loc']))}: {problem['msg']}"
            for problem in error.errors()
        )
        sys.exit(f"{problems}. Known options: {', '.join(model.model_fields) or 'none'}.")
