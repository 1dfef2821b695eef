"""Any engine that speaks GTP and plays Othello, as a player.

The engine's board is told the moves it does not know before a question, or cleared and told all.
"""

import shlex
import sys
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field, ValidationInfo, field_validator

import rules
from players.builtin import Builtin
from players.gtp_engine import Engine, EngineFault, Refusal, find_engine
from players.options import Options, read_options
from players.sdk import Answer, Start, Turn
from rules.position import PASS, MoveError, Position

_START_SHARE = 0.8
"""Of the time to start, so much is for the engine; it began before we did."""
_COLOURS = ("black", "white")
"""By seat, as GTP calls them."""


class GtpOptions(Options):
    """An engine that speaks the Go Text Protocol, version 2, and plays Othello."""

    command: str | list[str] = Field(default="gtp-rhino", validate_default=True)
    """The engine: a command line, split as a shell would, or a list of words. A program without a
    slash is looked for on the PATH and in /usr/games; one with a slash is relative to the
    tournament file."""
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
    `time_left` before a move. gtp-rhino accepts both and heeds neither."""

    @property
    def words(self) -> list[str]:
        """The engine's program and its arguments, the level among them."""
        words = shlex.split(self.command) if isinstance(self.command, str) else list(self.command)
        if self.level is not None:
            words += shlex.split(self.level_argument.replace("{level}", str(self.level)))
        return words

    @field_validator("command", mode="before")
    @classmethod
    def _is_a_command(cls, command: Any) -> Any:
        """One sentence in place of one for each kind of value."""
        words = command if isinstance(command, list) else [command]
        if not all(isinstance(word, str) for word in words):
            raise ValueError("must be a command line or a list of words")
        return command

    @field_validator("command")
    @classmethod
    def _names_a_program(cls, command: str | list[str], info: ValidationInfo) -> str | list[str]:
        """Where the tournament file's folder is known as the context `folder` it must be there."""
        words = shlex.split(command) if isinstance(command, str) else command
        if not words or not words[0]:
            raise ValueError("must name a program")
        if info.context:
            find_engine(words[0], Path(info.context["folder"]))
        return command

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


class Gtp(Builtin):
    """The player. Its engine lives from game to game while the options stay the same."""

    name = "gtp"
    summary = "plays standard Othello through an engine that speaks GTP, such as gtp-rhino"
    options = GtpOptions
    uses_clock = None
    kernels = False

    _running: ClassVar[tuple[GtpOptions, Engine] | None] = None
    """The engine, and the options it was started with."""
    _takes_passes: ClassVar[bool] = True

    @classmethod
    def refusal(cls, rules: str, variant: Mapping[str, Any]) -> str | None:
        """Engines know one game with one set of rules."""
        if rules != "othello":
            return f"it plays othello, not {rules}"
        standard = {"size": 8, "start": "centre", "corners": True, "free_centre": False}
        for setting, value in standard.items():
            given = variant.get(setting, value)
            if given != value:
                return f"it plays standard Othello, {setting} {value!r} and not {given!r}"
        return None

    def __init__(self, start: Start) -> None:
        """Start the engine where it does not run yet, and set up its board."""
        deadline = time.monotonic() + _START_SHARE * start.startup_ms / 1000
        self._options = options = read_options(GtpOptions, start)
        self._colour = _COLOURS[start.seat]
        self._position: Position = rules.load(start.rules, **start.variant).start()
        self._moves: list[tuple[int, str]] = []
        self._follow(start.moves, start.state)
        self._engine = self._started(options, deadline)
        if options.tell_clock:
            self._engine.ask(_time_settings(start), deadline)
        self._clear_board(deadline)
        self._catch_up(deadline)

    def choose(self, turn: Turn) -> Answer:
        self._follow(turn.moves, turn.state)
        self._catch_up(turn.deadline)
        if len(turn.legal) == 1:
            return turn.legal[0]
        if self._options.tell_clock:
            stones = 0 if turn.start.clock.move_ms is None else 1
            left = f"time_left {self._colour} {turn.time_ms // 1000} {stones}"
            self._engine.ask(left, turn.deadline)
        said = self._engine.ask(f"genmove {self._colour}", turn.deadline)
        move = said.lower()
        self._told.append((turn.seat, move))
        if move not in turn.legal:
            self._report(said)
        return move

    @classmethod
    def close(cls) -> None:
        if cls._running is not None:
            cls._running[1].close()
            cls._running = None

    @classmethod
    def _started(cls, options: GtpOptions, deadline: float) -> Engine:
        if cls._running is not None and cls._running[1].alive and cls._running[0] == options:
            return cls._running[1]
        cls.close()
        cls._takes_passes = True
        program, *arguments = options.words
        try:
            found = find_engine(program, Path.cwd())
        except ValueError as error:
            sys.exit(f"{error}.")
        engine = Engine([found, *arguments])
        cls._running = options, engine
        name, version = (engine.ask(command, deadline) for command in ("name", "version"))
        sys.stderr.write(f"The engine is {name} {version}.\n")
        _choose_othello(engine, deadline)
        for command in ("boardsize 8", *options.setup):
            engine.ask(command, deadline)
        return engine

    def _follow(self, moves: Iterable[tuple[int, str]], state: Mapping[str, Any]) -> None:
        for seat, move in moves:
            self._position = self._position.play(move)
            self._moves.append((seat, move))
        if self._position.state() != state:
            sys.exit(
                "A GTP engine can only be told a game from its first move, and these moves do not "
                f"lead to the position to play: {_transcript(self._moves) or 'none'}."
            )

    def _catch_up(self, deadline: float) -> None:
        if self._told != self._moves[: len(self._told)]:
            self._clear_board(deadline)
        for seat, move in self._moves[len(self._told) :]:
            if move != PASS or self._takes_passes:
                try:
                    self._engine.ask(f"play {_COLOURS[seat]} {move}", deadline)
                except Refusal as refusal:
                    if move != PASS:
                        raise
                    # some engines (gtp-rhino) see a forced pass for themselves
                    type(self)._takes_passes = False
                    sys.stderr.write(f"{refusal} Passes, being forced, are left out from now on.\n")
            self._told.append((seat, move))

    def _clear_board(self, deadline: float) -> None:
        self._engine.ask("clear_board", deadline)
        self._told: list[tuple[int, str]] = []

    def _report(self, said: str) -> None:
        """Tell what is wrong with the engine's move; the referee judges it."""
        try:
            self._position.play(said.lower())
        except MoveError as error:
            wrong = "resigned" if said.lower() == "resign" else f"played {said!r}: {error}"
            sys.stderr.write(
                f"The engine {wrong}.\nThe game so far: {_transcript(self._moves) or 'no move'}, "
                f"{self._colour} to move; legal: {' '.join(self._position.legal_moves())}.\n"
            )


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


def _choose_othello(engine: Engine, deadline: float) -> None:
    """Make an engine of several games play Othello; one that knows no `set_game` has one game."""
    try:
        engine.ask("set_game Othello", deadline)
    except Refusal:
        if engine.ask("known_command set_game", deadline) == "true":
            raise


def _transcript(moves: Iterable[tuple[int, str]]) -> str:
    return "".join(move for _, move in moves if move != PASS)


if __name__ == "__main__":
    try:
        Gtp.run()
    except EngineFault as fault:
        sys.exit(str(fault))
    finally:
        Gtp.close()
