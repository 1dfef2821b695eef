"""Inputs near to good ones: bytes edited, documents with other values, archives of odd entries."""

import bz2
import gzip
import hashlib
import io
import json
import lzma
import math
import struct
import tarfile
import warnings
import zipfile
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from datetime import UTC, date, datetime, time
from functools import partial
from typing import Any

import zstandard
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

MOST_BYTES = 2**20
_PLACE = st.integers(0, 2**16 - 1)

# Bytes

_WORDS = (
    b"", b"\0", b"\n", b"\r\n", b"\xff", b"\xef\xbb\xbf", b"\xed\xa0\x80", b'"', b"'", b'"""', b"[",
    b"]]", b"{", b"}", b"=", b",", b"#", b"\\", b"\\u0000", b"\\ud800", b"-", b"0", b"-1", b"1e999",
    b"nan", b"inf", b"NaN", b"true", b"null", b"9" * 400, b"9" * 5000, b"0x" + b"f" * 5000,
    b"[" * 5000, b"{" * 200, b"a." * 2000, b" ", b"\x1b[31m", "\u202e".encode(), "\u2028".encode(),
    "é".encode(), b"../", b"/dev/zero",
)  # fmt: skip
_EDITS = ("put", "overwrite", "replace", "drop", "repeat", "flip", "cut")


def edited(seeds: Sequence[bytes], words: Sequence[bytes] = ()) -> SearchStrategy[bytes]:
    """Some seed after a few edits, which put `words` in too."""
    word = st.sampled_from((*_WORDS, *words)) | st.binary(max_size=8)
    edit = st.tuples(st.sampled_from(_EDITS), _PLACE, st.integers(0, 64), word)
    return st.builds(_edit_all, st.sampled_from(tuple(seeds)), st.lists(edit, max_size=5))


def _edit_all(data: bytes, edits: Sequence[tuple[str, int, int, bytes]]) -> bytes:
    for how, place, length, word in edits:
        begin = place * len(data) >> 16
        before, here, after = data[:begin], data[begin : begin + length], data[begin + length :]
        match how:
            case "put":
                data = before + word + here + after
            case "overwrite":
                data = before + word + data[begin + len(word) :]
            case "replace":
                data = before + word + after
            case "drop":
                data = before + after
            case "repeat":
                data = before + here * (1 << place % 12) + after
            case "flip" if here:
                data = before + bytes([here[0] ^ 1 << length % 8]) + here[1:] + after
            case "cut":
                data = before
    return data[:MOST_BYTES]


# Documents

_VALUES = (
    0, 1, -1, 2, 2**31, 2**63 - 1, 2**63, 10**400, 1 << 20_000, 0.5, -0.0, 1e308, math.nan,
    math.inf, True, False, "", " ", "\0", "\x1b[31mred", "\u202eright", "\u2028", "é", "..", "../x",
    "/", ".", "/dev/zero", "/dev/null", "a" * 300, "x" * 5000, "bot.py", "dots", "othello",
    "2048", [], {},
    [[]], [{}], [1, "a"], {"": 1}, {"a\n\"b": {"c": []}}, datetime(2026, 1, 1, tzinfo=UTC),
    date(1, 1, 1), time(0, 0),
)  # fmt: skip
_plain = st.sampled_from(_VALUES) | st.integers() | st.floats() | st.text(max_size=12)
_value = _plain | st.lists(_plain, max_size=3) | st.dictionaries(st.text(max_size=5), _plain)
_CHANGES = ("set", "set", "like", "drop", "rename", "add")


