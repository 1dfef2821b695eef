"""A good bot but for its second turn: then it stops its referee, and itself too if it is told
`both`, for a second, as a laptop's lid does; and answers at once, or never if it is told `loops`.

    python lid.py MARK [both] [loops]
"""

import json
import os
import signal
import sys
import time

SLEEP_S = 1.0


def say(reply: dict) -> None:
    sys.stdout.write(json.dumps(reply) + "\n")
    sys.stdout.flush()


def stop(*processes: int) -> None:
    if os.fork() == 0:
        os.setsid()
        time.sleep(SLEEP_S)
        for process in processes:
            os.kill(process, signal.SIGCONT)
        os._exit(0)
    for process in processes:
        os.kill(process, signal.SIGSTOP)


for line in sys.stdin:
    request = json.loads(line)
    if request["type"] == "start":
        say({"type": "ready"})
    elif request["type"] == "turn":
        if request["ply"] in (2, 3):
            stop(os.getppid(), *([os.getpid()] if "both" in sys.argv else []))
            while "loops" in sys.argv:
                pass
        say({"type": "move", "ply": request["ply"], "move": request["legal"][0]})
    elif request["type"] == "quit":
        break
