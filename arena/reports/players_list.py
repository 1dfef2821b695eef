"""`arena players`: the built-in players and their options."""

import json
from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from arena.errors import UserError
from arena.files.toml_tables import did_you_mean
from arena.tournament.catalogue import CatalogueEntry

_KINDS = {
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "string": "text",
    "array": "a list",
}
"""The types of JSON Schema in plain words."""


def show(name: str | None, builtins: Mapping[str, CatalogueEntry], console: Console) -> None:
    """A built-in player in full; without a name, all with their options. Raises UserError."""
    if name is not None:
        _show_player(name, builtins, console)
        return
    for builtin in builtins.values():
        console.print(_heading(builtin))
        if options := _options_in_short(builtin, builtins):
            console.print(Padding(Text(f"options: {options}"), (0, 0, 0, 2), expand=False))
    console.print(
        Text(
            "\n`arena players uct` explains the options of uct and their values.\n"
            'In a tournament file: [[player]] bot = "uct", options = { c = 1.0 }\n'
            "With `arena play`: --against uct --option c=1.0",
            style="dim",
        )
    )


def _show_player(name: str, builtins: Mapping[str, CatalogueEntry], console: Console) -> None:
    """Each option of a player with its default, its values and its meaning."""
    if name not in builtins:
        hint = did_you_mean(name, builtins, "built-in players")
        raise UserError(f'there is no built-in player "{name}"; {hint}')
    builtin = builtins[name]
    console.print(_heading(builtin))
    if not builtin.options.model_fields:
        console.print("  It takes no options.")
    for option, schema in builtin.options.model_json_schema()["properties"].items():
        default = "none" if schema["default"] is None else _toml(schema["default"])
        value = (default, "bold cyan"), (f"  {_values(schema)}", "dim")
        console.print(Text.assemble(f"\n  {option} = ", *value))
        meaning = Text(" ".join(schema["description"].split()))
        console.print(Padding(meaning, (0, 0, 0, 6), expand=False))


def _heading(builtin: CatalogueEntry) -> Text:
    return Text.assemble((builtin.name, "bold"), f"  {builtin.summary}")


def _options_in_short(builtin: CatalogueEntry, builtins: Mapping[str, CatalogueEntry]) -> str:
    """Their names; options taken from another player by that player's name."""
    names = list(builtin.options.model_fields)
    for other in builtins.values():
        if other is not builtin and other.options in builtin.options.__mro__[1:]:
            own = [name for name in names if name not in other.options.model_fields]
            return f"those of {other.name}, and {', '.join(own)}"
    return ", ".join(names)


def _values(schema: Mapping[str, Any]) -> str:
    """The values of an option, from its JSON Schema; empty for the null of an option left out."""
    if "anyOf" in schema:
        return " or ".join(filter(None, map(_values, schema["anyOf"])))
    if "enum" in schema or "const" in schema:
        return " or ".join(map(_toml, schema.get("enum") or [schema["const"]]))
    return "" if schema["type"] == "null" else _KINDS[schema["type"]] + _range(schema)


def _range(schema: Mapping[str, Any]) -> str:
    if "minimum" in schema and "maximum" in schema:
        return f", {schema['minimum']} to {schema['maximum']}"
    words = {
        "minimum": ", {} or more",
        "exclusiveMinimum": " above {}",
        "exclusiveMaximum": " below {}",
    }
    return " and".join(phrase.format(schema[key]) for key, phrase in words.items() if key in schema)


def _toml(value: Any) -> str:
    """As a tournament file writes it."""
    return json.dumps(value, ensure_ascii=False)
