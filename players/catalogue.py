"""The built-in players: what they are called, how they run, what they accept and can play."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from players.options import (
    AlphaBetaOptions,
    GreedyOptions,
    MonkeyOptions,
    UctOptions,
    WeightedUctOptions,
)

Support = Callable[[str, Mapping[str, Any]], str | None]
"""Rules and variant to a sentence saying why the player cannot play it, or None when it can."""

LARGEST_OTHELLO = 8
"""The largest board whose squares fit one machine word."""


@dataclass(frozen=True)
class Builtin:
    """A player that comes with the arena."""

    name: str
    """Its name in a tournament file."""
    module: str
    """It runs as `python -m module`."""
    summary: str
    """One line for people."""
    uses_clock: bool
    """Whether it thinks for the whole time a move may take."""
    kernels: bool
    """Whether it has kernels to compile before its first game."""
    options: type[BaseModel]
    """Validates the player's options table."""
    support: Support

    def unsupported(self, rules: str, variant: Mapping[str, Any]) -> str | None:
        """A sentence saying why it cannot play these rules, or None when it can."""
        return self.support(rules, variant)


def _plays_all(rules: str, variant: Mapping[str, Any]) -> str | None:
    return None


def _searches(name: str) -> Support:
    def support(rules: str, variant: Mapping[str, Any]) -> str | None:
        if rules not in ("othello", "dots"):
            return f"{name} plays othello and dots, not {rules}"
        if rules == "othello" and variant.get("size", 8) > LARGEST_OTHELLO:
            size = variant["size"]
            return (
                f"{name} plays Othello up to {LARGEST_OTHELLO}×{LARGEST_OTHELLO}, not {size}×{size}"
            )
        return None

    return support


BUILTINS: dict[str, Builtin] = {
    builtin.name: builtin
    for builtin in (
        Builtin(
            name="monkey",
            module="players.monkey",
            summary="plays any legal move with equal probability",
            uses_clock=False,
            kernels=False,
            options=MonkeyOptions,
            support=_plays_all,
        ),
        Builtin(
            name="greedy",
            module="players.greedy",
            summary="takes the largest immediate gain: discs, boxes, merged tiles",
            uses_clock=False,
            kernels=False,
            options=GreedyOptions,
            support=_plays_all,
        ),
        Builtin(
            name="uct",
            module="players.uct",
            summary="Monte Carlo tree search: UCB1 with random playouts, reusing its tree",
            uses_clock=True,
            kernels=True,
            options=UctOptions,
            support=_searches("uct"),
        ),
        Builtin(
            name="weighted-uct",
            module="players.weighted_uct",
            summary="UCT with a weight for each square, by colour",
            uses_clock=True,
            kernels=True,
            options=WeightedUctOptions,
            support=_searches("weighted-uct"),
        ),
        Builtin(
            name="alphabeta",
            module="players.alphabeta",
            summary="iterative deepening principal variation search with a transposition table",
            uses_clock=True,
            kernels=True,
            options=AlphaBetaOptions,
            support=_searches("alphabeta"),
        ),
    )
}
"""Every built-in player by name."""
