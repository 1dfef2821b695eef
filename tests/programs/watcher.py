"""A bot that looks, while it is to move, how far the counters of a ponderer go on.

`python tests/programs/watcher.py COUNTERS`: tells the steps of each in `info.text`, as JSON.
"""

from __future__ import annotations

import json
import struct
import sys
import time
from pathlib import Path


def counters(path: str) -> list[int]:
    data = Path(path).read_bytes()
    return list(struct.unpack(f"<{len(data) // 8}q", data))


def say(message: object) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def main(path: str) -> None:
    for line in sys.stdin:
        request = json.loads(line)
        if request["type"] == "start":
            say({"type": "ready", "name": "watcher"})
        elif request["type"] == "turn":
            time.sleep(0.1)  # a process that is being stopped may run on for a moment
            before = counters(path)
            time.sleep(0.1)
            steps = [after - now for after, now in zip(counters(path), before, strict=True)]
            move = {"type": "move", "ply": request["ply"], "move": request["legal"][0]}
            say({**move, "info": {"text": json.dumps(steps)}})


if __name__ == "__main__":
    main(sys.argv[1])
