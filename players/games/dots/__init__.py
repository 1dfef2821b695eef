"""Dots and boxes, compiled. Importing any module of this folder registers all its answers."""

from players.games.dots import evaluation, playouts, pruning
from players.games.dots.board import DotsBoard
from players.games.dots.endgame import DotsEndgame
from players.games.registry import CompiledGame

ANSWERS = (evaluation, playouts, pruning)
"""The modules that answer the questions of `players.games.interface` and others."""

GAME = CompiledGame(
    board=DotsBoard,
    most_margin=lambda variant: int(variant["rows"] * variant["cols"]),
    endgame=DotsEndgame,
    evaluations=lambda variant: dict.fromkeys(("default", "classic"), "evaluation-dots.json"),
    features=evaluation.from_features,
)
