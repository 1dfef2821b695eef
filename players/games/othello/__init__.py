"""Othello, compiled. Importing any module of this folder registers all its answers."""

from collections.abc import Mapping
from typing import Any

from players.games.othello import evaluation, playouts
from players.games.othello.board import OthelloBoard
from players.games.othello.endgame import OthelloEndgame
from players.games.registry import CompiledGame

ANSWERS = (evaluation, playouts)
"""The modules that answer the questions of `players.games.interface` and others."""


def _preset(variant: Mapping[str, Any]) -> str:
    return "standard" if variant["corners"] else "cornerless"


def _evaluations(variant: Mapping[str, Any]) -> Mapping[str, str]:
    """Patterns and networks were learned for the two presets on 8×8; all else has the features."""
    preset = _preset(variant)
    features = f"evaluation-othello-{preset}.json"
    if variant["size"] != 8 or variant["corners"] == variant["free_centre"]:
        return {"default": features, "classic": features}
    patterns, network = f"evaluation-othello-{preset}.npz", f"network-othello-{preset}.ntuple"
    return {"default": patterns, "classic": features, "learned": network}


GAME = CompiledGame(
    board=OthelloBoard,
    most_margin=lambda variant: int(variant["size"] ** 2 - (0 if variant["corners"] else 4)),
    endgame=OthelloEndgame,
    evaluations=_evaluations,
    features=evaluation.from_features,
    patterns=evaluation.from_patterns,
    spread=lambda variant: f"spread-othello-{_preset(variant)}.json",
)
