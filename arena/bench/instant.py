"""A player that answers every turn with its first legal move, at once or after `think_ms`; at once
for machines without a C compiler.
"""

import json
import sys
import time


def main() -> None:
    """Play by the protocol until `quit` or the end of stdin."""
    for line in sys.stdin.buffer:
        request = json.loads(line)
        match request["type"]:
            case "start":
                think_s = request["options"].get("think_ms", 0) / 1000
                reply: dict[str, object] = {"type": "ready", "name": "instant"}
            case "turn":
                if think_s:
                    time.sleep(think_s)
                info = {"score": 0, "depth": 1}
                move = request["legal"][0]
                reply = {"type": "move", "ply": request["ply"], "move": move, "info": info}
            case "quit":
                return
            case _:
                continue
        sys.stdout.write(json.dumps(reply) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