def documents(seeds: Sequence[Any]) -> SearchStrategy[Any]:
    """Some seed, tables and lists, after a few changes. Values and names of all seeds move."""
    around = [place for seed in seeds for place in _places(seed)]
    names = sorted({key for _, key in around if isinstance(key, str)})
    others = [holder[key] for holder, key in around]
    change = st.tuples(
        st.sampled_from(_CHANGES), _PLACE, _value, st.sampled_from(others), st.sampled_from(names)
    )
    return st.builds(_change_all, st.sampled_from(tuple(seeds)), st.lists(change, max_size=5))


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Each holder and key below."""
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from _places(value[key])


def _change_all(seed: Any, changes: Sequence[tuple[str, int, Any, Any, str]]) -> Any:
    document = deepcopy(seed)
    for how, place, value, other, name in changes:
        places = list(_places(document))
        if not places:
            break
        holder, key = places[place % len(places)]
        match how:
            case "set":
                holder[key] = deepcopy(value)
            case "like":
                holder[key] = deepcopy(other)
            case "drop":
                del holder[key]
            case "rename" if isinstance(holder, dict):
                holder[name] = holder.pop(key)
            case "add" if isinstance(holder, dict):
                holder[name] = deepcopy(value)
            case "add":
                holder.append(deepcopy(value))
    return document


def as_json(document: Any) -> bytes:
    """The document as JSON."""
    return json.dumps(_shorter(document), default=str).encode("utf-8", "surrogatepass")


def _shorter(value: Any) -> Any:
    """The same, without integers that Python writes in no decimals."""
    if isinstance(value, dict):
        return {key: _shorter(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_shorter(each) for each in value]
    return 10**4000 if isinstance(value, int) and value.bit_length() > 10_000 else value


def as_toml(document: dict[str, Any]) -> bytes:
    """The document as TOML, with headers where it has tables."""
    head, tables = [], []
    for key, value in document.items():
        name = json.dumps(key)
        if isinstance(value, dict):
            tables += [f"[{name}]", *_assignments(value)]
        elif isinstance(value, list) and value and all(isinstance(each, dict) for each in value):
            for each in value:
                tables += [f"[[{name}]]", *_assignments(each)]
        else:
            head.append(f"{name} = {_toml(value)}")
    return "\n".join([*head, *tables, ""]).encode("utf-8", "surrogatepass")


def _assignments(table: dict[str, Any]) -> list[str]:
    return [f"{json.dumps(key)} = {_toml(value)}" for key, value in table.items()]


def _toml(value: Any) -> str:
    match value:
        case bool():
            return str(value).lower()
        case str():
            return json.dumps(value)
        case int() if value.bit_length() > 10_000:
            return hex(value)
        case list():
            return f"[{', '.join(map(_toml, value))}]"
        case dict():
            return f"{{ {', '.join(_assignments(value))} }}"
        case datetime() | date() | time():
            return value.isoformat()
    return repr(value)


# Archives

_NAMES = (
    "bot.toml", "bot.py", "./bot.py", "bot/bot.toml", "bot/bot.py", "a/b/c", "a", "a/", "../x",
    "/etc/x", "a\\b", "C:x", "BOT.PY", "bot.py/x", "é", "e\u0301", "\u202ex", "\x1b[31m", "a\0b",
    "", ".", "..", "/", "x" * 255, "x" * 300, "/".join("d" * 20), "/".join(["y" * 250] * 16),
    ".git/config", "__pycache__/x", "nul", "a\nb", "\udcff",
)  # fmt: skip
_MANIFEST = b'name = "bot"\nrules = ["dots"]\ncommand = ["python3", "bot.py"]\n'
_CONTENTS = (_MANIFEST, b"", b"print()\n", b"\0" * 200_000)
_name = st.sampled_from(_NAMES) | st.text(max_size=8)
_entries = st.lists(
    st.tuples(_name, st.sampled_from(_CONTENTS) | st.binary(max_size=50), _PLACE), max_size=5
)
_bot = st.just([("bot.toml", _MANIFEST, 0o644), ("bot.py", b"print()\n", 0o755)])
_MODES = (0o100644, 0o100755, 0o040755, 0o120777, 0o010644, 0o020644, 0o140644, 0, 0o170000)
_TYPES = (
    tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE,
    tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE, tarfile.CONTTYPE, tarfile.GNUTYPE_SPARSE,
    b"x", b"g", b"L", b"K", b"V",
)  # fmt: skip
_PACKED: dict[str, Callable[[bytes], bytes]] = {
    ".tar": lambda data: data, ".tar.gz": gzip.compress, ".tar.bz2": bz2.compress,
    ".tar.xz": partial(lzma.compress, preset=0),
}  # fmt: skip


def archives(suffix: str) -> SearchStrategy[bytes]:
    """Archives of odd entries, edited before they are packed and after."""
    made = st.builds(_zip if suffix == ".zip" else _tar, _bot | _entries | _entries)
    pack = _PACKED.get(suffix)
    packed = made if pack is None else (made | made.flatmap(lambda data: edited([data]))).map(pack)
    return packed | packed.flatmap(lambda data: edited([data]))


def _zip(entries: Sequence[tuple[str, bytes, int]]) -> bytes:
    file = io.BytesIO()
    with warnings.catch_warnings(action="ignore"), zipfile.ZipFile(file, "w") as archive:
        for name, content, kind in entries:
            info = zipfile.ZipInfo("x")
            info.filename = name.encode("utf-8", "replace").decode()
            info.external_attr = _MODES[kind % len(_MODES)] << 16
            info.compress_type = (0, 0, 8, 8, 8, 12, 14)[kind % 7]
            archive.writestr(info, content)
    return file.getvalue()


def _tar(entries: Sequence[tuple[str, bytes, int]]) -> bytes:
    file = io.BytesIO()
    form = (tarfile.PAX_FORMAT, tarfile.GNU_FORMAT)[len(entries) % 2]
    with tarfile.open(fileobj=file, mode="w", format=form, errors="surrogateescape") as archive:
        for name, content, kind in entries:
            info = tarfile.TarInfo(name.encode("utf-8", "replace").decode())
            info.type = _TYPES[kind % len(_TYPES)] if kind % 3 else tarfile.REGTYPE
            info.mode, info.size, info.linkname = kind & 0o7777, len(content), "../" * (kind % 3)
            archive.addfile(info, io.BytesIO(content))
    return file.getvalue()


# Networks


def networks(headers: Sequence[dict[str, Any]]) -> SearchStrategy[bytes]:
    """Network files with changed headers and payloads, mostly with the digest that is right."""
    payload = st.sampled_from((b"", b"\0" * 64, b"\0" * 4096, struct.pack("<f", math.nan) * 1024))
    made = st.builds(
        _network, documents(headers).map(as_json), payload, st.booleans(), st.just(True)
    )
    return made | st.builds(_network, edited(list(map(as_json, headers))), payload, st.booleans(),
                            st.booleans()) | made.flatmap(lambda data: edited([data]))  # fmt: skip


def _network(header: bytes, payload: bytes, packed: bool, signed: bool) -> bytes:
    body = header + b"\n" + (zstandard.compress(payload) if packed else payload)
    digest = hashlib.sha256(body).hexdigest() if signed else "0" * 64
    return f"n-tuple network 1 sha256 {digest}\n".encode() + body
