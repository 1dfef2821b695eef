"""The board of a game: its moves and positions, between the wire and the kernels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import players.games.dots.evaluation
import players.games.dots.playouts
import players.games.othello.evaluation
import players.games.othello.playouts  # noqa: F401 - the games answer there
from players.games.dots.board import DotsBoard
from players.games.othello.board import OthelloBoard


class Board(Protocol):
    """One game's moves and positions."""

    @property
    def names(self) -> Sequence[str]:
        """The name of each move; "" for numbers that are none."""

    @property
    def moves(self) -> Mapping[str, int]:
        """The move of each name."""

    def position(self, state: Mapping[str, Any]) -> Any:
        """The kernels' position of a `state` from the wire."""


BOARDS: Mapping[str, Callable[[Mapping[str, Any]], Board]] = {
    "othello": OthelloBoard,
    "dots": DotsBoard,
}


def load_board(rules: str, variant: Mapping[str, Any]) -> Board:
    """The board of `rules` with the complete settings `variant`, of a size the kernels play."""
    return BOARDS[rules](variant)
