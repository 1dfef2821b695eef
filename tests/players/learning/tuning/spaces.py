"""The space of Othello's weights that the tests of tuning search."""

import rules
from players.learning.tuning.space import Space, WeightsPlan

CORNERLESS = rules.load("othello", preset="cornerless")
PLAN = WeightsPlan("weights", "flat", 0.9, 1.1, 0.02, "apart", "all")


def space_of(game: rules.Game = CORNERLESS, **changes: object) -> Space:
    """The space with changes of the plan."""
    plan = WeightsPlan(**{**vars(PLAN), **changes})
    return Space(game, {"iterations": 20}, [], plan)
