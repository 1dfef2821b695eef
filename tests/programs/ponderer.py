"""A bot that never stops counting: in a thread, in a child of its own session, in a daemon.

`python tests/programs/ponderer.py COUNTERS`: a file to count in, one number of 8 bytes for each.
"""

from __future__ import annotations

import json
import mmap
import os
import struct
import sys
import threading

COUNTERS = 3


def count(memory: mmap.mmap, slot: int) -> None:
    number = 0
    while True:
        number += 1
        struct.pack_into("<q", memory, 8 * slot, number)


def say(message: object) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def main(path: str) -> None:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    os.ftruncate(descriptor, 8 * COUNTERS)
    memory = mmap.mmap(descriptor, 8 * COUNTERS)
    if os.fork() == 0:
        os.setsid()
        count(memory, 1)
    middle = os.fork()
    if middle == 0:
        os.setsid()
        if os.fork() == 0:
            count(memory, 2)
        os._exit(0)
    os.waitpid(middle, 0)
    threading.Thread(target=count, args=(memory, 0), daemon=True).start()
    for line in sys.stdin:
        request = json.loads(line)
        if request["type"] == "start":
            reply = {"type": "ready", "name": "ponderer"}
        elif request["type"] == "turn":
            reply = {"type": "move", "ply": request["ply"], "move": request["legal"][0]}
        elif request["type"] == "quit":
            os._exit(0)
        else:
            continue
        say(reply)


if __name__ == "__main__":
    main(sys.argv[1])
