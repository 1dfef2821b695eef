"""The options of `gtp`."""

from __future__ import annotations

import os
import shlex
import shutil
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationInfo, field_validator

from players.options.common import Options

DEBIAN_GAMES = "/usr/games"
"""Where Debian puts games; not on the PATH of root and of services."""
_PACKAGES = {"gtp-rhino": "grhino"}
"""Engines and the Debian packages they are in."""


class GtpOptions(Options):
    """An engine that speaks the Go Text Protocol, version 2, and plays Othello."""

    command: str | list[str] = Field(default="gtp-rhino", validate_default=True)
    """The engine: a command line, split as a shell would, or a list of words. A program without a
    slash is looked for on the PATH and in /usr/games; one with a slash lies relative to the
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


def find_engine(program: str, folder: Path) -> str:
    """The path of an engine's program. ValueError says why there is none and what to do."""
    if "/" in program:
        path = Path(os.path.abspath(folder / program))  # noqa: PTH100  # links stay as written
        if not path.is_file() or not os.access(path, os.X_OK):
            wrong = "is not an executable file" if path.exists() else "does not exist"
            raise ValueError(f"the engine {path} {wrong}")
        return str(path)
    found = shutil.which(program) or shutil.which(program, path=DEBIAN_GAMES)
    if found is None:
        package = _PACKAGES.get(program)
        how = f" (Debian, Ubuntu: apt-get install {package})" if package else ""
        raise ValueError(
            f'there is no engine "{program}" on the PATH or in {DEBIAN_GAMES}; install it{how}, '
            "or write its path with a slash"
        )
    return found
