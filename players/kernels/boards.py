"""The board of a game: its moves and positions, between the wire and the kernels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from players.kernels import (
    dots_evaluation,  # noqa: F401 - answers for its game
    dots_playouts,  # noqa: F401 - answers for its game
    othello_evaluation,  # noqa: F401 - answers for its game
    othello_playouts,  # noqa: F401 - answers for its game
)
from players.kernels.dots import DotsBoard
from players.kernels.othello import OthelloBoard
from players.kernels.terms import load_terms as load_terms  # for players, beside the board


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
