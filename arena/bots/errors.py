"""What is wrong with a bot package, in sentences for its author.

PackageError          it cannot be used as it is
├── ManifestError     its bot.toml
├── ArchiveError      the archive, or the entries it holds
└── BuildError        its build command failed
SubmissionError       it cannot be accepted into a folder of submissions, or read from there
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from arena.toml.file import FileError, Problem, sentence

_SHOWN = 20
"""Reasons shown of many: who mends so many sees the rest at the next try."""


class PackageError(ValueError):
    """A bot package cannot be used. Its text has a line for each reason."""

    def __init__(self, path: Path, reasons: Sequence[str]) -> None:
        self.path = path
        self.reasons = tuple(reasons)
        lines = [f"{path}: {reason}" for reason in reasons[:_SHOWN]]
        if len(reasons) > _SHOWN:
            lines.append(f"{path}: and {len(reasons) - _SHOWN} more like these")
        super().__init__("\n".join(lines))


class ManifestError(PackageError, FileError):
    """A bot.toml cannot be used. Its text has a line for each problem, with its place."""

    def __init__(self, path: Path, problems: tuple[Problem, ...]) -> None:
        FileError.__init__(self, path, problems)
        self.path = path
        self.reasons = tuple(sentence(path.name, problem) for problem in problems)


class ArchiveError(PackageError):
    """An archive was refused; nothing of it was written."""


class BuildError(PackageError):
    """A build command failed; the last reason is what the compiler said first."""


class SubmissionError(ValueError):
    """A bot cannot be accepted, or a folder of submissions is not as it was written."""
