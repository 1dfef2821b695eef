"""Names for what kernels of a search take, in addition to those of all kernels."""

from typing import TypeAlias

import numpy as np

from players.compiled.types import Array, Flag, Int, Move, Real, Rng, Seat, Word
from players.games.interface import Position
from players.games.tiles.interface import Tiles

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
