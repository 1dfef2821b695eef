"""The built-in players: what they are called, how they run, what they accept and can play."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from players.compiled.folder import cache_folder
from players.options import (
    AlphaBetaOptions,
    ExpectimaxOptions,
    GreedyOptions,
    GtpOptions,
    HeuristicOptions,
    MonkeyOptions,
    PlacerOptions,
    UctOptions,
    WeightedUctOptions,
)
from rules import TILE_GAMES

Support = Callable[[str, Mapping[str, Any]], str | None]
"""Rules and variant to a sentence saying why the player cannot play it, or None when it can."""

WORD_BITS = 64
"""The kernels keep a board in words of so many bits: one bit for each square, or for each dot."""


@dataclass(frozen=True)
class Builtin:
    """A player that comes with the arena."""

    name: str
    """Its name in a tournament file."""
    module: str
    """It runs as `python -m module`."""
    summary: str
    """One line for people."""
    uses_clock: bool | None
    """Whether it thinks for the whole time a move may take; None where its options decide."""
    kernels: bool
    """Whether it has kernels to compile before its first game."""
    options: type[BaseModel]
    """Validates the player's options table."""
    support: Support

    @property
    def readable(self) -> tuple[str, ...]:
        """Folders outside the package that it reads: its compiled kernels."""
        return (str(cache_folder()),) if self.kernels else ()

    def unsupported(self, rules: str, variant: Mapping[str, Any]) -> str | None:
        """A sentence saying why it cannot play these rules, or None when it can."""
        reason = self.support(rules, variant)
        return reason and f"{self.name} cannot play this: {reason}"


def _plays_all(rules: str, variant: Mapping[str, Any]) -> str | None:
    return None


def _searches(rules: str, variant: Mapping[str, Any]) -> str | None:
    if rules == "othello":
        size = variant.get("size", 8)
        if size * size > WORD_BITS:
            return f"it plays Othello on boards up to 8×8, not {size}×{size}"
        return None
    if rules == "dots":
        rows, cols = variant.get("rows", 5), variant.get("cols", 5)
        if (rows + 1) * (cols + 1) > WORD_BITS:
            dots = (rows + 1) * (cols + 1)
            return f"it plays dots on boards of up to {WORD_BITS} dots (7×7 boxes), not {dots}"
        return None
    return f"it plays othello and dots, not {rules}"


def _searches_with_weights(rules: str, variant: Mapping[str, Any]) -> str | None:
    size = variant.get("size", 8)
    if rules == "othello" and size != 8:
        return f"it plays Othello on 8×8 boards, for which its weights are made, not {size}×{size}"
    return _searches(rules, variant)


def _plays_standard_othello(rules: str, variant: Mapping[str, Any]) -> str | None:
    if rules != "othello":
        return f"it plays othello, not {rules}"
    standard = {"size": 8, "start": "centre", "corners": True, "free_centre": False}
    for setting, value in standard.items():
        given = variant.get(setting, value)
        if given != value:
            return f"it plays standard Othello, {setting} {value!r} and not {given!r}"
    return None


def _slides_and_places(rules: str, variant: Mapping[str, Any]) -> str | None:
    return None if rules in TILE_GAMES else f"it plays {' and '.join(TILE_GAMES)}, not {rules}"


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
            support=_searches,
        ),
        Builtin(
            name="weighted-uct",
            module="players.weighted_uct",
            summary="UCT with a weight for each square, by colour",
            uses_clock=True,
            kernels=True,
            options=WeightedUctOptions,
            support=_searches_with_weights,
        ),
        Builtin(
            name="alphabeta",
            module="players.alphabeta",
            summary="iterative deepening principal variation search with a transposition table",
            uses_clock=True,
            kernels=True,
            options=AlphaBetaOptions,
            support=_searches,
        ),
        Builtin(
            name="expectimax",
            module="players.expectimax",
            summary="2048 and 2584 by an n-tuple network, looking ahead by expectimax or minimax",
            uses_clock=None,
            kernels=True,
            options=ExpectimaxOptions,
            support=_slides_and_places,
        ),
        Builtin(
            name="placer",
            module="players.placer",
            summary="2048 and 2584: places tiles at random, greedily or to harm the slider most",
            uses_clock=None,
            kernels=True,
            options=PlacerOptions,
            support=_slides_and_places,
        ),
        Builtin(
            name="heuristic",
            module="players.heuristic",
            summary="2048 and 2584 by alpha-beta: smooth, monotone boards against nasty tiles",
            uses_clock=True,
            kernels=True,
            options=HeuristicOptions,
            support=_slides_and_places,
        ),
        Builtin(
            name="gtp",
            module="players.gtp",
            summary="plays standard Othello through an engine that speaks GTP, such as gtp-rhino",
            uses_clock=None,
            kernels=False,
            options=GtpOptions,
            support=_plays_standard_othello,
        ),
    )
}
"""Every built-in player by name."""
