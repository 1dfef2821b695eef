"""Names for what kernels of a search take, in addition to those of all kernels."""

from __future__ import annotations

from typing import Protocol, TypeAlias

import numpy as np

from players.compiled.types import Array, Flag, Int, Move, Real, Rng, Seat, Word

__all__ = [
    "Array",
    "Flag",
    "Int",
    "Move",
    "Node",
    "Position",
    "Real",
    "Record",
    "Rng",
    "Seat",
    "Tiles",
    "Word",
]

Record: TypeAlias = np.record
"""A row of a structured array: one pointer to hand down, with fields as attributes in kernels."""
Node: TypeAlias = Int
"""The index of a tree's entry."""


class Position(Protocol):
    """A position of any game, a NamedTuple of its own (`players.games.interface`)."""

    @property
    def seat(self) -> int:
        """The player to move."""


class Tiles(Protocol):
    """A board of 2048 or 2584, a NamedTuple of its own (`players.games.tiles.interface`)."""
