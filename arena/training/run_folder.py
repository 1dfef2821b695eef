"""The folder that a long work is kept in: held by one process, with nothing of anybody else's."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

from arena.errors import UserError
from arena.files import lock as lock_file

TESTS = tuple(f"verify-*.sqlite{end}" for end in ("", "-wal", "-shm", ".lock"))
"""Patterns of the files of tests under the referee, which may outlive the checkpoint."""


class Work(NamedTuple):
    """What is kept in a folder."""

    command: str
    """As `arena train`."""
    noun: str
    """As `training`; also names the lock."""
    checkpoint: str
    """The file that it goes on from."""
    files: frozenset[str]
    """Names of the others that may be there before it, beside TESTS."""


@contextmanager
def held(folder: Path, work: Work) -> Iterator[None]:
    """Make the folder, and keep other processes out of it.

    Raises UserError when another has it, it has other files, or it cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = lock_file.acquire(folder / work.noun)
    except lock_file.LockHeldError as held:
        raise UserError(
            f"{folder}: another `{work.command}` is at work there ({held}); wait for it, stop it, "
            "or name another folder with --out"
        ) from None
    except FileExistsError:
        raise UserError(f"{folder}: not a folder; name one with --out") from None
    except OSError as error:
        raise cannot_be_written(folder, error, work.checkpoint) from None
    try:
        _refuse_strangers(folder, work)
        yield
    finally:
        lock_file.release(folder / work.noun, lock)


def cannot_be_written(folder: Path, error: OSError, checkpoint: str) -> UserError:
    """The sentence for a disk that is full, or a folder that is another's."""
    begun = os.path.exists(folder / checkpoint)  # noqa: PTH110 # Path.exists raises where it may not look
    mend = "The last checkpoint is as it was: mend that and go on" if begun else "Mend that"
    return UserError(
        f"{folder}: cannot be written: {error.strerror}. {mend}, or name another folder with --out"
    )


def _refuse_strangers(folder: Path, work: Work) -> None:
    """Raise UserError where nothing was done, and something else lies."""
    names = sorted(
        path.name
        for path in folder.iterdir()
        if path.name not in work.files and path.suffix != ".part" and path.stem != work.noun
        if not any(fnmatchcase(path.name, tests) for tests in TESTS)
    )
    if names and not (folder / work.checkpoint).exists():
        listed = ", ".join(names[:3]) + (", …" if names[3:] else "")
        raise UserError(
            f"{folder}: holds no {work.noun} but other files ({listed}); name a folder of its own "
            "with --out"
        )
