"""Wrong words: what is said instead of `ready` and instead of `move`."""

from __future__ import annotations

import json
from collections.abc import Callable

from speech import Request, line, move


def move_and(rest: bytes) -> Callable[[Request], bytes]:
    return lambda request: move(request) + rest


# What is said instead of `ready`

READY = {
    "banner": b"Welcome to SuperBot 3000\n",
    "ready_1_mb_name": line(type="ready", name="n" * 2**20),
    "ready_ansi": line(type="ready", name="\x1b[2Jowned"),
    "ready_rtl": line(type="ready", name="\u202eevil"),
    "ready_surrogate": b'{"type":"ready","name":"\\ud800"}\n',
    "ready_wrong_kind": line(type="move", ply=0, move="a1b1"),
    "ready_array": b'["ready"]\n',
    "ready_number_name": line(type="ready", name=7),
    "ready_path": line(type="ready", name="../../etc/passwd", author="/root"),
    "ready_umlaut": '{"type":"ready","name":"Köter 🐕"}\n'.encode(),
    "ready_unknown_field": line(type="ready", mood={"today": ["good"]}),
    "ready_twice": line(type="ready") * 2,
}

# What is said instead of `move`

MOVE: dict[str, Callable[[Request], bytes]] = {
    "bad_utf8": lambda r: b'{"type":"move","move":"\xff\xfe"}\n',
    "utf16": lambda r: move(r).decode().encode("utf-16"),
    "utf16_no_bom": lambda r: move(r).decode().encode("utf-16-le"),
    "bom": lambda r: b"\xef\xbb\xbf" + move(r),
    "nul": lambda r: b"\0" + move(r),
    "repr": lambda r: repr(json.loads(move(r))).encode() + b"\n",
    "nan": lambda r: move(r, info={"score": float("nan")}),
    "infinity": lambda r: move(r, info={"score": float("-inf")}),
    "overflow": lambda r: move(r)[:-2] + b',"info":{"score":1e999}}\n',
    "digits_60k": lambda r: move(r)[:-2] + b',"info":{"nodes":' + b"9" * 60_000 + b"}}\n",
    "duplicate_key": lambda r: move(r)[:-2] + b',"ply":0}\n',
    "deep_30k": lambda r: b"[" * 30_000 + b"]" * 30_000 + b"\n",
    "deep_100k": lambda r: b"[" * 100_000 + b"]" * 100_000 + b"\n",
    "debug_print": lambda r: b"thinking about it\n" + move(r),
    "trailing_text": lambda r: move(r)[:-1] + b" // best\n",
    "array": lambda r: json.dumps(["move", r["ply"], r["legal"][0]]).encode() + b"\n",
    "missing_move": lambda r: line(type="move", ply=r["ply"]),
    "missing_ply": lambda r: line(type="move", move=r["legal"][0]),
    "move_is_number": lambda r: move(r, move=12),
    "wrong_kind": lambda r: line(type="ready"),
    "unknown_kind": lambda r: move(r, type="resign"),
    "surrogate": lambda r: move(r, info={"text": "\udc80"}),
    "ply_string": lambda r: move(r, ply=str(r["ply"])),
    "ply_float": lambda r: move(r, ply=float(r["ply"])),
    "info_text_control": lambda r: move(r, info={"text": "a\tb"}),
    "stale_ply": lambda r: move(r, ply=r["ply"] - 1),
    "boolean_ply": lambda r: move(r, ply=bool(r["ply"])),
    "illegal": lambda r: move(r, move="z9z8"),
    "illegal_case": lambda r: move(r, move=r["legal"][0].upper()),
    "illegal_ansi_like": lambda r: move(r, move="«" * 500),
    "line_70_kb": lambda r: move(r, info={"text": "x" * 70_000}),
    "blank_flood": lambda r: b"\n" * 5000,
    "answers_twice": lambda r: move(r) * 2,
    "answers_early": lambda r: move(r) + move(r, ply=r["ply"] + 2),
    "line_flood": move_and(line(type="info", text="depth 1") * 10_000),
    # all of these are right
    "info_60_kb": lambda r: move(r, info={"text": "x" * 60_000}),
    "info_whole": lambda r: move(
        r, info={"score": 2, "depth": 3, "nodes": 10**18, "pv": ["a", "b"], "text": "né", "x": [1]}
    ),
    "crlf": lambda r: move(r)[:-1] + b"\r\n",
    "blank_lines": lambda r: b"\n\r\n" + move(r) + b"\n",
    "blank_lines_100": lambda r: b"\n" * 100 + move(r),
    "spaced": lambda r: (
        b"  " + json.dumps(json.loads(move(r)), indent=1).encode().replace(b"\n", b"\t") + b"  \n"
    ),
}
