"""The bot with a fault."""

from __future__ import annotations

import json
import sys
from importlib import import_module
from typing import Any

from speech import hang, move, read_requests, ready, say

FILES = ("texts", "streams", "clocks", "processes", "resources", "attacks")
"""Where faults are looked for until they are found: the first are imported in half the time."""
KINDS = ("READY", "MOVE", "LAUNCH", "TURN", "ACTS")


def find(fault: str) -> dict[str, Any]:
    """What a fault does, by when it does it."""
    for file in FILES:
        tables = vars(import_module(file))
        found = {kind: tables[kind][fault] for kind in KINDS if fault in tables.get(kind, ())}
        if found:
            return found
    sys.exit(f"no fault {fault!r}")


def all_of(names: list[str]) -> dict[str, str]:
    """What came of several acts, one after the other."""
    acts = {name: find(name)["ACTS"] for name in names}
    return {f"{name}.{part}": got for name, act in acts.items() for part, got in act().items()}


def play(fault: str) -> None:
    """Play with this fault until told to quit."""
    several = fault.split("+")
    does = find(fault) if len(several) == 1 else {"ACTS": lambda: all_of(several)}
    if launch := does.get("LAUNCH"):
        launch()
    act = does.get("ACTS")
    for request in read_requests():
        if request["type"] == "start":
            say(does.get("READY", ready()))
        elif request["type"] == "turn" and "TURN" in does:
            does["TURN"](request)
        elif request["type"] == "turn" and act is not None:
            told = act()
            act = None if told is not None else act
            say(move(request, info={"text": json.dumps(told)}) if told else move(request))
        elif request["type"] == "turn":
            say(does.get("MOVE", move)(request))
        elif request["type"] == "end" and fault == "talks_after_end":
            say(b"good game\n")
        elif request["type"] == "quit" and fault != "ignores_quit":
            return
    if fault == "ignores_quit":
        hang()
