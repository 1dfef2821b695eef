"""What the games are: Othello, dots and boxes, 2048 and 2584, in plain Python integers.

For example, the score of a game in which everyone plays the first legal move:

    position = rules.load("othello", preset="cornerless").start()
    while not position.is_over:
        position = position.play(position.legal_moves()[0])
    position.scores()
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from rules import dots, othello, tiles
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
from rules.settings import one_of

__all__ = [
    "CHANCE",
    "GAMES",
    "PASS",
    "TILE_GAMES",
    "Game",
    "IllegalMove",
    "MalformedMove",
    "MoveError",
    "Position",
    "draw_chance",
    "judge",
    "load",
]

_LOADERS: Mapping[str, Callable[..., Game]] = {
    "othello": othello.load,
    "dots": dots.load,
    "2048": partial(tiles.load, "2048"),
    "2584": partial(tiles.load, "2584"),
}

GAMES = tuple(_LOADERS)
"""The names `load` knows."""
TILE_GAMES = ("2048", "2584")
"""Those of sliding tiles: one game alone decides nothing between players, so rivals are compared
over several.
"""


def load(name: str, /, **settings: Any) -> Game:
    """The rule set `name` with its settings; what is not given has a default.

    othello: preset ("standard" or "cornerless"), size (even, 4 to 16; 8), and what a preset
        fills: start ("centre" or "empty"), corners, free_centre (booleans).
    dots: rows, cols (1 to 15; 5), stop_at_majority (false).
    2048, 2584: spawn ("2/4"; "1/2" or "1/3"), placer ("chance" or "player"), placer_chooses
        ("tile" or "cell").

    Raises ValueError for an unknown name, option or value, naming the known ones.
    """
    return _LOADERS[one_of("the game", name, GAMES)](**settings)


def judge(name: str, settings: Mapping[str, Any]) -> tuple[Game | None, dict[str, str]]:
    """The rule set as far as its settings can be used, and what is wrong with the others: by key,
    under "" what is wrong with them together, where there is no game.

    Raises ValueError for an unknown name.
    """
    left, wrong = dict(settings), dict[str, str]()
    loader = _LOADERS[one_of("the game", name, GAMES)]
    while True:
        try:
            return loader(**left), wrong
        except ValueError as error:
            key = next((key for key in left if _speaks_of(str(error), key)), "")
            wrong[key] = str(error)
            if not key:
                return None, wrong
            del left[key]  # the rest may be wrong too


def _speaks_of(message: str, key: str) -> bool:
    """Whether a sentence of a loader is about the setting `key`."""
    return re.search(rf"^{re.escape(key)}\b|option {re.escape(repr(key))}", message) is not None
