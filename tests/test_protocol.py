"""The messages, their JSON Schema and the page of the protocol agree."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import ValidationError

from arena.model.protocol import REPLIES, REQUESTS, Move, Ready, Termination, schema

PAGE = (Path(__file__).parents[1] / "arena" / "bots" / "PROTOCOL.md").read_text()
MODELS = {model.model_fields["type"].annotation.__args__[0]: model for model in REQUESTS + REPLIES}  # type: ignore[union-attr] # a Literal
REQUEST_TYPES = {"start", "turn", "end", "quit"}


def examples() -> dict[str, tuple[str, str]]:
    """Arrow and JSON text of each example on the page, by its type."""
    found = {}
    for arrow, text in re.findall(r"^    ([→←]) (\{(?:.|\n {7})*)", PAGE, re.MULTILINE):
        filled = re.sub(r"(?<=:)\{…\}", '{"board":[]}', text)
        data, _ = json.JSONDecoder().raw_decode(filled)
        found[data["type"]] = (arrow, json.dumps(data))
    return found


EXAMPLES = examples()


@cache
def validator(name: str | None = None) -> Draft202012Validator:
    """Of all messages, or of `Request` or `Reply` alone."""
    one = {"oneOf": [{"$ref": f"#/$defs/{name}"}]} if name else {}
    return Draft202012Validator({**schema(), **one})


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(schema())
    json.dumps(schema(), allow_nan=False)
    names = {model.__name__ for model in REQUESTS + REPLIES}
    assert names | {"Request", "Reply"} <= set(schema()["$defs"])


def test_the_page_shows_every_message() -> None:
    assert set(EXAMPLES) == set(MODELS)


def test_the_page_lists_every_end_of_a_game() -> None:
    table = PAGE.split("## Ends")[1].split("Order of judgement")[0]
    words = {
        word
        for row in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
        for word in re.findall(r"`(\w+)`", row)
    }
    assert words == {word.value for word in Termination}


@pytest.mark.parametrize("kind", sorted(MODELS))
def test_the_example_is_valid(kind: str) -> None:
    arrow, text = EXAMPLES[kind]
    data = json.loads(text)
    assert (arrow == "→") == (kind in REQUEST_TYPES)
    MODELS[kind].model_validate_json(text)
    side, other = ("Request", "Reply") if arrow == "→" else ("Reply", "Request")
    validator(side).validate(data)
    validator().validate(data)
    assert not validator(other).is_valid(data)


@pytest.mark.parametrize("kind", sorted(MODELS))
def test_no_example_is_valid_without_a_required_field(kind: str) -> None:
    data = json.loads(EXAMPLES[kind][1])
    model = schema()["$defs"][MODELS[kind].__name__]
    assert "type" in model["required"]
    for field in model["required"]:
        less = {key: value for key, value in data.items() if key != field}
        assert not validator().is_valid(less), field


WRONG: list[dict[str, Any]] = [
    {"type": "move", "ply": True, "move": "d3"},
    {"type": "move", "ply": "8", "move": "d3"},
    {"type": "move", "ply": 8.5, "move": "d3"},
    {"type": "move", "ply": 8, "move": None},
    {"type": "move", "ply": 8, "move": "d3", "info": "good"},
    {"type": "move", "ply": 8, "move": "d3", "info": {"depth": "12"}},
    {"type": "move", "ply": 8, "move": "d3", "info": {"pv": "d2 c5"}},
    {"type": "ready", "name": 7},
    {"type": "resign", "ply": 8, "move": "d3"},
]


@pytest.mark.parametrize("data", WRONG, ids=json.dumps)
def test_model_and_schema_refuse_the_same(data: dict[str, Any]) -> None:
    assert not validator("Reply").is_valid(data)
    for model in REPLIES:
        with pytest.raises(ValidationError):
            model.model_validate(data)


def test_unknown_fields_are_ignored() -> None:
    data = {"type": "ready", "name": "bot", "mood": ["good"]}
    validator("Reply").validate(data)
    assert Ready.model_validate(data).model_dump(exclude_none=True) == {
        "type": "ready",
        "name": "bot",
    }


@pytest.mark.parametrize("text", ["a\nb", "\x1b[31m", "\x7f", "\x85", "\u202e", "\u2066", "\ud800"])
def test_text_that_could_rewrite_a_terminal_is_refused(text: str) -> None:
    with pytest.raises(ValidationError):
        Ready.model_validate({"type": "ready", "name": text})
    with pytest.raises(ValidationError):
        Move.model_validate({"type": "move", "ply": 0, "move": "a1", "info": {"pv": [text]}})


@pytest.mark.parametrize("text", ["", "né", "日本語", "🐕", "a  b", "שלום"])
def test_text_in_any_language_is_welcome(text: str) -> None:
    assert Ready.model_validate({"type": "ready", "name": text}).name == text


def test_three_ends_are_no_players_fault() -> None:
    faultless = {word for word in Termination if not word.is_forfeit}
    assert faultless == {Termination.NATURAL, Termination.ADJUDICATED, Termination.VOID}
