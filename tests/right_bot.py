"""The text of a bot that does everything right: tests run it, and spoil it."""

RIGHT = """\
import json
import sys

for line in sys.stdin:
    request = json.loads(line)
    if request["type"] == "start":
        print(json.dumps({"type": "ready", "name": "student"}), flush=True)
    elif request["type"] == "turn":
        move = request["legal"][0]
        reply = {"type": "move", "ply": request["ply"], "move": move}
        print(json.dumps(reply), flush=True)
    elif request["type"] == "quit":
        break
"""
