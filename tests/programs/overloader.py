"""A bot that keeps its cores busy eightfold at its first move and never answers.

`python tests/programs/overloader.py threads|forks|daemons`
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import threading

TIMES = 8


def spin() -> None:
    """Without the interpreter's lock, so that threads are in each other's way at the CPU."""
    while True:
        hashlib.pbkdf2_hmac("sha256", b"", b"", 1_000_000)


def threads() -> None:
    for _ in range(TIMES):
        threading.Thread(target=spin, daemon=True).start()


def forks() -> None:
    for _ in range(TIMES):
        if os.fork() == 0:
            spin()


def daemons() -> None:
    for _ in range(TIMES):
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                spin()
            os._exit(0)
        os.wait()


def main(how: str) -> None:
    for line in sys.stdin:
        if json.loads(line)["type"] == "start":
            sys.stdout.write('{"type":"ready","name":"overloader"}\n')
            sys.stdout.flush()
        else:
            {"threads": threads, "forks": forks, "daemons": daemons}[how]()
            spin()


if __name__ == "__main__":
    main(sys.argv[1])
