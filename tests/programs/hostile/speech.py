"""The right things to say, for bots that then do something wrong."""

from __future__ import annotations

import errno
import json
import os
import sys
import time
from collections.abc import Callable, Iterator

HANG_S = 60
MARK = sys.argv[2] if len(sys.argv) > 2 else "hostile"
Request = dict

OPTIONS: dict = {}
"""`options` of the game being played: what a test has prepared to be attacked."""


def read_requests() -> Iterator[Request]:
    """Until stdin is closed."""
    for request in map(json.loads, sys.stdin.buffer):
        if request["type"] == "start":
            OPTIONS.clear()
            OPTIONS.update(request["options"])
        yield request


def say(data: bytes) -> None:
    """Write all of it at once; a referee that kills us meanwhile is no news."""
    view = memoryview(data)
    while view:
        view = view[os.write(1, view) :]


def hang() -> None:
    time.sleep(HANG_S)


def line(**fields: object) -> bytes:
    return json.dumps(fields).encode() + b"\n"


def ready() -> bytes:
    return line(type="ready", name="hostile")


def move(request: Request, **more: object) -> bytes:
    return line(**{"type": "move", "ply": request["ply"], "move": request["legal"][0], **more})


def outcome(act: Callable[[], object]) -> str:
    """What an act got, or how that begins; or `!` and the name of the error that refused it."""
    try:
        return str(act())[:300]
    except OSError as error:
        return f"!{errno.errorcode.get(error.errno or 0, error)}"


def named(*functions: Callable) -> dict[str, Callable]:
    """Functions by their names."""
    return {function.__name__: function for function in functions}
