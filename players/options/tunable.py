"""What an option's declaration says to tuners: within which bounds, and in steps of what size."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel


@dataclass(frozen=True)
class Tunable:
    """Annotates a numeric option that may be tuned."""

    low: float
    high: float
    """The least and the greatest value worth trying."""
    step: float
    """A change that may be felt: tuners measure by it, so that all options are alike to them."""


@dataclass(frozen=True)
class TunableTable:
    """Annotates an option that names a table of weights for moves: each weight may be tuned.

    Weights of moves that the board's symmetries take into each other stay equal.
    """

    low: float
    high: float
    step: float


def tunables(options: type[BaseModel]) -> dict[str, Tunable]:
    """The numeric options of a player that may be tuned, by name."""
    return {
        name: mark
        for name, field in options.model_fields.items()
        for mark in field.metadata
        if isinstance(mark, Tunable)
    }


def tunable_table(options: type[BaseModel]) -> tuple[str, TunableTable] | None:
    """The option of a player that names a table to be tuned, and within which bounds; or None."""
    for name, field in options.model_fields.items():
        for mark in field.metadata:
            if isinstance(mark, TunableTable):
                return name, mark
    return None
