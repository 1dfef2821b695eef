"""Expectimax and minimax for 2048 and 2584, with their prunings."""

from players.search.expectimax.driver import Found, TileSearch, load_kernels
from players.search.expectimax.settings import (
    Settings,
    make_settings,
    new_scratch,
)
from players.search.stop import NEVER

__all__ = [
    "NEVER",
    "Found",
    "Settings",
    "TileSearch",
    "load_kernels",
    "make_settings",
    "new_scratch",
]
