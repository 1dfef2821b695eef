"""A correct bot that answers with the first legal move and appends every request to a file.

`recorder.py FILE`. It tells its process id on stderr at the start of each game.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

with Path(sys.argv[1]).open("a") as log:
    for line in sys.stdin:
        log.write(line)
        log.flush()
        request = json.loads(line)
        if request["type"] == "start":
            sys.stderr.write(f"pid {os.getpid()}\n")
            sys.stdout.write('{"type":"ready"}\n')
        elif request["type"] == "turn":
            move = request["legal"][0]
            answer = {"type": "move", "ply": request["ply"], "move": move}
            sys.stdout.write(json.dumps(answer) + "\n")
        elif request["type"] == "quit":
            break
        sys.stdout.flush()
