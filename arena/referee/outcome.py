"""The outcome of a game in the words and numbers of the protocol, and its record."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from arena.model.game_spec import GameSetup, GameSpec
from arena.model.protocol import Termination
from arena.model.record import GameRecord, PlayedMove, SeatRecord
from arena.sandbox.features import this_host
from rules.position import Game, Position


class Outcome(NamedTuple):
    """Why a game is over."""

    termination: Termination
    detail: str
    offender: int | None = None  # the seat that forfeited; None when none did


def finished(position: Position) -> Outcome:
    """The outcome of a position that is over by the rules."""
    if position.is_adjudicated:
        return _adjudicated(position, "decided before the last move")
    return Outcome(Termination.NATURAL, _score(position))


def after_plies(position: Position, plies: int) -> Outcome:
    """The outcome of a game that was long enough."""
    return _adjudicated(position, f"after {plies} plies")


def _adjudicated(position: Position, why: str) -> Outcome:
    return Outcome(Termination.ADJUDICATED, f"{_score(position)}, {why}")


def points(outcome: Outcome, position: Position) -> tuple[float, ...]:
    """1, ½ or 0 for each seat; empty where one game alone decides nothing, but for a forfeit."""
    seats = position.game.seats
    if outcome.termination is Termination.VOID or seats == 1:
        return ()
    if outcome.offender is not None:
        return tuple(float(seat != outcome.offender) for seat in range(seats))
    return points_by(position.scores(), position.game)


def points_by(scores: Sequence[int], game: Game) -> tuple[float, ...]:
    """The points by seat for the scores of two; empty where one game alone decides nothing."""
    if game.decided_by_seed:
        return ()
    first, second = scores
    won = 0.5 if first == second else float(first > second)
    return won, 1 - won


def make_record(
    setup: GameSetup,
    attempt: int,
    *,
    seats: tuple[SeatRecord, ...],
    moves: tuple[PlayedMove, ...],
    position: Position,
    outcome: Outcome,
    started_at: datetime,
    duration_ms: float,
) -> GameRecord:
    return GameRecord(
        game=setup.game,
        round=setup.round,
        pair=setup.pair,
        terms=setup.terms.model_copy(update={"variant": position.game.variant}),
        opening=setup.opening,
        seed=setup.seed,
        attempt=attempt,
        seats=seats,
        moves=moves,
        final_state=position.state(),
        termination=outcome.termination,
        detail=outcome.detail,
        offender=outcome.offender,
        scores=position.scores(),
        points=points(outcome, position),
        started_at=started_at.isoformat(timespec="milliseconds"),
        duration_ms=duration_ms,
        host=this_host(setup.terms.rules),
    )


def void_record(spec: GameSpec, attempt: int, reason: str) -> GameRecord:
    """The record of an attempt whose referee left none: void, without moves."""
    return make_record(
        spec,
        attempt,
        seats=tuple(SeatRecord(player=each.name, clock=each.clock) for each in spec.players),
        moves=(),
        position=spec.start(),
        outcome=Outcome(Termination.VOID, reason),
        started_at=datetime.now(UTC),
        duration_ms=0.0,
    )


def _score(position: Position) -> str:
    scores = position.scores()
    return str(scores[0]) if position.game.decided_by_seed else "-".join(map(str, scores))
