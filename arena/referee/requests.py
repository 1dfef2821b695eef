"""The lines to a player: the requests of a game, by its clock and the moves it knows, and the end.

The values of requests are the referee's own: to validate them would take as long as to judge the
answers.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, Self

import msgspec
from pydantic_core import to_json

from arena.model.game_spec import GameSetup, derive
from arena.model.protocol import PROTOCOL_VERSION, Clock, Turn
from arena.model.record import STDERR_FOLLOWS
from arena.referee.outcome import Outcome, points
from rules.position import Position

Moves = list[tuple[int, str]]
"""Seat and move of each ply; seat −1 is chance."""

QUIT = b'{"type":"quit"}\n'
_ENCODER = msgspec.json.Encoder()


class StartRequest(msgspec.Struct, frozen=True):
    """A `Start` as it is written."""

    line: bytes
    startup_ms: int


class TurnRequest(msgspec.Struct, frozen=True):
    """A `Turn` as it is written."""

    line: bytes
    ply: int
    time_ms: int
    legal: Collection[str]
    banked: bool = False
    """Whether the time to the answer comes off a bank."""


_Turn = msgspec.defstruct("_Turn", Turn.model_fields, frozen=True)
"""The fields of a `Turn`, in their order: a struct is written faster than a dict."""


@dataclass(slots=True)
class Requests:
    """Those to one player of a game, where `moves` have led to `position`."""

    game: str
    """The game's id."""
    seat: int
    clock: Clock
    startup_ms: int
    seed: int
    """The game's, from which the player's own is drawn."""
    options: dict[str, Any]
    known_plies: int = 0
    """How many of the game's moves the player knows of."""
    used_ms: float = 0.0
    """The time of its last move."""
    bank_ms: float | None = field(init=False)
    """The rest of its bank; None where it has none."""

    def __post_init__(self) -> None:
        self.bank_ms = self.clock.bank_ms

    @classmethod
    def of(cls, setup: GameSetup, seat: int, options: dict[str, Any], own: Clock | None) -> Self:
        """Those of a game from its beginning, to a player that may have a clock of its `own`."""
        terms = setup.terms
        clock = own or terms.clock
        return cls(setup.game, seat, clock, terms.startup_ms, setup.seed, options)

    def start(self, position: Position, moves: Moves) -> StartRequest:
        """Begin the game, or go on with it in a fresh process."""
        self.known_plies, rules = len(moves), position.game
        start = {
            "type": "start",
            "protocol": PROTOCOL_VERSION,
            "game": self.game,
            "rules": rules.name,
            "variant": _raw(rules.variant),
            "seat": self.seat,
            "seats": rules.seats,
            "clock": _raw(self.clock),
            "startup_ms": self.startup_ms,
            "seed": derive(self.seed, f"player {self.seat}"),
            "options": _raw(self.options),
            "state": _state(position),
            "moves": moves,
        }
        return StartRequest(_line(start), self.startup_ms)

    def turn(self, position: Position, moves: Moves) -> TurnRequest:
        ply, legal, state = len(moves), position.legal_moves(), _state(position)
        time_ms = self.clock.limit_ms(self.bank_ms)
        bank_ms = None if self.bank_ms is None else int(self.bank_ms)
        new_moves, used_ms = moves[self.known_plies :], round(self.used_ms)
        turn = _Turn("turn", self.game, ply, time_ms, bank_ms, state, new_moves, legal, used_ms)
        return TurnRequest(_line(turn), ply, time_ms, legal, bank_ms is not None)

    def answered(self, ply: int, used_ms: float) -> None:
        """The move asked for after `ply` moves took that long; one that ended within the grace
        empties the bank.
        """
        self.known_plies, self.used_ms = ply, used_ms
        if self.bank_ms is not None:
            self.bank_ms = max(0.0, self.bank_ms - used_ms) + self.clock.increment_ms


def end_request(game: str, outcome: Outcome, position: Position) -> bytes:
    """The `end` of a game that ended in this position, as it is written: what one player wrote to
    stderr is for no other.
    """
    end = {
        "type": "end",
        "game": game,
        "termination": outcome.termination,
        "detail": outcome.detail.partition(STDERR_FOLLOWS)[0],
        "scores": position.scores(),
        "points": points(outcome, position),
    }
    return _line(end)


def _state(position: Position) -> msgspec.Raw:
    text = position.state_json()
    return _raw(position.state()) if text is None else msgspec.Raw(text)


def _raw(value: object) -> msgspec.Raw:
    """JSON as pydantic writes it, which takes more types of keys and values."""
    return msgspec.Raw(to_json(value, inf_nan_mode="null"))


def _line(message: dict[str, Any] | msgspec.Struct) -> bytes:
    return _ENCODER.encode(message) + b"\n"
