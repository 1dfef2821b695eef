"""The messages and their JSON Schema, judged by a validator that is not ours."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import ValidationError

from arena.protocol import (
    REPLIES,
    REQUESTS,
    Clock,
    End,
    Move,
    Quit,
    Ready,
    Start,
    Termination,
    Turn,
)
from arena.schema import schema

STATE = {"board": ["........"] * 8, "to_move": 0}
START = Start(
    game="g1",
    rules="othello",
    variant={"size": 8},
    seat=0,
    seats=2,
    clock=Clock(),
    startup_ms=30_000,
    seed=7,
    options={},
    state=STATE,
    moves=[(0, "d3"), (-1, "c2=4")],
)
TURN = Turn(
    game="g1",
    ply=2,
    time_ms=5000,
    bank_ms=None,
    state=STATE,
    moves=[(1, "c3")],
    legal=["c2"],
    used_ms=0,
)
END = End(
    game="g1", termination=Termination.NATURAL, detail="40-24", scores=[40, 24], points=[1, 0]
)


def validator(name: str) -> Draft202012Validator:
    """Validates one message by its name in `$defs`."""
    return Draft202012Validator({**schema(), "oneOf": [{"$ref": f"#/$defs/{name}"}]})


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(schema())


def test_the_schema_holds_every_message() -> None:
    names = {model.__name__ for model in (*REQUESTS, *REPLIES)}
    assert names | {"Request", "Reply"} <= schema()["$defs"].keys()


@pytest.mark.parametrize("message", [START, TURN, END, Quit()], ids=lambda m: m.type)
def test_requests_are_valid_and_hold_every_field(message: Any) -> None:
    data = message.model_dump(mode="json")
    document = Draft202012Validator(schema())
    document.validate(data)
    validator("Request").validate(data)
    assert not validator("Reply").is_valid(data)
    assert type(message).model_validate_json(message.model_dump_json()) == message
    for field in data:
        assert not document.is_valid({key: data[key] for key in data if key != field}), field


@pytest.mark.parametrize(
    "data",
    [
        {"type": "ready"},
        {"type": "ready", "name": "corner-hunter", "version": "1.2", "author": None, "extra": [1]},
        {"type": "ready", "name": "Ünïcode ✓ ../../etc"},
        {"type": "move", "ply": 8, "move": "d2"},
        {"type": "move", "ply": 0, "move": "d2", "info": {"score": 1, "depth": 3, "pv": ["d2"]}},
        {"type": "move", "ply": 0, "move": "d2", "info": None, "debug": {"a": 1}},
    ],
)
def test_good_replies(data: dict[str, Any]) -> None:
    model = Ready if data["type"] == "ready" else Move
    model.model_validate(data)
    validator("Reply").validate(data)


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"type": "begin"},
        {"type": "ready", "name": 3},
        {"type": "ready", "name": "\x1b[31mred"},
        {"type": "ready", "author": "right\u202eleft"},
        {"type": "ready", "version": "nul\0"},
        {"type": "move", "move": "d2"},
        {"type": "move", "ply": 8},
        {"type": "move", "ply": "8", "move": "d2"},
        {"type": "move", "ply": 8.5, "move": "d2"},
        {"type": "move", "ply": None, "move": "d2"},
        {"type": "move", "ply": True, "move": "d2"},
        {"type": "move", "ply": 8, "move": ["d2"]},
        {"type": "move", "ply": 8, "move": "d2\n"},
        {"type": "move", "ply": 8, "move": "d2", "info": "deep"},
        {"type": "move", "ply": 8, "move": "d2", "info": {"nodes": "many"}},
        {"type": "move", "ply": 8, "move": "d2", "info": {"pv": ["d2", 3]}},
        {"type": "move", "ply": 8, "move": "d2", "info": {"text": "\x07"}},
    ],
)
def test_model_and_schema_refuse_the_same_replies(data: dict[str, Any]) -> None:
    for model in REPLIES:
        with pytest.raises(ValidationError):
            model.model_validate(data)
    assert not validator("Reply").is_valid(data)


def test_a_lone_surrogate_is_no_text() -> None:
    with pytest.raises(ValidationError):
        Ready.model_validate({"type": "ready", "name": "\ud800"})


def test_a_clock_limits_something() -> None:
    with pytest.raises(ValidationError, match="move_ms or bank_ms"):
        Clock(move_ms=None)
    assert Clock(move_ms=None, bank_ms=1000).bank_ms == 1000


def test_messages_are_fixed_once_made() -> None:
    with pytest.raises(ValidationError):
        TURN.ply = 3  # type: ignore[misc] # that it is refused is the point
