"""The requests that one player of a recorded game was sent, to send them to the bot again.

They are built as the referee built them. What was judged before a `turn` was written (the player
had ended, or had spoken unasked) is not known: that `turn` is there too. Where a fault cost only a
random move and the player was started again, its new `start` follows in the same dialogue.
"""

from collections.abc import Iterator
from typing import Any

from arena.errors import RecordError
from arena.model.protocol import Termination
from arena.model.record import GameRecord
from arena.records.form import refusing_misfits
from arena.referee.game import IN_STEP
from arena.referee.outcome import Outcome
from arena.referee.requests import Moves, Requests, end_request
from arena.tournament.config import TournamentConfig


def dialogue(config: TournamentConfig, record: GameRecord, seat: int | None = None) -> str:
    """The lines that the player of this seat read; None takes the one that forfeited, else the
    first. Raises RecordError.
    """
    seat = record.offender or 0 if seat is None else seat
    if not 0 <= seat < len(record.seats):
        last = len(record.seats) - 1
        raise RecordError(f"game {record.game} has no seat {seat}; they are 0 to {last}")
    options = {player.name: player.contender.options for player in config.players}
    own = options.get(record.seats[seat].player, {})
    with refusing_misfits(record):
        return b"".join(_requests(record, seat, own)).decode()


def _requests(record: GameRecord, seat: int, options: dict[str, Any]) -> Iterator[bytes]:
    """All of them, in their order."""
    requests = Requests.of(record, seat, options, record.seats[seat].clock)
    position, moves, opening = record.start(), Moves(), len(record.opening)
    for move in record.moves[:opening]:
        position = position.play(move.move)
        moves.append((move.seat, move.move))
    yield requests.start(position, moves).line
    runs = True
    for move in record.moves[opening:]:
        if move.seat == seat and move.used_ms is not None:
            if move.fault is not None and not move.used_ms:  # it could not be started
                runs = False
            else:
                if not runs:
                    yield requests.start(position, moves).line
                yield requests.turn(position, moves).line
                runs = move.fault is None or move.fault.termination in IN_STEP
            requests.answered(len(moves), move.used_ms)
        position = position.play(move.move)
        moves.append((move.seat, move.move))
    if record.termination is not Termination.VOID and record.offender != seat:
        if runs:
            outcome = Outcome(record.termination, record.detail, record.offender)
            yield end_request(record.game, outcome, position)
    elif position.to_move == seat and record.seats[seat].startup_ms is not None:
        yield requests.turn(position, moves).line  # which it did not answer
