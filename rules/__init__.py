"""The games: Othello, dots and boxes, 2048 and 2584, in plain Python integers.

For example, the score of a game in which everyone plays the first legal move:

    position = rules.load("othello", preset="cornerless").start()
    while not position.is_over:
        position = position.play(position.legal_moves()[0])
    position.scores()
"""

from rules.position import (
    CHANCE,
    PASS,
    Game,
    IllegalMove,
    MalformedMove,
    MoveError,
    Position,
    draw_chance,
)
from rules.registry import (
    GAMES,
    Registration,
    blame,
    default,
    folders,
    judge,
    load,
    misnamed,
    names,
    package,
    registration,
    slow,
    unusable,
    usable,
)

__all__ = [
    "CHANCE",
    "GAMES",
    "PASS",
    "Game",
    "IllegalMove",
    "MalformedMove",
    "MoveError",
    "Position",
    "Registration",
    "blame",
    "default",
    "draw_chance",
    "folders",
    "judge",
    "load",
    "misnamed",
    "names",
    "package",
    "registration",
    "slow",
    "unusable",
    "usable",
]
