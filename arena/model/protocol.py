"""Player protocol, version 1: every line that crosses the pipe between referee and player.

`arena/bots/PROTOCOL.md` explains it to authors of bots; `arena schema` prints the JSON Schema of
these models. Times are milliseconds. Unknown fields are ignored by both sides.
"""

import re
from enum import StrEnum
from math import inf
from typing import Annotated, Any, Final, Literal, Self

from pydantic import AfterValidator, ConfigDict, Field, WithJsonSchema, model_validator
from pydantic.json_schema import models_json_schema

from arena.files.described import Described
from arena.files.plain_text import printable

PROTOCOL_VERSION: Final = 1
MAX_LINE_BYTES = 64 * 1024
"""The longest line a player may write, newline not counted."""

INFO_A_MOVE, INFO_A_GAME, INFO_A_RUN = 4096, 64 * 1024, 256 * 2**20
"""Characters that are kept of a player's `info.pv` and `info.text` together."""


class Termination(StrEnum):
    """Why a game ended, one word; the sentence for people is `detail`."""

    NATURAL = "natural"
    ADJUDICATED = "adjudicated"
    START_FAILED = "start_failed"
    EXITED = "exited"
    TIMEOUT = "timeout"
    STDIN_CLOSED = "stdin_closed"
    STDOUT_CLOSED = "stdout_closed"
    LINE_TOO_LONG = "line_too_long"
    FLOOD = "flood"
    BAD_UTF8 = "bad_utf8"
    BAD_JSON = "bad_json"
    BAD_SCHEMA = "bad_schema"
    WRONG_PLY = "wrong_ply"
    UNSOLICITED = "unsolicited"
    ILLEGAL_MOVE = "illegal_move"
    OUT_OF_MEMORY = "out_of_memory"
    VOID = "void"

    @property
    def is_forfeit(self) -> bool:
        """Whether one seat lost the game by its own fault."""
        return self not in (Termination.NATURAL, Termination.ADJUDICATED, Termination.VOID)


_UNPRINTABLE = r"[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
"""Control characters, those of directions of writing among them, as a pattern of JSON Schema."""
_REFUSED = re.compile(rf"{_UNPRINTABLE}|([\ud800-\udfff])")


def _plain_text(text: str) -> str:
    """Refuse what could rewrite a terminal or a page: controls, bidi controls, surrogates."""
    if match := _REFUSED.search(text):
        kind = "lone surrogate" if match[1] else "control character"
        raise ValueError(f"has a {kind} U+{ord(match[0]):04X} at position {match.start()}")
    return text


Text = Annotated[
    str,
    AfterValidator(_plain_text),
    WithJsonSchema({"type": "string", "not": {"pattern": _UNPRINTABLE}}),
]
"""A string without control characters or lone surrogates (which the JSON Schema cannot say)."""


def excerpt(data: bytes, length: int = 120) -> str:
    """A player's output, safe to show: shortened, unprintable characters escaped."""
    shown = printable(data[:length].decode("utf-8", "backslashreplace"))
    return f"`{shown}`" if len(data) <= length else f"`{shown}…` ({len(data)} bytes)"


class Message(Described):
    """What all lines share: fixed once made, strict types, unknown fields ignored."""

    model_config = ConfigDict(
        frozen=True,
        strict=True,
        extra="ignore",
        allow_inf_nan=False,  # JSON has no such numbers
        json_schema_serialization_defaults_required=True,  # a request holds all its fields
    )


class Clock(Message):
    """The time control of one game. At least one of `move_ms` and `bank_ms` is set."""

    move_ms: int | None = Field(default=5000, gt=0)
    """The longest one move may take; null when only the bank limits it."""
    bank_ms: int | None = Field(default=None, gt=0)
    """The time a player has for all its moves together; null for none."""
    increment_ms: int = Field(default=0, ge=0)
    """Added to the bank after each of the player's moves."""

    @model_validator(mode="after")
    def _limits_something(self) -> Self:
        if self.move_ms is None and self.bank_ms is None:
            raise ValueError("a clock needs move_ms or bank_ms, or both")
        return self

    def limit_ms(self, bank_ms: float | None) -> int:
        """All the time of a move with that much in the bank, whole milliseconds, without grace."""
        return int(min(self.move_ms or inf, inf if bank_ms is None else bank_ms))

    @property
    def words(self) -> str:
        """As `0.2 s a move`, or `60 s a game, 1 s more a move`."""
        parts = [f"{self.move_ms / 1000:g} s a move"] if self.move_ms else []
        parts += [f"{self.bank_ms / 1000:g} s a game"] if self.bank_ms else []
        parts += [f"{self.increment_ms / 1000:g} s more a move"] if self.increment_ms else []
        return ", ".join(parts)


