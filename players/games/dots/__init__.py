"""Dots and boxes, compiled. Importing any module of this folder registers all its answers."""

from collections.abc import Mapping
from typing import Any

from players.games.dots import evaluation, playouts, pruning, view
from players.games.dots.board import DotsBoard
from players.games.dots.endgame import DotsEndgame
from players.games.registry import CompiledGame

ANSWERS = (evaluation, playouts, pruning, view)
"""The modules that answer the questions of `players.games.interface` and others."""


def _most_margin(variant: Mapping[str, Any]) -> int:
    """Every box."""
    return int(variant["rows"] * variant["cols"])


GAME = CompiledGame(
    board=DotsBoard,
    most_margin=_most_margin,
    endgame=DotsEndgame,
    evaluations=lambda variant: dict.fromkeys(("default", "classic"), "evaluation-dots.json"),
    features=evaluation.from_features,
)
