"""Standings as JSON. Its keys are documented in `arena.ratings.model.Standings`."""

from typing import Any

from arena.ratings.model import Standings


def dumps(standings: Standings) -> str:
    """The report as JSON text, indented, with a newline at its end."""
    return standings.model_dump_json(indent=2) + "\n"


def loads(text: str) -> Standings:
    """The standings that `dumps` wrote. pydantic.ValidationError for anything else."""
    return Standings.model_validate_json(text)


def schema() -> dict[str, Any]:
    """The JSON Schema of the report: each key with its description."""
    return Standings.model_json_schema(mode="serialization")
