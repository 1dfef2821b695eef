"""Any engine that speaks GTP and plays Othello, as a player.

The Go Text Protocol, version 2 (Gunnar Farnebäck, draft 2, 2002): a command is one line, its
response begins with `=` or, for an error, `?`, and ends with an empty line. A vertex is a letter
without `i` and a number.
"""

import shlex
import sys
from typing import Any, ClassVar

from pydantic import Field, field_validator

from players.engines.player import COLOURS, EngineOptions, EnginePlayer
from players.engines.process import LONGEST_ANSWER, EngineFault, EngineProcess
from players.sdk import Start, Turn
from rules.position import PASS

_OURS, _OF_GTP = "abcdefghijklmnop", "abcdefghjklmnopq"
"""Letters of columns: those of GTP have no `i`, which becomes one of no board, and so illegal."""
TO_GTP, FROM_GTP = str.maketrans(_OURS, _OF_GTP), str.maketrans(_OF_GTP + "i", _OURS + "I")


class GtpOptions(EngineOptions):
    """An engine that speaks the Go Text Protocol, version 2, and plays Othello."""

    command: str | list[str] = Field(default="gtp-rhino", validate_default=True)
    level: int | None = None
    """The engine's level, added to the command by level_argument; none leaves it to the engine.
    gtp-rhino has 1 to 5, and 3 by itself."""
    level_argument: str = "--level={level}"
    """How the engine takes its level on its command line, split as a shell would: the default suits
    gtp-rhino. An engine that has a GTP command for it gets that command in setup instead."""
    setup: list[str] = Field(default=[])
    """GTP commands the engine is sent once, before its first game."""
    tell_clock: bool = False
    """Tell the engine its time, in whole seconds as GTP has it: `time_settings` before a game,
    `time_left` before a move. gtp-rhino accepts both and uses neither."""

    @property
    def words(self) -> list[str]:
        """The engine's program and its arguments, the level among them."""
        words = super().words
        if self.level is not None:
            words += shlex.split(self.level_argument.replace("{level}", str(self.level)))
        return words

    @field_validator("level_argument")
    @classmethod
    def _holds_the_level(cls, argument: str) -> str:
        if "{level}" not in argument:
            raise ValueError('must hold the place of the level, as "--level={level}" does')
        shlex.split(argument)
        return argument

    @field_validator("setup")
    @classmethod
    def _are_lines(cls, setup: list[str]) -> list[str]:
        for command in setup:
            if not command.strip() or not command.isprintable():
                raise ValueError("each entry must be one GTP command on one line")
        return setup


class Refusal(EngineFault):
    """The engine answered a command with `?`."""


class Gtp(EnginePlayer):
    """The player. The engine itself refuses sizes of boards that it does not know."""

    name = "gtp"
    summary = "plays Othello through an engine that speaks GTP, such as gtp-rhino"
    options = GtpOptions
    protocol = "GTP"

    _takes_passes: ClassVar[bool] = True
    _size: ClassVar[int] = 0
    """The size of the engine's board now."""

    def introduce(self, deadline: float) -> None:
        """Choose Othello and send the setup."""
        Gtp._takes_passes, Gtp._size = True, 0
        name, version = (_ask(self.engine, command, deadline) for command in ("name", "version"))
        sys.stderr.write(f"The engine is {name} {version}.\n")
        _choose_othello(self.engine, deadline)
        self._resize(deadline)
        for command in self._options.setup:
            _ask(self.engine, command, deadline)

    def begin(self, deadline: float) -> None:
        """Send the size of the board and the clock, then clear it."""
        self._resize(deadline)
        if self._options.tell_clock:
            _ask(self.engine, _time_settings(self.start), deadline)
        self.clear(deadline)

    def clear(self, deadline: float) -> None:
        _ask(self.engine, "clear_board", deadline)
        self.sent = []

    def send_move(self, seat: int, move: str, deadline: float) -> None:
        """Play a move, or a pass where the engine takes passes."""
        if move == PASS and not self._takes_passes:
            return
        vertex = move if move == PASS else move.translate(TO_GTP)
        try:
            _ask(self.engine, f"play {COLOURS[seat]} {vertex}", deadline)
        except Refusal as refusal:
            if move != PASS:
                raise
            # some engines (gtp-rhino) see a forced pass for themselves
            Gtp._takes_passes = False
            sys.stderr.write(f"{refusal} Passes, being forced, are left out from now on.\n")

    def ask_move(self, turn: Turn) -> tuple[str, dict[str, Any] | None]:
        """`genmove`, which also makes the move on the engine's board."""
        colour = COLOURS[turn.seat]
        if self._options.tell_clock:
            stones = 0 if turn.start.clock.move_ms is None else 1
            left = f"time_left {colour} {turn.time_ms // 1000} {stones}"
            _ask(self.engine, left, turn.deadline)
        self.reply = _ask(self.engine, f"genmove {colour}", turn.deadline)
        move = self.reply.lower()
        move = move if move in (PASS, "resign") else move.translate(FROM_GTP)
        self.sent.append((turn.seat, move))
        return move, None

    def _resize(self, deadline: float) -> None:
        size = self.start.variant["size"]
        if size != Gtp._size:
            _ask(self.engine, f"boardsize {size}", deadline)
            Gtp._size = size


def _ask(engine: EngineProcess, command: str, deadline: float) -> str:
    """The response, without `=`. Raises EngineFault, and Refusal when the response is an error."""
    with engine.awaited(command, deadline):
        engine.send(command)
        response = _response(engine, command)
    text = response[1:].lstrip("0123456789").strip()
    if response[0] == "?":
        raise Refusal(f"{engine.name} refused `{command}`: {text}.")
    return text


def _response(engine: EngineProcess, command: str) -> str:
    """The next response, from its `=` or `?` to before the empty line that ends it."""
    while (waiting := engine.output.peek(1)).startswith((b"\n", b"\r")):
        engine.output.read(1)
    if waiting and not waiting.startswith((b"=", b"?")):
        answer = waiting.partition(b"\n")[0][:80].decode("utf-8", "backslashreplace")
        raise EngineFault(
            f"{engine.name} answered `{command}` with `{answer}`, which is not a GTP response "
            "(`= …`, or `? …` for an error): does it need an argument to speak GTP?"
        )
    response = b""
    while not response.endswith(b"\n\n"):
        response += engine.line(command)
        if len(response) > LONGEST_ANSWER:
            raise engine.endless(command)
    return response.decode("utf-8", "backslashreplace")


def _time_settings(start: Start) -> str:
    """A byo-yomi of one move, or main time alone when only the bank limits it."""
    clock = start.clock
    if clock.move_ms is None:
        assert clock.bank_ms is not None  # a clock limits something
        return f"time_settings {clock.bank_ms // 1000} 0 0"
    if clock.move_ms < 1000:
        sys.exit(
            f"options.tell_clock: GTP counts whole seconds and cannot tell {clock.move_ms} ms a "
            "move; leave the option out."
        )
    return f"time_settings 0 {clock.move_ms // 1000} 1"


def _choose_othello(engine: EngineProcess, deadline: float) -> None:
    """Make an engine of several games play Othello; one that knows no `set_game` has one game."""
    try:
        _ask(engine, "set_game Othello", deadline)
    except Refusal:
        if _ask(engine, "known_command set_game", deadline) == "true":
            raise


if __name__ == "__main__":
    Gtp.run()
