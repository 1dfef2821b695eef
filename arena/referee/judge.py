"""From the bytes of a reply to a message, or to the fault in them. Order of judgement: encoding →
JSON (strictly RFC 8259) → schema → ply → legality; death, lateness and length come before.
"""

import json
import math
import re
from collections.abc import Collection
from typing import Any, Literal, NoReturn, TypedDict, TypeVar, cast

import msgspec
from pydantic import ValidationError

from arena.model.protocol import Message, Move, Ready, Termination, excerpt
from arena.model.record import PlayerFault

MAX_DEPTH = 64
"""Of nested arrays and objects."""
MAX_DIGITS = 300
"""Of an integer: the protocol needs no more, and the time to read one stays short."""

_KINDS = {list: "an array", str: "a string", bool: "a boolean", type(None): "null"}
_BRACKETS = re.compile(rb'"(?:[^"\\]|\\.)*"?|[\[{]|[\]}]')

Reply = TypeVar("Reply", Ready, Move)


class GivenInfo(TypedDict, total=False):
    """The `info` of a reply, without the fields of `Info` that the player left out."""

    score: float
    depth: int
    nodes: int
    pv: list[str]
    text: str


class JudgedMove(msgspec.Struct, frozen=True):
    """A `Move` as it was judged: as simple as it can be, for it is read most of all."""

    type: Literal["move"]
    ply: int
    move: str
    info: GivenInfo | None = None


def ready(line: bytes) -> Ready:
    """The answer to `start`. Raises PlayerFault."""
    return _validate(Ready, _object(line))


def move(line: bytes, *, ply: int, legal: Collection[str]) -> JudgedMove:
    """The answer to `turn`. Raises PlayerFault."""
    if (plain := _plain(line)) and plain.ply == ply and plain.move in legal:
        return plain
    data = _object(line)
    answered = data.get("ply")
    # A boolean is not an integer, but a wrong ply: everything else is judged before it.
    reply = _validate(Move, data | {"ply": ply} if isinstance(answered, bool) else data)
    if isinstance(answered, bool):
        why = f"`ply` is {json.dumps(answered)}, which is not an integer; the turn has ply {ply}."
        raise PlayerFault(Termination.WRONG_PLY, why)
    if reply.ply != ply:
        raise PlayerFault(
            Termination.WRONG_PLY,
            f"The reply is for ply {reply.ply}, but the turn has ply {ply}. "
            f"Copy the `ply` of the turn, and answer each turn once.",
        )
    if reply.move not in legal:
        shown = ", ".join(list(legal)[:12]) + (", …" if len(legal) > 12 else "")
        raise PlayerFault(
            Termination.ILLEGAL_MOVE,
            f"{excerpt(reply.move.encode())} is not legal at ply {ply}. Legal: {shown}.",
        )
    info = None if reply.info is None else reply.info.model_dump(exclude_none=True)
    return JudgedMove("move", ply, reply.move, cast("GivenInfo | None", info))


def _plain(line: bytes) -> JudgedMove | None:
    """The move of a line, read and validated in one go, where each key is a known one and comes
    once: then there are as many colons. None where all of the line is to be judged, as it is where
    an integer could be too long, a value is null, or a text is not plain.
    """
    if len(line) > MAX_DIGITS:
        return None
    try:
        reply: JudgedMove = _PLAIN.decode(line)
    except ValueError:
        return None
    if (info := reply.info) is None:
        return reply if line.count(b":") == 3 else None
    if line.count(b":") != 4 + len(info):
        return None
    if "pv" in info or "text" in info:
        texts = "".join((*info.get("pv", ()), info.get("text", "")))
        return reply if texts.isascii() and texts.isprintable() else None
    return reply


def _object(line: bytes) -> dict[str, Any]:
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise PlayerFault(
            Termination.BAD_UTF8,
            f"Byte 0x{line[error.start]:02x} at position {error.start} is not UTF-8: "
            f"{excerpt(line)}. Write UTF-8, without a byte order mark.",
        ) from None
    if len(line) > MAX_DEPTH and _depth(line) > MAX_DEPTH:
        raise _bad_json(line, f"nested deeper than {MAX_DEPTH}")
    try:
        data = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        begun = text.lstrip().startswith(("{", "["))
        why = f"{error.msg} at position {error.pos}" if begun else ""
        raise _bad_json(line, why) from None
    except ValueError as error:
        raise _bad_json(line, str(error)) from None
    if not isinstance(data, dict):
        kind = _KINDS.get(type(data), "a number")
        raise PlayerFault(
            Termination.BAD_SCHEMA, f"A reply must be a JSON object, not {kind}: {excerpt(line)}."
        )
    return data


def _depth(line: bytes) -> int:
    if line.count(b"[") + line.count(b"{") <= MAX_DEPTH:
        return 0
    depth = deepest = 0
    for token in _BRACKETS.findall(line):
        if token in b"[{":
            depth += 1
            deepest = max(deepest, depth)
        elif token in b"]}":
            depth -= 1
    return deepest


def _bad_json(line: bytes, why: str) -> PlayerFault:
    reason = f" ({why})" if why else ""
    return PlayerFault(Termination.BAD_JSON, f"This line is not JSON: {excerpt(line)}{reason}.")


def _validate(model: type[Reply], data: dict[str, Any]) -> Reply:
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise PlayerFault(Termination.BAD_SCHEMA, _explain(model, error)) from None


def _explain(model: type[Message], error: ValidationError) -> str:
    problems = []
    for problem in error.errors(include_url=False):
        wrong = "is missing"
        if problem["type"] != "missing":
            got = excerpt(json.dumps(problem["input"]).encode(), 60)
            table = problem["type"] == "model_type"
            rule = "should be an object" if table else problem["msg"].removeprefix("Value error, ")
            wrong = f"{rule.replace('Input should be', 'should be')}, got {got}"
        problems.append(f"`{'.'.join(map(str, problem['loc']))}` {wrong}")
    fields = ", ".join(
        name if field.is_required() else f"{name} (optional)"
        for name, field in model.model_fields.items()
    )
    kind = model.model_fields["type"].annotation.__args__[0]  # type: ignore[union-attr] # a Literal
    return f"This is not a `{kind}` message: {'; '.join(problems)}. Its fields: {fields}."


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {excerpt(twice.encode('utf-8', 'backslashreplace'))} twice")
    return values


def _no_constant(word: str) -> NoReturn:
    raise ValueError(f"JSON has no {word}")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"the number {text[:20]} overflows")
    return number


def _short_integer(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise ValueError(f"an integer of {len(text)} digits")
    return int(text)


_PLAIN = msgspec.json.Decoder(JudgedMove)
_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique, parse_constant=_no_constant,
    parse_float=_finite, parse_int=_short_integer,
)  # fmt: skip
