"""The alpha-beta family, written once for every game."""

from players.search.alphabeta.driver import (
    METHODS,
    AlphaBetaSearch,
    Found,
    Limits,
    Line,
    child_of,
    legal_moves,
    load_kernels,
)
from players.search.alphabeta.ordering import new_scratch
from players.search.alphabeta.search import Context, moves_left, search
from players.search.alphabeta.table import TO_THE_END, new_table
from players.search.alphabeta.values import INFINITY, WIN, final_value, in_points
from players.search.stop import NEVER

__all__ = [
    "INFINITY",
    "METHODS",
    "NEVER",
    "TO_THE_END",
    "WIN",
    "AlphaBetaSearch",
    "Context",
    "Found",
    "Limits",
    "Line",
    "child_of",
    "final_value",
    "in_points",
    "legal_moves",
    "load_kernels",
    "moves_left",
    "new_scratch",
    "new_table",
    "search",
]
