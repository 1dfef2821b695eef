"""Names for what kernels take. They are for the reader: numba looks at the values alone."""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]
Flag: TypeAlias = npt.NDArray[np.int64]
"""One entry: not 0 once the kernel is to stop."""
Record: TypeAlias = np.record
"""A row of a structured array: one pointer to hand down, with fields as attributes in kernels."""

Int: TypeAlias = int | np.int64
Real: TypeAlias = float | np.float64
Word: TypeAlias = np.uint64
Rng: TypeAlias = np.uint64
"""The state of the random numbers."""
Node: TypeAlias = Int
"""The index of a tree's entry."""
Move: TypeAlias = Int
Seat: TypeAlias = Int


class Position(Protocol):
    """A position of any game, a NamedTuple of its own (`players.games.interface`)."""

    @property
    def seat(self) -> int:
        """The player to move."""


class Tiles(Protocol):
    """A board of 2048 or 2584, a NamedTuple of its own (`players.games.tiles.interface`)."""
