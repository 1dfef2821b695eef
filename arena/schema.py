"""The player protocol as one JSON Schema document, for authors in any language."""

from __future__ import annotations

from typing import Any

from pydantic.json_schema import GenerateJsonSchema, models_json_schema

from arena.protocol import MAX_LINE_BYTES, PROTOCOL_VERSION, REPLIES, REQUESTS


def schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12): a line is valid when it is one of the messages.

    Under `$defs` are all messages by name, and `Request` (what the referee writes) and `Reply`
    (what a player writes). What a schema cannot say is judged beyond it: one object a line, strict
    UTF-8, no duplicate keys, no lone surrogates, at most 64 KiB, `ply` and `move` as asked.
    """
    _, document = models_json_schema(
        [
            *((model, "serialization") for model in REQUESTS),
            *((model, "validation") for model in REPLIES),
        ]
    )
    messages = document["$defs"]
    messages["Request"] = {
        "description": "What the referee writes to a player's stdin.",
        "oneOf": [_reference(model.__name__) for model in REQUESTS],
    }
    messages["Reply"] = {
        "description": f"What a player writes to its stdout, in at most {MAX_LINE_BYTES} bytes.",
        "oneOf": [_reference(model.__name__) for model in REPLIES],
    }
    return {
        "$schema": GenerateJsonSchema.schema_dialect,
        "title": f"Player protocol, version {PROTOCOL_VERSION}: one JSON object a line",
        "oneOf": [_reference("Request"), _reference("Reply")],
        "$defs": messages,
    }


def _reference(name: str) -> dict[str, str]:
    return {"$ref": f"#/$defs/{name}"}
