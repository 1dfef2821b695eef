"""A GTP engine for Othello with one fault, named by its first argument; `none` plays well.

It plays the first legal move by the rules, refuses moves out of turn, and logs each command to the
file named by its second argument, if any. Further arguments are logged too.
"""

from __future__ import annotations

import sys

from engine_faults import commands, fail

import rules
from rules.position import PASS, Position

COLOURS = ("black", "white")


class Engine:
    def __init__(self, fault: str) -> None:
        self.fault = fault
        self.position: Position = rules.load("othello").start()
        self.genmoves = 0

    def answer(self, command: str, words: list[str]) -> str | None:
        """The response with its `=` or `?`."""
        if self.fault == f"refuses_{command}":
            return "? this engine would rather not"
        if command == "known_command":
            return f"= {str(words[0] == 'set_game' and self.fault == 'refuses_set_game').lower()}"
        if command == "set_game" and self.fault == "has_one_game":
            return "? unknown command"
        if command == "clear_board":
            self.position = rules.load("othello").start()
        elif command == "play":
            return self.play(words[0], words[1].lower())
        elif command == "genmove":
            return self.genmove(words[0])
        elif command not in ("name", "version", "set_game", "boardsize", "level", "quit") and (
            not command.startswith("time_")
        ):
            return "? unknown command"
        return "= scripted" if command == "name" else "= 1.0" if command == "version" else "="

    def play(self, colour: str, move: str) -> str:
        if self.fault == "infers_passes":
            if move == PASS:
                return "? syntax error"
            self.pass_for(colour)
        if COLOURS.index(colour) != self.position.to_move:
            return "? it is not its turn"
        try:
            self.position = self.position.play(move)
        except ValueError:
            return "? illegal move"
        return "="

    def pass_for(self, colour: str) -> None:
        """Where the other colour must pass, let it."""
        if COLOURS.index(colour) != self.position.to_move:
            if self.position.legal_moves() != (PASS,):
                return
            self.position = self.position.play(PASS)

    def genmove(self, colour: str) -> str | None:
        self.genmoves += 1
        if self.fault == "infers_passes":
            self.pass_for(colour)
        if COLOURS.index(colour) != self.position.to_move:
            return "? it is not its turn"
        fail(self.fault)
        if self.fault == "exits":
            sys.exit(3)
        said = {
            "plays_corner": "= A1",
            "passes": "= PASS",
            "resigns": "= resign",
            "babbles": "I play f5!",
            "never_ends": "= " + "x\n" * 100_000,
        }.get(self.fault)
        if self.fault == "plays_corner_once" and self.genmoves == 1:
            said = "= A1"
        if said is not None:
            return said
        move = self.position.legal_moves()[0]
        self.position = self.position.play(move)
        return f"= {move.upper()}"


def main() -> None:
    fault, *rest = sys.argv[1:]
    engine = Engine(fault)
    log, *more = rest or [None]
    for line in commands(log, f"# {' '.join(map(str, more))}\n"):
        command, *words = line.split()
        response = engine.answer(command, words)
        sys.stdout.write(f"{response}\n\n")
        sys.stdout.flush()
        if command == "quit":
            return


if __name__ == "__main__":
    main()
