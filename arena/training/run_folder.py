"""The folder of a training or a tuning: used by one process at a time, for nothing else."""

import os
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

from arena.errors import UnkeptError, UserError
from arena.files import lock as lock_file
from arena.files.console import unread
from arena.files.stop_signals import Stop, apart, stop_signals
from arena.tournament.store_faults import FULL
from arena.tournament.warming import notice
from players.learning import picture_files
from players.learning.own_folder import OwnFolder

TRAINED, TUNED = ".train", ".tune"
"""How the names of the folders of trainings and tunings end."""
TRAINING, TUNING = "training", "tuning"
"""The nouns of their work."""
TESTS = (
    *(f"verify-*.sqlite{end}" for end in ("", "-wal", "-shm", ".lock")),
    "verify-*.events.jsonl",
    "verify-*.events.jsonl.new",
)
"""Patterns of the files of tests under the referee, which may outlive the checkpoint."""

NETWORK, LOG, TABLE, EVIDENCE = "network.ntuple", "log.txt", "curve.csv", "verify.json"
"""The files of a training: its network, the lines that were shown in all its runs, a line for each
block, and the results of tests in process."""
CURVE = "curve"
PICTURES = picture_files(CURVE)
TRAINING_FILES = frozenset({NETWORK, LOG, TABLE, EVIDENCE, *PICTURES})


def store_of_test(folder: Path, name: str) -> Path:
    """The file of a test under the referee; one of TESTS."""
    return folder / f"verify-{name}.sqlite"


def test_command(file: Path, out: Path | None) -> str:
    """The command line that tests what a training or tuning learned in `out`."""
    elsewhere = () if out is None else ("--out", str(out))
    return shlex.join(["arena", "tune", str(file), *elsewhere, "--verify"])


class Work(NamedTuple):
    """The content of a folder."""

    noun: str
    """As `training`; also names the lock."""
    checkpoint: str
    """The file that it goes on from."""
    files: frozenset[str]
    """Patterns of other files that may exist before the checkpoint, besides TESTS."""


@contextmanager
def held(folder: Path, work: Work) -> Iterator[None]:
    """Make the folder, and keep other processes out of it. A new one that stays empty goes again.

    Raises UserError when another process has it, it has other files, or it cannot be written, now
    or later, or is moved meanwhile; UnkeptError where that is for a full disk.
    """
    is_new = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock, own = lock_file.acquire(folder / work.noun), OwnFolder(folder)
    except lock_file.LockHeldError as held:
        raise UserError(
            f"{folder}: a {work.noun} is in progress there ({held}); wait for it, stop it, or "
            "name another folder with --out"
        ) from None
    except FileExistsError:
        raise UserError(f"{folder}: not a folder; name one with --out") from None
    except OSError as error:
        raise _cannot_be_written(folder, error, work.checkpoint) from None
    try:
        _refuse_strangers(folder, work)
        yield
    except OSError as error:
        if unread(error):
            raise
        own.check()
        raise _cannot_be_written(folder, error, work.checkpoint) from None
    finally:
        with suppress(OSError):  # a lock file that cannot be removed is in no one's way
            lock_file.release(folder / work.noun, lock)
        if is_new and own.there:
            with suppress(OSError):  # it is not empty: there is a result
                folder.rmdir()


def _cannot_be_written(folder: Path, error: OSError, checkpoint: str) -> UserError | UnkeptError:
    """The sentence for a full disk, or a folder without permission."""
    begun = os.path.exists(folder / checkpoint)  # noqa: PTH110 # Path.exists raises without permission
    fix = "The last checkpoint is unchanged: fix that and continue" if begun else "Fix that"
    kind = UnkeptError if error.errno in FULL else UserError
    return kind(
        f"{folder}: cannot be written: {error.strerror}. {fix}, or name another folder with --out"
    )


def _refuse_strangers(folder: Path, work: Work) -> None:
    """Raise UserError where there is no checkpoint yet, but a file of something else."""
    names = sorted(
        path.name
        for path in folder.iterdir()
        if path.suffix != ".part" and path.stem != work.noun
        if not any(fnmatchcase(path.name, known) for known in (*work.files, *TESTS))
    )
    if names and not (folder / work.checkpoint).exists():
        listed = ", ".join(names[:3]) + (", …" if names[3:] else "")
        raise UserError(
            f"{folder}: has no {work.noun} but other files ({listed}); name a folder of its own "
            "with --out"
        )


@contextmanager
def stoppable(
    load: Callable[[], None],
    interrupt: Callable[[], None],
    doing: Callable[[str], None],
    say: Callable[[str], None],
) -> Iterator[Stop]:
    """Compile kernels, or find them in the cache; the first signal then calls `interrupt`, and the
    second raises KeyboardInterrupt. Raises UserError where no game can be played.
    """
    try:
        doing("loading kernels")
        with notice(say):
            apart(load)
    except ValueError as error:
        raise UserError(str(error)) from None
    with stop_signals(interrupt, then_at_once=True) as stop:
        yield stop
