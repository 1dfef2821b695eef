"""Every error a user can cause. The command line shows its text and exits with 2; with 130 where
the same command goes on.

ArenaError
├── UserError               an argument of a command
├── FileError               a file of ours: a line for each problem, with its place
│   ├── ConfigError         a tournament file; a course.toml, or the roster.json next to it
│   └── ManifestError       a bot.toml (also a PackageError)
├── PackageError            a bot package
│   ├── ManifestError       its bot.toml
│   ├── ArchiveError        the archive, or the entries it holds
│   └── BuildError          its build command
├── ProgramError            a script or a command that cannot be started here
├── SubmissionError         a folder of submissions, or a bot it does not accept
├── SandboxError            a sandbox that this machine cannot give
├── StoreError              the file of a run
│   ├── StoreLockedError    another process plays it
│   ├── UnkeptError         its disk is full, or fails: the same command goes on
│   └── ConfigChangedError  it was begun with another configuration
├── ExecutorError           no game can be played
├── RecordError             a game that has no such form, or a damaged one
│   └── ReplayError         moves that do not lead to the last position
├── RateError               a list of results
└── BenchError              nothing could be measured
"""

from collections.abc import Sequence
from enum import IntEnum
from pathlib import Path
from typing import Any, NamedTuple

_SHOWN = 10
"""Lines of one kind in a message: more are seen at the next try."""
NO_PROCESS = (
    "no further process or thread can be started: end other programs, or raise their limit "
    "(`ulimit -u`, or `pids.max` of the control group)"
)
"""Says what to do where the system says "Resource temporarily unavailable" (EAGAIN)."""


class Exit(IntEnum):
    """The exit codes of every command."""

    DONE = 0
    FAILED = 1
    """A check failed; a test decided nothing; or games stayed void, through the host's fault, not a
    player's."""
    USAGE = 2
    """A file, key or argument is wrong."""
    INTERRUPTED = 130
    """Stopped by Ctrl-C, or by a full disk; the same command goes on."""


class ArenaError(Exception):
    """An error that a user can fix: its text has the event, the reason and the remedy."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled without `__init__`, whose arguments are not the text: pools of processes do."""
        return type(self).__new__, (type(self), *self.args), self.__dict__


class UserError(ArenaError):
    """An argument of a command cannot be used."""


class Problem(NamedTuple):
    """One thing wrong in a file."""

    key: str
    """Where, as `player[2].options.c` (players counted from 1); empty for the whole file."""
    line: int | None
    """The line in the file, from 1; None where it is not known."""
    message: str


def sentence(file: str, problem: Problem) -> str:
    """`bot.toml:3: command: must be …`: a problem with its place in the file."""
    place = f"{file}:{problem.line}" if problem.line else file
    return ": ".join(part for part in (place, problem.key, problem.message) if part)


def first_few(lines: Sequence[str]) -> list[str]:
    """The first of the lines, and last, where some are left out, how many."""
    more = len(lines) - _SHOWN
    return [*lines[:_SHOWN], f"… and {more} more like these"] if more > 0 else list(lines)


class FileError(ArenaError, ValueError):
    """A file cannot be used. Its text has a line for each problem, all at once."""

    def __init__(self, file: Path, problems: tuple[Problem, ...]) -> None:
        self.file = file
        self.problems = problems
        super().__init__("\n".join(sentence(str(file), problem) for problem in problems))


class ConfigError(FileError):
    """A tournament file, or a file of a course, cannot be used."""


class PackageError(ArenaError, ValueError):
    """A bot package cannot be used. Its text has a line for each reason."""

    def __init__(self, path: Path, reasons: Sequence[str]) -> None:
        self.path = path
        self.reasons = tuple(reasons)
        super().__init__("\n".join(first_few([f"{path}: {reason}" for reason in reasons])))


class ManifestError(PackageError, FileError):
    """A bot.toml cannot be used. Its text has a line for each problem, with its place."""

    def __init__(self, path: Path, problems: tuple[Problem, ...]) -> None:
        FileError.__init__(self, path, problems)
        self.path = path
        self.reasons = tuple(sentence(path.name, problem) for problem in problems)


class ArchiveError(PackageError):
    """An archive was refused; nothing of it was written."""


class BuildError(PackageError):
    """A build command failed; the last reason is the compiler's first error."""


class ProgramError(ArenaError, ValueError):
    """A program cannot be started here."""


class SubmissionError(ArenaError, ValueError):
    """A bot cannot be accepted, or a folder of submissions is not as it was written."""


class SandboxError(ArenaError):
    """A sandbox that was asked for cannot be had."""


class StoreError(ArenaError):
    """The file of a run cannot be used."""


class StoreLockedError(StoreError):
    """Another process plays this run."""


class UnkeptError(StoreError):
    """Games cannot be stored: the disk is full, or fails. The same command goes on."""


class ConfigChangedError(StoreError):
    """The run was begun with another configuration."""


class ExecutorError(ArenaError):
    """No game can be played."""


class RecordError(ArenaError, ValueError):
    """A game has no such form, or its record is damaged."""


class ReplayError(RecordError):
    """The moves of a record do not lead to its last position."""


class RateError(ArenaError, ValueError):
    """A file is no list of results; the text names each bad line."""


class BenchError(ArenaError):
    """Nothing could be measured."""
