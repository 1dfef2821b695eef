"""The player protocol as JSON Schema (draft 2020-12), made from `arena.model.protocol`."""

from typing import Any

from pydantic.json_schema import models_json_schema

from arena.model.protocol import PROTOCOL_VERSION, REPLIES, REQUESTS

_REF = "#/$defs/{model}"


def schema() -> dict[str, Any]:
    """One document for every line that crosses the pipe.

    Each message has its place under `$defs`; so have `Request`, what the referee writes, and
    `Reply`, what a player writes. The document as a whole takes either. A schema cannot say all:
    strings of a reply are also free of control characters and lone surrogates.
    """
    _, document = models_json_schema(
        # Requests as they are written, with every field; replies as they are judged.
        [(model, "serialization") for model in REQUESTS]
        + [(model, "validation") for model in REPLIES],
        ref_template=_REF,
    )
    messages = document["$defs"]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Player protocol, version {PROTOCOL_VERSION}",
        "oneOf": [_ref("Request"), _ref("Reply")],
        "$defs": {
            "Request": _one_of("What the referee writes to a player's stdin.", REQUESTS),
            "Reply": _one_of("What a player writes to its stdout.", REPLIES),
            **messages,
        },
    }


def _one_of(description: str, models: tuple[type, ...]) -> dict[str, Any]:
    return {"description": description, "oneOf": [_ref(model.__name__) for model in models]}


def _ref(name: str) -> dict[str, str]:
    return {"$ref": _REF.format(model=name)}
