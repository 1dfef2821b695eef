"""2048 and 2584 as parameters of tests, of which those of 2048 are quick."""

import pytest
from _pytest.mark.structures import ParameterSet

from rules.tiles import SPAWNS


def case(name: str, *more: object) -> ParameterSet:
    """Slow unless it is of 2048: each game has kernels of its own, which take long to compile."""
    return pytest.param(name, *more, marks=[] if name == "2048" else pytest.mark.slow)


NAMES = [case(name) for name in SPAWNS]
GAMES = [case(name, spawn) for name, spawns in SPAWNS.items() for spawn in spawns]
