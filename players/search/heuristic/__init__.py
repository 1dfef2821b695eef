"""The heuristic search of 2048 and 2584: alpha-beta against a placer that annoys most."""

from players.search.heuristic.driver import (
    UNLIMITED,
    Found,
    HeuristicSearch,
    Limits,
    load_kernels,
    new_scratch,
)
from players.search.stop import NEVER

__all__ = [
    "NEVER",
    "UNLIMITED",
    "Found",
    "HeuristicSearch",
    "Limits",
    "load_kernels",
    "new_scratch",
]
