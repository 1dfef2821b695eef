"""Tables of a TOML file validated by a model, and sentences on their mistakes."""

import difflib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from typing import Any, ClassVar, NamedTuple, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from arena.errors import Problem
from arena.files.described import Described
from arena.files.plain_text import printable
from arena.files.toml import KeyLines, KeyPath

_File = TypeVar("_File", bound="TomlTable")


class TomlTable(Described):
    """The base of all tables: no unknown keys, no guessing at types, no infinity."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", allow_inf_nan=False)
    synonyms: ClassVar[Mapping[str, str]] = {}
    """Keys that people write, and the key they mean."""


class Finding(NamedTuple):
    """A problem with the place it is at, before that is turned into words."""

    path: KeyPath
    message: str


Reporter = Callable[[KeyPath, str], None]
"""Takes the key of a mistake, and a sentence on it."""


def reporter(findings: list[Finding]) -> Reporter:
    """Adds to `findings`, but for keys that are found wrong in themselves already."""
    wrong = {finding.path for finding in findings}

    def report(at: KeyPath, message: str) -> None:
        if not any(at[: len(known)] == known for known in wrong):
            findings.append(Finding(at, message))

    return report


def read_tables(model: type[_File], data: dict[str, Any]) -> tuple[_File, list[Finding]]:
    """Validate a parsed file. Mistakes are reported and left out, and the rest is still checked.

    Every key of `model` has a default; what is required is asked for by the caller.
    """
    data, findings = deepcopy(data), list[Finding]()
    while True:
        try:
            return model.model_validate(data), findings
        except ValidationError as error:
            refused = list(explain(error, model, data))
            findings += refused
            for finding in refused:
                _leave_out(data, finding.path)


def _leave_out(data: Any, path: KeyPath) -> None:
    """Remove the table entry nearest to `path`, so that its default is used."""
    holder, key = data, path[0]
    for step in path:
        if isinstance(data, dict):
            holder, key, data = data, step, data.get(step)
        elif isinstance(data, list):
            data = data[step]  # type: ignore[index] # a list's step is an index
    holder.pop(key, None)


_FEW = 40
"""Names that are listed whole."""
_NEAR = 0.65
"""How like a word a name must be to be asked about; `path` and `python` have 0.6."""


def explain(error: ValidationError, model: type[BaseModel], data: object) -> Iterable[Finding]:
    """Each key that `model` refused, with the allowed and the found values."""
    messages: dict[KeyPath, list[str]] = {}
    got: dict[KeyPath, str] = {}
    for entry in error.errors():
        path = _path_in(data, entry["loc"], entry["type"])
        text = _sentence(entry, path, model)
        if text is None:
            text, got[path] = _expected_and_got(entry)
        messages.setdefault(path, []).append(text)
    for path, texts in messages.items():
        text = " or ".join(dict.fromkeys(texts))
        must_be = "must be " if path in got else ""
        yield Finding(path, f"{must_be}{text}{got.get(path, '')}")


def _sentence(entry: ErrorDetails, path: KeyPath, model: type[BaseModel]) -> str | None:
    """What is wrong with a key; None where its value is of a wrong kind or range."""
    match kind := entry["type"]:
        case "extra_forbidden":
            return f"unknown key; {_meant_key(str(path[-1]), _table_at(model, path[:-1]))}"
        case "missing":
            return "is missing"
        case "too_short":
            least = entry["ctx"]["min_length"]
            text = "must not be empty" if least == 1 else f"must have at least {least} items"
        case "too_long" | "string_too_long":
            what = "items" if kind == "too_long" else "characters"
            text = f"must have at most {entry['ctx']['max_length']} {what}"
        case "list_type":
            text = f"must be {_list_for(model, path, entry['input'])}"
        case "model_type" | "dict_type":
            of_list = isinstance(path[-1], int)  # a table of the list before it
            name = f"[{path[-2]}]" if of_list else ".".join(s for s in path if isinstance(s, str))
            text = f"must be a table: write [{name}]"
        case "value_error":
            text = entry["msg"].removeprefix("Value error, ")
        case _:
            return None
    return f"{text}, got {shown(entry['input'])}"


def _expected_and_got(entry: ErrorDetails) -> tuple[str, str]:
    """What a value must be, and what it is, with the nearest of those that can be chosen."""
    value = entry["input"]
    text = entry["msg"].removeprefix("Input should be ").partition(", unable to parse")[0]
    got = f", got {shown(value)}"
    if entry["type"] in ("literal_error", "enum"):  # a value that is none of a few
        text = f"one of {text.replace(' or ', ', ')}" if " or " in text else text
        if isinstance(value, str):
            got += nearest(value, re.findall(r"'([^']*)'", text))
    return text, got


def _list_for(model: type[BaseModel], path: KeyPath, value: object) -> str:
    field = _table_at(model, path[:-1]).model_fields.get(str(path[-1]))
    if field is not None and _model_in(field.annotation) is not None:
        return f"a list of tables: write [[{path[-1]}]]"
    items = shown(value.split() if isinstance(value, str) else [value])
    return f"a list: write {items}"


def _path_in(data: object, loc: tuple[str | int, ...], kind: str) -> KeyPath:
    """The part of pydantic's `loc` that is in the file: it also names branches of unions."""
    path: KeyPath = ()
    for step in loc:
        if isinstance(data, Mapping) and (step in data or kind == "missing"):
            data = data.get(step)
        elif isinstance(data, list) and isinstance(step, int):
            data = data[step] if step < len(data) else None  # an item that is missing
        else:
            break
        path = (*path, step)
    return path


