"""Files that are there whole, or as they were."""

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from arena.files import lock

_PATIENCE_S = 120.0


def write_whole(path: Path, text: str, *, private: bool = False) -> None:
    """Write a file so that it is there whole or as it was, even when the power fails; a private one
    for those alone who may write its folder.
    """
    with replacing(path) as file:
        if private:
            make_private_file(file.fileno(), path.parent.stat())
        file.write(text)


def stamp(path: Path) -> tuple[int, int, int] | None:
    """A value that changes whenever a file does; None where there is none."""
    with suppress(OSError):
        found = path.stat()
        return found.st_ino, found.st_size, found.st_mtime_ns
    return None


def contents_digest(paths: Iterable[Path]) -> str | None:
    """SHA-256, in hex, of the contents of files, in their order; None without any."""
    digests = []
    for path in paths:
        with path.open("rb") as file:
            digests.append(hashlib.file_digest(file, "sha256").digest())
    return hashlib.sha256(b"".join(digests)).hexdigest() if digests else None


def make_private(folder: Path) -> None:
    """Make a folder, where there is none, for those alone who may write the one that it is in."""
    of_group = folder.parent.stat().st_mode & stat.S_IWGRP
    folder.mkdir(0o770 if of_group else 0o700, exist_ok=True)


def make_private_file(file: int, folder: os.stat_result) -> None:
    """Close an open file to all others than those who may write its folder."""
    with suppress(PermissionError):  # only root gives files away
        os.fchown(file, folder.st_uid, folder.st_gid)
    os.fchmod(file, 0o660 if folder.st_mode & stat.S_IWGRP else 0o600)


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Have errors in writing a file, or a folder of files, name what was asked for: that of a full
    disk names none, others a file aside.
    """
    try:
        yield
    except OSError as error:
        why = os.strerror(error.errno) if error.errno else str(error)
        raise OSError(error.errno, why, str(path)) from error


def fresh(path: Path, mode: str, buffering: int = -1) -> IO[Any]:
    """A new file in place of what has its name: a killed process of another user left it there, or
    put a link there to have us write elsewhere.
    """
    path.unlink(missing_ok=True)
    return _new(path, mode, buffering)


def _new(path: Path, mode: str, buffering: int = -1) -> IO[Any]:
    return path.open(mode.replace("w", "x"), buffering, None if "b" in mode else "utf-8")


@contextmanager
def replacing(path: Path, mode: str = "w") -> Iterator[Any]:
    """As `write_whole`, for what is written piece by piece; after an error all is as it was. Of
    processes that write the same file, each waits for the one before.
    """
    part = path.with_suffix(path.suffix + ".part")
    with naming(path):
        with _alone(part, mode) as file:
            try:
                yield file
                file.flush()
                os.fsync(file.fileno())
                part.replace(path)
            except BaseException:
                part.unlink(missing_ok=True)
                raise
        sync(path.parent)


def _alone(part: Path, mode: str) -> IO[Any]:
    """A new file that nobody else writes or removes until it is closed."""
    while True:
        try:
            file = _new(part, mode)
        except FileExistsError:
            _remove_left(part)
            continue
        _wait_for(file.fileno())
        if lock.leads_to(part, file.fileno()):
            return file
        file.close()  # it was removed before it was locked


def _remove_left(part: Path) -> None:
    """Remove what a killed process left, or a link to have us write elsewhere; a process that
    lives is waited for.
    """
    try:
        file = _opened(part)
    except FileNotFoundError:
        return
    except OSError:  # a link, or closed to us
        part.unlink(missing_ok=True)
        return
    try:
        _wait_for(file)
        if lock.leads_to(part, file):  # else it is in its place now
            part.unlink()
    finally:
        os.close(file)


def _opened(part: Path) -> int:
    with suppress(PermissionError):
        return os.open(part, lock.SAFELY | os.O_RDWR)  # NFS locks none that is only read
    return os.open(part, lock.SAFELY)  # another user's


def _wait_for(file: int) -> None:
    """Lock an open file, where there are locks."""
    try:
        is_ours = lock.waited_for(file, _PATIENCE_S)
    except OSError:
        return
    if not is_ours:
        raise OSError(f"another process has been writing it for {_PATIENCE_S:.0f} seconds")


@contextmanager
def writing(path: Path, mode: str = "w") -> Iterator[Any]:
    """The same for a path that may be a link, and keeps who may read a file. What cannot be
    replaced is written as it comes: a pipe or device, or a file of a closed folder.
    """
    real = Path(os.path.realpath(path))  # also of a link to itself
    if (real.is_file() or not path.exists()) and os.access(real.parent, os.W_OK):
        with replacing(real, mode) as file:
            with suppress(OSError):  # there was none
                os.fchmod(file.fileno(), stat.S_IMODE(real.stat().st_mode))
            yield file
    else:
        with path.open(mode, encoding=None if "b" in mode else "utf-8") as file:
            yield file


def sync(path: Path) -> None:
    """Write what is in a file, or the names in a folder, to the disk: a power failure spares it."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
