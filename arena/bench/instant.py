"""A player that answers every turn with its first legal move; for machines without a C compiler."""

import json
import sys


def main() -> None:
    """Play by the protocol until `quit` or the end of stdin."""
    for line in sys.stdin.buffer:
        request = json.loads(line)
        match request["type"]:
            case "start":
                reply: dict[str, object] = {"type": "ready", "name": "instant"}
            case "turn":
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
