"""One process at a time: a lock file next to a file, released however its holder ends."""

import fcntl
import json
import os
import time
from contextlib import suppress
from pathlib import Path

_TRIES, _PAUSE_S = 4, 0.02
SAFELY = os.O_NOFOLLOW | os.O_NONBLOCK
"""Others may have put a link or a pipe there."""


class LockHeldError(Exception):
    """Another process has the lock; the message names it."""


def acquire(path: Path) -> int:
    """Lock `path` through `PATH.lock`, which names our pid; what to give to `release`.

    Raises LockHeldError; OSError when there can be no such file.
    """
    name = name_of(path)
    tries = 0
    while True:
        try:
            descriptor, is_foreign = os.open(name, SAFELY | os.O_RDWR | os.O_CREAT, 0o666), False
        except PermissionError as error:  # another user's, whose process may be dead
            try:
                descriptor, is_foreign = os.open(name, SAFELY), True
            except FileNotFoundError:  # released since, or there can be none
                tries += 1
                if tries < _TRIES:
                    continue
                raise error from None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(descriptor, 200).decode("utf-8", "replace")
            os.close(descriptor)
            tries += 1
            if tries < _TRIES:  # `is_held` has it for a moment
                time.sleep(_PAUSE_S)
                continue
            with suppress(ValueError, LookupError, TypeError):
                holder = f"pid {json.loads(holder)['pid']}"
            raise LockHeldError(holder) from None
        except OSError:
            os.close(descriptor)
            raise
        # The holder may have unlinked the file after we opened it: then our lock guards nothing.
        if leads_to(name, descriptor):
            if not is_foreign:
                _sign(path, descriptor)
                return descriptor
            release(path, descriptor)
            continue
        os.close(descriptor)


def _sign(path: Path, descriptor: int) -> None:
    """Write our pid, or let go of the lock."""
    try:
        os.ftruncate(descriptor, 0)
        os.write(descriptor, json.dumps({"pid": os.getpid()}).encode())
    except OSError:
        release(path, descriptor)
        raise


def is_held(path: Path) -> bool:
    try:
        descriptor = os.open(name_of(path), SAFELY)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as error:  # any other: there are no locks, and none is held
        return isinstance(error, BlockingIOError)
    finally:
        os.close(descriptor)
    return False


def holder(path: Path) -> int | None:
    """The pid of the process that has locked `path`; None where none has."""
    with suppress(OSError, ValueError, LookupError, TypeError):
        if is_held(path):
            return int(json.loads(name_of(path).read_bytes())["pid"])
    return None


def release(path: Path, descriptor: int) -> None:
    name = name_of(path)
    try:
        if leads_to(name, descriptor):  # else the folder was moved, and another may be locked
            name.unlink(missing_ok=True)
    finally:
        os.close(descriptor)


def waited_for(descriptor: int, patience_s: float) -> bool:
    """Lock an open file or folder until it is closed; False where another process has it all that
    time.
    """
    until = time.monotonic() + patience_s
    while True:
        with suppress(BlockingIOError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        if time.monotonic() > until:
            return False
        time.sleep(_PAUSE_S)


def leads_to(name: Path, descriptor: int) -> bool:
    with suppress(FileNotFoundError):
        return os.path.samestat(name.stat(), os.fstat(descriptor))
    return False


def name_of(path: Path) -> Path:
    """The lock of a file, next to it whatever links lead there."""
    return Path(f"{os.path.realpath(path)}.lock")
