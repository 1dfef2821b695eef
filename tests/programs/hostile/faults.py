"""The bot with a fault."""

from __future__ import annotations

import json
import sys

import attacks
import clocks
import processes
import resources
import streams
import texts
from speech import hang, move, read_requests, ready, say

LAUNCH = {**processes.LAUNCH, **streams.LAUNCH}
TURN = {**processes.TURN, **streams.TURN, **clocks.TURN, **resources.TURN}
ACTS = {**attacks.ACTS, **resources.ACTS, **clocks.ACTS}


def all_of(names: list[str]) -> dict[str, str]:
    """What came of several acts, one after the other."""
    return {f"{name}.{part}": got for name in names for part, got in ACTS[name]().items()}


def play(fault: str) -> None:
    """Play with this fault until told to quit."""
    several = fault.split("+")
    if not {fault, *several} & {*texts.READY, *texts.MOVE, *LAUNCH, *TURN, *ACTS}:
        sys.exit(f"no fault {fault!r}")
    if fault in LAUNCH:
        LAUNCH[fault]()
    act = ACTS.get(fault) if len(several) == 1 else lambda: all_of(several)
    for request in read_requests():
        if request["type"] == "start":
            say(texts.READY.get(fault, ready()))
        elif request["type"] == "turn" and fault in TURN:
            TURN[fault](request)
        elif request["type"] == "turn" and act is not None:
            told = act()
            act = None if told is not None else act
            say(move(request, info={"text": json.dumps(told)}) if told else move(request))
        elif request["type"] == "turn":
            say(texts.MOVE.get(fault, move)(request))
        elif request["type"] == "end" and fault == "talks_after_end":
            say(b"good game\n")
        elif request["type"] == "quit" and fault != "ignores_quit":
            return
    if fault == "ignores_quit":
        hang()
