"""Any engine that speaks the NBoard protocol, as a player: NTest, Edax and others.

Version 2 of the protocol (Chris Welty): commands and lines of the engine have no fixed order, and
a line that is not understood is ignored. `set game` has a game as GGF and `move` one move more; the
engine answers `go` with `=== F5/1.20/0.3`, after lines such as `search` and `nodestats`. `ping` is
answered by `pong` when all before it is done.
"""

import math
import re
import sys
from contextlib import suppress
from itertools import count
from typing import Any, ClassVar

from pydantic import Field

from players.builtin import open_places
from players.engines.player import EngineOptions, EnginePlayer
from players.sdk import Turn
from rules.ggf import BLACK_WHITE, read_move, write_board, write_move, write_properties
from rules.position import PASSES

_AMPLE_S = 10 * 3600
"""The time sent to an engine where its depth alone limits it."""
_PV = re.compile(rf"{'|'.join(PASSES)}|[a-h][1-8]")
_NAME = "set myname "


class NBoardOptions(EngineOptions):
    """An engine that speaks the NBoard protocol, version 2."""

    command: str | list[str] = Field(default="ntest x", validate_default=True)
    depth: int = Field(default=10, ge=1, le=60)
    """How deep it looks ahead in the midgame (`set depth`); it decides itself how deep at the end.
    Edax takes this as its level."""
    tell_clock: bool = False
    """Tell the engine before each move how much time it has for the rest of the game, in whole
    seconds, as the clock of its game. Without it the depth alone limits it."""


class NBoard(EnginePlayer):
    name = "nboard"
    summary = "plays standard Othello through an engine that speaks NBoard, such as NTest or Edax"
    options = NBoardOptions
    protocol = "NBoard"
    board: ClassVar = {"size": 8, **EnginePlayer.board}

    _pings = count(1)

    def introduce(self, deadline: float) -> None:
        """Send the version of the protocol and the depth; the engine may send its name."""
        for command in ("nboard 2", f"set depth {self._options.depth}"):
            self.engine.send(command)
        lines = self._in_step(deadline)
        name = next((line for line in lines if line.startswith(_NAME)), f"{_NAME}unknown")
        sys.stderr.write(f"The engine is {name.removeprefix(_NAME)}.\n")

    def clear(self, deadline: float) -> None:
        """Set the game as it stands."""
        self._set_game(_AMPLE_S)
        self._in_step(deadline)

    def send_move(self, seat: int, move: str, deadline: float) -> None:
        self.engine.send(f"move {write_move(move)}")

    def ask_move(self, turn: Turn) -> tuple[str, dict[str, Any] | None]:
        """`go`, after which the engine's board is as it was."""
        if self._options.tell_clock:
            self._set_game(_left_s(turn))
        self._in_step(turn.deadline)
        lines = self._lines_after("go", "===", turn.deadline)
        self.reply = lines.pop().removeprefix("===").strip()
        try:
            move, score, _ = read_move(self.reply)
        except ValueError:
            return self.reply.lower(), None
        return move, _info(move, score, lines)

    def _set_game(self, left_s: int) -> None:
        clock = f"{left_s // 3600}:{left_s // 60 % 60:02}:{left_s % 60:02}"
        about = {"GM": "Othello", "PC": "bot-arena", "PB": "black", "PW": "white"}
        heading = {**about, "RE": "?", "TI": clock, "TY": "8", "BO": write_board(self.first)}
        moves = ((BLACK_WHITE[seat], write_move(move)) for seat, move in self.moves)
        self.engine.send(f"set game {write_properties([*heading.items(), *moves])}")
        self.sent = list(self.moves)

    def _in_step(self, deadline: float) -> list[str]:
        """The lines up to the `pong` that ends all answers to earlier commands."""
        number = next(self._pings)
        return self._lines_after(f"ping {number}", f"pong {number}", deadline)

    def _lines_after(self, command: str, end: str, deadline: float) -> list[str]:
        """The lines that follow a command, up to the first that begins with `end`."""
        lines = [""]
        with self.engine.awaited(command, deadline):
            self.engine.send(command)
            while not lines[-1].startswith(end):
                line = self.engine.line(command)
                lines.append(line.decode("utf-8", "backslashreplace").strip())
        return lines


def _left_s(turn: Turn) -> int:
    """The time for the rest of the game, as an engine that plays by a bank understands it."""
    left_ms = turn.bank_ms or turn.time_ms * (1 + open_places(turn.state)) // 2
    return max(1, left_ms // 1000)


def _info(move: str, score: float | None, lines: list[str]) -> dict[str, Any]:
    """The engine's `info` on its move: its evaluation in discs, depth, nodes, line of play."""
    info: dict[str, Any] = {}
    for line in lines:
        kind, *words = line.split()[:5] or [""]
        if kind == "nodestats" and words and words[0].isdecimal():
            info["nodes"] = int(words[0])
        elif kind in ("search", "book") and len(words) == 4:
            pv = _PV.findall(words[0].lower())
            if pv[:1] == [move]:
                info |= _searched(pv, words[1], words[3])
    if score is not None:
        info["score"] = score
    if not math.isfinite(info.get("score", 0.0)):
        del info["score"]  # JSON has no such number
    return info


def _searched(pv: list[str], score: str, depth: str) -> dict[str, Any]:
    """The keys of a `search` or `book` line. A depth such as `100%W` is an endgame solved."""
    found: dict[str, Any] = {"pv": pv}
    number = re.match(r"\d+", depth)
    if depth.isdecimal():
        found["depth"] = int(depth)
    elif number:
        found["text"] = f"solved: {depth}"
    with suppress(ValueError):
        found["score"] = float(score.split(",")[0])
    return found


if __name__ == "__main__":
    NBoard.run()
