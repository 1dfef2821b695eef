"""A player that answers every turn with its first legal move; for machines without a C compiler."""

import json
import sys


def main() -> None:
    """Play by the protocol until `quit` or the end of stdin."""
    for line in sys.stdin.buffer:
        request = json.loads(line)
        match request["type"]:
            case "start":
                reply = {"type": "ready", "name": "instant"}
            case "turn":
                reply = {"type": "move", "ply": request["ply"], "move": request["legal"][0]}
            case "quit":
                return
            case _:
                continue
        sys.stdout.write(json.dumps(reply) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
