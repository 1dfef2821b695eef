"""The files of a package: their digest, and their way into a folder that never changes again. It is
made aside, and appears at once and whole, or not at all.
"""

import errno
import fcntl
import hashlib
import os
import stat
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Protocol

from arena.bots.entries import EntryJudge, opened
from arena.errors import PackageError
from arena.files.lock import waited_for
from arena.files.whole_file import sync
from arena.sandbox import leftovers

_ASIDE = ".making-"  # the beginning of the names of folders in which something is being made
_CHUNK_BYTES = 2**16
_PATIENCE_S = 120.0
_LOCKED = "another process has locked it; `fuser -v` with its path shows which"
_HELD = dict[Path, int]()
"""The file with the locks of `hold`, which stays open: to close it once would release them all."""


def digest(folder: Path, paths: Iterable[str], *, follow: bool = False) -> str:
    """SHA-256, in hex, of names, contents and executability; with `follow` files may be links."""
    total = hashlib.sha256()
    for path in sorted(paths):
        with opened(folder, path, follow=follow) as file:
            contents = hashlib.file_digest(file, "sha256").hexdigest()
            total.update(f"{contents} {'x' if runs(file) else '-'} {path}\n".encode())
    return total.hexdigest()


def runs(file: IO[bytes]) -> bool:
    """Whether its owner may execute it."""
    return bool(os.fstat(file.fileno()).st_mode & 0o100)


def copy(folder: Path, paths: Iterable[str], to: Path, *, follow: bool = False) -> None:
    """Copy files, and of their modes executability alone; with `follow` they may be links."""
    judge = EntryJudge(folder, PackageError)
    for path in paths:
        with opened(folder, path, follow=follow) as file:
            write(to / path, judge.counted(chunks(file)), runs(file))


class Readable(Protocol):
    def read(self, size: int, /) -> bytes:
        """At most `size` bytes; none at the end."""


def chunks(file: Readable) -> Iterator[bytes]:
    return iter(lambda: file.read(_CHUNK_BYTES), b"")


def write(path: Path, parts: Iterable[bytes], executable: bool) -> None:
    """Write a new file, and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    with os.fdopen(os.open(path, flags, 0o755 if executable else 0o644), "wb") as file:
        for part in parts:
            file.write(part)


@contextmanager
def made_aside(parent: Path) -> Iterator[Path]:
    """A new folder in `parent`, removed at the end unless `settle` moved it. It is locked as long
    as its maker lives; folders of dead makers are removed here.
    """
    parent.mkdir(parents=True, exist_ok=True)
    with ExitStack() as ours:
        with locked(parent):  # so that no one sweeps the folder before it is locked
            for dead in parent.glob(f"{_ASIDE}*"):
                with suppress(OSError), locked(dead, wait=False):  # its maker is gone
                    remove(dead)
            folder = Path(tempfile.mkdtemp(prefix=_ASIDE, dir=parent))
            ours.enter_context(locked(folder))
        ours.callback(remove, folder)
        of_group = folder.stat().st_mode & stat.S_ISGID  # what is made in it has the folder's group
        folder.chmod(0o755 | of_group)
        yield folder


def settle(new: Path, final: Path) -> None:
    """Make a folder read-only and let it appear on the disk as `final`, unless that exists."""
    for folder, _, names in os.walk(new):
        for name in names:
            file = Path(folder, name)
            sync(file)
            file.chmod(0o555 if file.stat().st_mode & 0o100 else 0o444)
        sync(Path(folder))
        if folder != str(new):  # to be moved, a folder must be writable itself
            Path(folder).chmod(0o555)
    try:
        new.rename(final)
    except OSError:
        if not final.is_dir():
            raise
    else:
        final.chmod(0o555)
        sync(final.parent)


def hold(folder: Path) -> None:
    """Keep other processes from removing a folder by `remove_unheld`, as long as this one lives; it
    need not be there yet.
    """
    with suppress(OSError):  # nobody removes what is in a folder that cannot be written
        folder.parent.parent.mkdir(parents=True, exist_ok=True)
        _lock(folder, fcntl.LOCK_SH)


def remove_unheld(folder: Path) -> None:
    """Remove a folder that no other process holds; this one holds it no more."""
    with suppress(OSError):
        _lock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        remove(folder)
    with suppress(OSError):
        _lock(folder, fcntl.LOCK_UN)


def _lock(folder: Path, how: int) -> None:
    """Lock a byte for the folder's name, in one file for all: there may be very many."""
    file = folder.parent.with_suffix(".held")
    if file not in _HELD:
        while _HELD:  # of another cache: a process has one, tests have many
            os.close(_HELD.popitem()[1])
        _HELD[file] = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    byte = int.from_bytes(hashlib.sha256(folder.name.encode()).digest()[:7], "big")
    fcntl.lockf(_HELD[file], how, 1, byte)


def remove(folder: Path) -> None:
    """Remove a folder, whatever is in it; a missing one is no error."""
    with suppress(OSError):  # the rest is removed with the next folder made here
        leftovers.remove(str(folder))


@contextmanager
def locked(folder: Path, *, wait: bool = True) -> Iterator[None]:
    """Hold the lock of a folder. An OSError when another process has it, without `wait` at once:
    one of any user who may read the folder can have it for ever.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        if not waited_for(descriptor, _PATIENCE_S if wait else 0):
            raise BlockingIOError(errno.EAGAIN, _LOCKED, str(folder))
        yield
    finally:
        os.close(descriptor)
