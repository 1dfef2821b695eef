"""Which moves a search need not try, by the game's own laws: value is never lost.

Each function is answered by the game's file through `numba.extending.overload` on its position
type.
"""

from __future__ import annotations

from typing import Any

NO_MOVE = -1


def count_moves(position: Any) -> int:
    """How many legal moves there are; 0 when the game is over."""
    raise NotImplementedError


def forced(position: Any) -> int:
    """A move certain to be among the best, so that no other need be tried; NO_MOVE when none is."""
    raise NotImplementedError


def candidates(position: Any, out: Any) -> int:
    """Write moves, a best one certainly among them, to the front of the int16 array `out`; their
    number, 0 at the end. The position has no forced move; it need not be canonical.
    """
    raise NotImplementedError


def canonical(position: Any) -> Any:
    """One position for all that differ in name only: same mover, same values."""
    raise NotImplementedError
