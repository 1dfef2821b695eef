"""A correct minimal bot that answers with the first legal move, and every way to break it.

`python tests/bots/hostile FAULT [MARK]`: the fault is a name from one of the files beside this one,
or `none`. The mark is only there to be found: in a list of processes, in the names of files.
Standard library only.

Some faults are acts that a sandbox should foil. Those play on, and tell in `info.text` of their
first move what came of it, as JSON: `{"act": "what it got"}`, or `{"act": "!EPERM"}`.
"""

from __future__ import annotations

import json
import sys

import attacks
import clocks
import processes
import resources
import streams
import texts
from speech import move, read_requests, ready, say

LAUNCH = {**processes.LAUNCH, **streams.LAUNCH}
TURN = {**processes.TURN, **streams.TURN, **clocks.TURN, **resources.TURN}
ACTS = {**attacks.ACTS, **resources.ACTS, **clocks.ACTS}


def main(fault: str) -> None:
    if fault not in {"none", *texts.READY, *texts.MOVE, *LAUNCH, *TURN, *ACTS}:
        sys.exit(f"no fault {fault!r}")
    if fault in LAUNCH:
        LAUNCH[fault]()
    act = ACTS.get(fault)
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
        processes.hang()


if __name__ == "__main__":
    main(sys.argv[1])
