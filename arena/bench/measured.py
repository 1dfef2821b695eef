"""The cost of some games."""

from typing import NamedTuple


class Measured(NamedTuple):
    """Some games."""

    moves: int
    wall_us: float
    """Wall time of a move."""
    cpu_us: float
    """CPU time of the referee's own process for a move."""
