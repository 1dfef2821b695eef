"""The requests that one player of a recorded game was sent, to send them to the bot again.

They are built as the referee built them. What was judged before a `turn` was written (the player
had ended, or had spoken unasked) is not known: that `turn` is there too. Where a fault cost only a
random move and the player was started again, its new `start` follows in the same dialogue.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from arena.errors import RecordError
from arena.model.protocol import Termination
from arena.model.record import GameRecord, PlayedMove
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
    requests = _Dialogue(record, seat, options.get(record.seats[seat].player, {})).requests()
    return b"".join(requests).decode()


class _Dialogue:
    """A game as it is told to one player."""

    def __init__(self, record: GameRecord, seat: int, options: Mapping[str, Any]) -> None:
        self._record, self._seat = record, seat
        self._requests = Requests.of(record, seat, dict(options), record.seats[seat].clock)
        self._position = record.start()
        self._moves: Moves = []
        self._runs = False

    def requests(self) -> Iterator[bytes]:
        """All of them, in their order."""
        opening = len(self._record.opening)
        for move in self._record.moves[:opening]:
            self._apply(move)
        yield self._start()
        for move in self._record.moves[opening:]:
            asked = move.seat == self._seat and move.used_ms is not None
            if asked:
                yield from self._asked(move)
            self._apply(move, told=asked)
        yield from self._last()

    def _asked(self, move: PlayedMove) -> Iterator[bytes]:
        if move.fault is not None and move.used_ms == 0:
            return  # it could not be started, and was asked no more
        if not self._runs:
            yield self._start()
        yield self._turn()
        self._runs = move.fault is None or move.fault.termination in IN_STEP

    def _apply(self, move: PlayedMove, *, told: bool = False) -> None:
        if told:
            self._requests.answered(len(self._moves), move.used_ms or 0.0)
        self._position = self._position.play(move.move)
        self._moves.append((move.seat, move.move))

    def _last(self) -> Iterator[bytes]:
        """The `turn` that it did not answer, or the `end`."""
        record = self._record
        if record.termination is not Termination.VOID and record.offender != self._seat:
            outcome = Outcome(record.termination, record.detail, record.offender)
            yield end_request(record.game, outcome, self._position)
        elif self._position.to_move == self._seat and self._has_started:
            yield self._turn()

    @property
    def _has_started(self) -> bool:
        return self._record.seats[self._seat].startup_ms is not None

    def _start(self) -> bytes:
        self._runs = True
        return self._requests.start(self._position, self._moves).line

    def _turn(self) -> bytes:
        return self._requests.turn(self._position, self._moves).line