class Start(Message):
    """A game begins; answered by `ready` within `startup_ms`."""

    type: Literal["start"] = "start"
    protocol: Literal[1] = PROTOCOL_VERSION
    game: str
    """The game's id, unique in the tournament."""
    rules: str
    """The rule set: othello, dots, 2048, 2584, or one that a package registers."""
    variant: dict[str, Any]
    """The settings of the rule set, complete."""
    seat: int
    """The seat this player has, from 0."""
    seats: int
    clock: Clock
    startup_ms: int
    """How long the player may take to answer this request."""
    seed: int
    """For the player's own randomness; 0 ≤ seed < 2³¹, so that it fits any language's integer."""
    options: dict[str, Any]
    """The player's options table from the tournament file."""
    state: dict[str, Any]
    """The position after `moves`, in the form of the rule set."""
    moves: list[tuple[int, str]]
    """`[seat, move]` of each move already played; seat −1 is chance."""


class Turn(Message):
    """A move is asked for; answered by `move` with the same `ply`."""

    type: Literal["turn"] = "turn"
    game: str
    ply: int
    """How many moves have been played, openings, passes and chance included."""
    time_ms: int
    """All the time this move may take."""
    bank_ms: int | None
    """What the player's bank holds; null when there is none."""
    state: dict[str, Any]
    moves: list[tuple[int, str]]
    """`[seat, move]` since this player's previous turn, its own move first; seat −1 is chance."""
    legal: list[str]
    """Every legal move, in the fixed order of the rule set."""
    used_ms: int
    """What the referee measured for this player's previous move; 0 before the first."""


class End(Message):
    """The game is over; not answered."""

    type: Literal["end"] = "end"
    game: str
    termination: Termination
    detail: str
    scores: list[int]
    """What the rules count, for each seat: discs, boxes, the slider's score."""
    points: list[float]
    """1, ½ or 0 for each seat; empty where one game alone decides nothing (2048 and 2584, but for
    a forfeit between two)."""


class Quit(Message):
    """The player is to exit; 1 s later it is killed."""

    type: Literal["quit"] = "quit"


class Ready(Message):
    """The answer to `start`."""

    type: Literal["ready"]
    name: Text | None = None
    version: Text | None = None
    author: Text | None = None


class Info(Message):
    """What a player may tell about its thinking, kept in the record within bounds. A field of
    another type is a fault; what it says is not judged.
    """

    score: float | None = None
    """The position's value for the player, in its own units."""
    depth: int | None = None
    nodes: int | None = None
    pv: list[Text] | None = None
    """The principal variation: the line the player expects, its own move first."""
    text: Text | None = None


class Move(Message):
    """The answer to `turn`."""

    type: Literal["move"]
    ply: int
    """The `ply` of the turn that is answered."""
    move: Text
    info: Info | None = None


REQUESTS = (Start, Turn, End, Quit)
"""What the referee writes."""
REPLIES = (Ready, Move)
"""What a player writes."""
_REF = "#/$defs/{model}"


def schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of every line that crosses the pipe.

    Each message has its place under `$defs`; so have `Request`, what the referee writes, and
    `Reply`, what a player writes. The document as a whole takes either. A schema cannot say all:
    strings of a reply are also free of control characters and lone surrogates.
    """

    def one_of(*names: str) -> dict[str, Any]:
        return {"oneOf": [{"$ref": _REF.format(model=name)} for name in names]}

    _, document = models_json_schema(
        # Requests as they are written, with every field; replies as they are judged.
        [(model, "serialization") for model in REQUESTS]
        + [(model, "validation") for model in REPLIES],
        ref_template=_REF,
    )
    requests = one_of(*(model.__name__ for model in REQUESTS))
    replies = one_of(*(model.__name__ for model in REPLIES))
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Player protocol, version {PROTOCOL_VERSION}",
        **one_of("Request", "Reply"),
        "$defs": {
            "Request": {"description": "What the referee writes to a player's stdin.", **requests},
            "Reply": {"description": "What a player writes to its stdout.", **replies},
            **document["$defs"],
        },
    }
