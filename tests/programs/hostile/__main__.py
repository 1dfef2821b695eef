"""A correct minimal bot that answers with the first legal move, and every way to break it.

`python tests/programs/hostile FAULT [MARK]`: the fault is a name from one of the files next to this
one, or `none`. The mark is only there to be found: in a list of processes, in the names of files.
Standard library only.

Some faults are acts that a sandbox should foil. Those play on, and tell in `info.text` of their
first move what came of it, as JSON: `{"act": "what it got"}`, or `{"act": "!EPERM"}`. Several
names with `+` between them are acts one after the other, told as `{"NAME.act": …}`.
"""

from __future__ import annotations

import sys

from speech import move, read_requests, ready, say


def main(fault: str) -> None:
    if fault != "none":
        import faults  # here: without a fault it starts in half the time

        faults.play(fault)
        return
    for request in read_requests():
        if request["type"] == "start":
            say(ready())
        elif request["type"] == "turn":
            say(move(request))
        elif request["type"] == "quit":
            return


if __name__ == "__main__":
    main(sys.argv[1])
