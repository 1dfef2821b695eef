"""A player whose moves an engine chooses: the engine lives on, and knows the game move by move."""

import shlex
import sys
import time
from abc import abstractmethod
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field, ValidationInfo, field_validator

import rules
from players.builtin import Builtin
from players.engines.process import EngineFault, EngineProcess, find_engine
from players.options import Options, read_options
from players.sdk import Answer, Start, Turn
from rules.position import PASS, MoveError, Position

_START_SHARE = 0.8
"""The part of the time to start that is for the engine; it began before we did."""
COLOURS = ("black", "white")
"""By seat."""


class EngineOptions(Options):
    """The options of every player through an engine."""

    command: str | list[str] = Field(default="", validate_default=True)
    """The engine: a command line, split as a shell would, or a list of words. A program without a
    slash is looked for on the PATH and in /usr/games; one with a slash is relative to the
    tournament file."""
    folder: str | None = None
    """The folder that the engine is started in, where it looks for its data: relative to the
    tournament file, and its folder by default."""
    tell_clock: bool = False
    """Tell the engine how much time it has, in whole seconds."""

    @property
    def words(self) -> list[str]:
        """The engine's program and its arguments."""
        return shlex.split(self.command) if isinstance(self.command, str) else list(self.command)

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

    @field_validator("folder")
    @classmethod
    def _is_a_folder(cls, folder: str | None, info: ValidationInfo) -> str | None:
        if folder is not None and info.context:
            path = Path(info.context["folder"]) / folder
            if not path.is_dir():
                raise ValueError(f"there is no folder {path}")
        return folder


class EnginePlayer(Builtin):
    """The player. Its engine lives from game to game while the options stay the same."""

    uses_clock = None
    runs_programs = True
    options: ClassVar[type[EngineOptions]]
    protocol: ClassVar[str]
    """The usual name of the engine's protocol."""
    board: ClassVar[Mapping[str, Any]] = {"start": "centre", "corners": True, "free_centre": False}
    """The settings of Othello that the engine's rules have."""

    _running: ClassVar[tuple[EngineOptions, EngineProcess] | None] = None
    """The engine, and the options it was started with."""

    @classmethod
    def refusal(cls, rules: str, variant: Mapping[str, Any]) -> str | None:
        """Engines know one game with one set of rules."""
        if rules != "othello":
            return f"it plays othello, not {rules}"
        for setting, value in cls.board.items():
            chosen = variant.get(setting, value)
            if chosen != value:
                return f"it plays standard Othello, {setting} {value!r} and not {chosen!r}"
        return None

    def __init__(self, start: Start) -> None:
        """Start the engine where it does not run yet, and set up its board."""
        self._options: Any = read_options(self.options, start)
        deadline = time.monotonic() + _START_SHARE * start.startup_ms / 1000
        self.start = start
        self.first: Position = rules.load(start.rules, **start.variant).start()
        self.position = self.first
        self.moves: list[tuple[int, str]] = []
        self.sent: list[tuple[int, str]] = []
        self.reply = ""
        """Its last move as it wrote it."""
        self._follow(start.moves, start.state)
        try:
            running = EnginePlayer._running
            if running is None or not running[1].alive or running[0] != self._options:
                self.engine = self._start_engine(self._options)
                self.introduce(deadline)
            else:
                self.engine = running[1]
            self.begin(deadline)
            self.catch_up(deadline)
        except EngineFault as fault:
            sys.exit(str(fault))

    def choose(self, turn: Turn) -> Answer:
        self._follow(turn.moves, turn.state)
        try:
            self.catch_up(turn.deadline)
            if len(turn.legal) == 1:
                return turn.legal[0]
            move, info = self.ask_move(turn)
        except EngineFault as fault:
            self._report_position()
            sys.exit(str(fault))
        if move not in turn.legal:
            self._report_move(move)
        return move, info

    @abstractmethod
    def introduce(self, deadline: float) -> None:
        """Begin the dialogue with an engine that was just started. Raises EngineFault."""

    def begin(self, deadline: float) -> None:
        """Begin a game. Raises EngineFault."""
        self.clear(deadline)

    @abstractmethod
    def clear(self, deadline: float) -> None:
        """Set up the board before the first move. Raises EngineFault."""

    @abstractmethod
    def send_move(self, seat: int, move: str, deadline: float) -> None:
        """Send a move for the engine's board. Raises EngineFault."""

    @abstractmethod
    def ask_move(self, turn: Turn) -> tuple[str, dict[str, Any] | None]:
        """The engine's move, and its `info` on it. Raises EngineFault."""

    @classmethod
    def close(cls) -> None:
        if EnginePlayer._running is not None:
            EnginePlayer._running[1].close()
            EnginePlayer._running = None

    @classmethod
    def run(cls) -> None:
        """Play games until the referee says quit; the engine ends then too."""
        try:
            super().run()
        finally:
            cls.close()

    @classmethod
    def _start_engine(cls, options: EngineOptions) -> EngineProcess:
        cls.close()
        program, *arguments = options.words
        try:
            found = find_engine(program, Path.cwd())
        except ValueError as error:
            sys.exit(f"{error}.")
        engine = EngineProcess([found, *arguments], Path(options.folder or "."))
        EnginePlayer._running = options, engine
        return engine

    def _follow(self, moves: Iterable[tuple[int, str]], state: Mapping[str, Any]) -> None:
        for seat, move in moves:
            self.position = self.position.play(move)
            self.moves.append((seat, move))
        if self.position.state() != state:
            sys.exit(
                f"{self.protocol} sends a game from its first move, and these moves do not "
                f"lead to the position to play: {self._transcript or 'none'}."
            )

    def catch_up(self, deadline: float) -> None:
        """Send the engine the moves that it does not know. Raises EngineFault."""
        if self.sent != self.moves[: len(self.sent)]:
            self.clear(deadline)
        for seat, move in self.moves[len(self.sent) :]:
            self.send_move(seat, move, deadline)
            self.sent.append((seat, move))

    def _report_move(self, move: str) -> None:
        """Report the mistake in the engine's move on stderr; the referee judges it."""
        try:
            self.position.play(move)
        except MoveError as error:
            wrong = "resigned" if move == "resign" else f"played {self.reply!r}: {error}"
            sys.stderr.write(f"The engine {wrong}.\n")
            self._report_position()

    def _report_position(self) -> None:
        """Report the position of a fault on stderr."""
        mover = COLOURS[self.start.seat]
        sys.stderr.write(
            f"The game so far: {self._transcript or 'no move'}, {mover} to move; "
            f"legal: {' '.join(self.position.legal_moves())}.\n"
        )

    @property
    def _transcript(self) -> str:
        return "".join(move for _, move in self.moves if move != PASS)
