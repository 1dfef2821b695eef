"""How a game ended, in the words and numbers of the protocol."""

from __future__ import annotations

from typing import NamedTuple

from arena.model.protocol import Termination
from rules.position import Position


class Outcome(NamedTuple):
    """Why a game is over."""

    termination: Termination
    detail: str
    offender: int | None = None
    """The seat that forfeited; None when none did."""


def natural(position: Position) -> Outcome:
    """The rules ended the game."""
    return Outcome(Termination.NATURAL, _score(position))


def adjudicated(position: Position, why: str) -> Outcome:
    """A rule of the tournament ended the game."""
    return Outcome(Termination.ADJUDICATED, f"{_score(position)}, {why}")


def points(outcome: Outcome, position: Position) -> tuple[float, ...]:
    """1, ½ or 0 for each seat.

    Empty where one game alone decides nothing: a void one, one with a single seat, and 2048 and
    2584 between two but for a forfeit.
    """
    seats = position.game.seats
    if outcome.termination is Termination.VOID or seats == 1:
        return ()
    if outcome.offender is not None:
        return tuple(float(seat != outcome.offender) for seat in range(seats))
    if position.game.decided_by_seed:
        return ()
    first, second = position.scores()
    won = 0.5 if first == second else float(first > second)
    return (won, 1 - won)


def _score(position: Position) -> str:
    scores = position.scores()
    return str(scores[0]) if position.game.decided_by_seed else "-".join(map(str, scores))
