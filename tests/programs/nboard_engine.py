"""An NBoard engine for Othello with one fault, named by its first argument; `none` plays well.

It plays the first legal move by the rules, and logs each command to the file named by its second
argument, if any. `spaces` answers as Edax does, `bare` without a figure.
"""

from __future__ import annotations

import re
import sys
import time

from engine_faults import HANG_S, commands, fail

import rules
from rules.position import PASS, Position

BOARD = "BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]"


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


class Engine:
    def __init__(self, fault: str) -> None:
        self.fault = fault
        self.position: Position = rules.load("othello").start()

    def take(self, line: str) -> None:
        command, _, rest = line.partition(" ")
        if command == "ping":
            if self.fault == "never_pongs":
                time.sleep(HANG_S)
            say(f"pong {rest}")
        elif command == "move":
            self.play(rest)
        elif command == "go":
            self.go()
        elif line.startswith("set game "):
            assert BOARD in rest, rest
            assert rest.startswith("game (;GM[Othello]")
            assert rest.endswith(";)")
            self.position = rules.load("othello").start()
            for move in re.findall(r"\][BW]\[([A-Z0-9]+)", rest):
                self.play(move)
        elif line.startswith("set depth "):
            say(f"set myname Scripted{rest.removeprefix('depth ')}")

    def play(self, move: str) -> None:
        name = move.split("/")[0].lower()
        self.position = self.position.play(PASS if name == "pa" else name)

    def go(self) -> None:
        say("status Thinking")
        fail(self.fault)
        if self.fault == "exits":
            sys.stderr.write("Error: I lost my book.\n")
            sys.exit(3)
        if self.fault == "never_ends":
            say("x" * 100_000)
        move = self.position.legal_moves()[0].upper()
        other = self.position.legal_moves()[-1].upper()
        solved = "100%W" if self.fault == "solves" else "7"
        say(f"search {other} +9.00 0 6 a better one, first")
        say(f"search {move}-{other} +1.50,+1.25 0 {solved} some text")
        say("nodestats 4711 0.01")
        said = {
            "plays_corner": "=== A1",
            "passes": "=== PA",
            "babbles": "=== I play f5!",
            "spaces": f"=== {move.lower()} 2.00 0.0",
            "bare": f"=== {move}",
        }
        say(said.get(self.fault, f"=== {move}/2.00/0.01"))


def main() -> None:
    fault, *rest = sys.argv[1:]
    engine = Engine(fault)
    for line in commands(rest[0] if rest else None):
        if line.strip() == "quit":
            return
        engine.take(line.strip())


if __name__ == "__main__":
    main()