def _meant_key(key: str, table: type[BaseModel]) -> str:
    known = [field.alias or name for name, field in table.model_fields.items()]
    synonyms = table.synonyms if issubclass(table, TomlTable) else {}
    return did_you_mean(synonyms.get(key, key), known)


def _table_at(model: type[BaseModel], path: KeyPath) -> type[BaseModel]:
    """The table that `path` leads to, or that holds it where it is a value."""
    for step in path:
        fields = {field.alias or name: field for name, field in model.model_fields.items()}
        field = fields.get(str(step))  # none for an index, or a name that is free
        if field is not None:
            model = _model_in(field.annotation) or model
    return model


def _model_in(annotation: object) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next(filter(None, map(_model_in, get_args(annotation))), None)


def did_you_mean(word: str, known: Iterable[str], what: str = "known") -> str:
    """`did you mean "c"? (known: c, threads)`, without the question where nothing is near."""
    known = list(known)
    listed, near = f"{what}: {few_of(known, word) or 'none'}", nearest(word, known)
    return f"{near.removeprefix('; ')} ({listed})" if near else listed


def no_such(what: str, name: str, known: Iterable[str]) -> str:
    """`no player is named "c"; players: a, b`."""
    return f"no {what} is named {shown(name)}; {did_you_mean(name, known, f'{what}s')}"


def few_of(known: Sequence[str], word: str) -> str:
    """All of them, or of a large field those most like the word."""
    if len(known) <= _FEW:
        return ", ".join(known)
    like = difflib.get_close_matches(word, known, 5) or known[:5]
    return f"{', '.join(like)} and {len(known) - len(like):,} more"


def nearest(word: str, known: Iterable[str]) -> str:
    """`; did you mean "c"?`, or nothing where nothing is near."""
    near = difflib.get_close_matches(word, list(known), n=1, cutoff=_NEAR)
    return f'; did you mean "{near[0]}"?' if near else ""


def wrong_name(name: str, what: str) -> str | None:
    """Why `name` cannot name `what`, a file or a folder of ours; None where it can."""
    fits = name.isprintable() and not name.startswith(".") and "/" not in name
    if fits and 1 <= len(name.encode()) <= 200:
        return None
    return (
        f"names {what}: no slash, no leading dot, no control character, not empty, at most 200 "
        f"bytes; got {shown(name)}"
    )


def shown(value: object) -> str:
    """A value as a file writes it, shortened."""
    text = printable(json.dumps(value, default=str, ensure_ascii=False))
    return text if len(text) <= 80 else f"{text[:77]}…"


def written(path: KeyPath) -> str:
    """`("player", 1, "options", "c")` → `player[2].options.c`: people count from 1."""
    text = ""
    for step in path:
        key = f"[{step + 1}]" if isinstance(step, int) else printable(step)
        text += f".{key}" if text and isinstance(step, str) else key
    return text


def problems(text: str, findings: Iterable[Finding]) -> tuple[Problem, ...]:
    """The findings with their lines, in the order of the file."""
    lines = KeyLines(text)
    placed = sorted(findings, key=lambda finding: lines.line_of(finding.path) or 0)
    return tuple(Problem(written(at), lines.line_of(at), message) for at, message in placed)
