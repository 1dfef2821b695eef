"""How well endgames were played: each move within reach of the exact solver, beside the best."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from players.games.endgame import load_endgame
from players.games.registry import load_board
from players.thinking import open_places
from rules.position import PASS, Position

TABLE_MB = 256


class Judged(NamedTuple):
    """A move that was a choice, judged."""

    ply: int
    """How many moves had been played before it."""
    seat: int
    move: str
    best: str
    """A move with the best margin."""
    lost: int
    """How many discs or boxes of the final margin it gave away; 0 for a best move."""


def judge(start: Position, moves: Iterable[str], within: int | None = None) -> Iterator[Judged]:
    """Every choice of the game `moves`, played from `start`, with at most `within` moves to come.

    By default the solver says how far it reaches. A ValueError names a move that is not legal.
    """
    board = load_board(start.game.name, start.game.variant)
    endgame = load_endgame(start.game.name, board, TABLE_MB)
    within = endgame.reach if within is None else within
    never = np.zeros(1, np.int64)
    position = start
    for ply, move in enumerate(moves):
        following = position.play(move)
        legal = position.legal_moves()
        state = position.state()
        if len(legal) > 1 and legal != (PASS,) and open_places(state) <= within:
            margins = endgame.margins(board.position(state), never)
            assert margins is not None  # nothing stops the solver
            best = max(margins, key=margins.__getitem__)
            seat = position.to_move or 0
            yield Judged(ply, seat, move, best, margins[best] - margins[move])
        position = following
