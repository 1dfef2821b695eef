"""The entries a package may have: each of a folder or an archive is judged by its name, its kind
and its size before anything is written.
"""

import errno
import os
import stat
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from io import BufferedReader
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import NoReturn

from arena.errors import PackageError
from arena.files.plain_text import printable

MAX_ENTRIES = 2000
MAX_BYTES = 64 * 2**20
"""Of all files together, as they are once unpacked."""
MAX_DEPTH = 16
MAX_NAME_BYTES = 255
"""Of one name between slashes: what file systems take."""

LITTER = frozenset(
    {".git", ".hg", ".svn", ".venv", ".idea", ".vscode", ".DS_Store", "__MACOSX", "__pycache__"}
    | {".pytest_cache", ".mypy_cache", ".ruff_cache"}
)
"""Files and folders that tools leave next to a program; they are not part of the package."""


class EntryKind(StrEnum):
    """The kind of an entry. Only the first two are admitted."""

    FILE = "a file"
    FOLDER = "a folder"
    SYMBOLIC_LINK = "a symbolic link"
    HARD_LINK = "a hard link"
    DEVICE = "a device"
    PIPE = "a named pipe"
    SOCKET = "a socket"
    SPARSE = "a sparse file"
    UNKNOWN = "of an unknown kind"


_KINDS = {
    stat.S_IFREG: EntryKind.FILE, stat.S_IFDIR: EntryKind.FOLDER,
    stat.S_IFLNK: EntryKind.SYMBOLIC_LINK, stat.S_IFCHR: EntryKind.DEVICE,
    stat.S_IFBLK: EntryKind.DEVICE, stat.S_IFIFO: EntryKind.PIPE, stat.S_IFSOCK: EntryKind.SOCKET,
}  # fmt: skip


def kind_of(mode: int) -> EntryKind:
    return _KINDS.get(stat.S_IFMT(mode), EntryKind.UNKNOWN)


class EntryJudge:
    """Judges the entries of one package, one after the other."""

    def __init__(self, package: Path, error: type[PackageError]) -> None:
        self._package = package
        self._error = error
        self._reasons: list[str] = []
        self._entries = 0
        self._bytes = 0
        self._kinds: dict[str, EntryKind] = {}  # every path so far, parents included
        self._spelt: dict[str, str] = {}  # as a file system that ignores case has it → ours

    def admit(self, written: str, kind: EntryKind) -> str | None:
        """The path of the entry in the package, `a/b.py`; None when it is refused or litter."""
        self._entries += 1
        if self._entries > MAX_ENTRIES:
            self.stop(f"has more than {MAX_ENTRIES} entries; leave out what the bot does not need")
        reason = _why_not_named(written)
        parts = tuple(part for part in PurePosixPath(written).parts if part != ".")
        if reason is None and kind not in (EntryKind.FILE, EntryKind.FOLDER):
            reason = f"is {kind}; only files and folders are taken"
        if reason is None and not LITTER.isdisjoint(parts):
            return None
        reason = reason or self._why_not_with_others(parts, kind)
        if reason is not None:
            self._reasons.append(f"{shown_name(written)} {reason}")
            return None
        return "/".join(parts) or None

    def count(self, size: int) -> None:
        self._bytes += size
        if self._bytes > MAX_BYTES:
            self.stop(
                f"has more than {MAX_BYTES >> 20} MiB once unpacked; leave out what the bot "
                "does not need"
            )

    def counted(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """The same contents, counted: a file may grow while it is read."""
        for chunk in chunks:
            self.count(len(chunk))
            yield chunk

    def stop(self, reason: str) -> NoReturn:
        """Refuse the whole at once."""
        raise self._error(self._package, [*self._reasons, reason])

    def finish(self) -> None:
        if self._reasons:
            raise self._error(self._package, self._reasons)

    def _why_not_with_others(self, parts: tuple[str, ...], kind: EntryKind) -> str | None:
        if kind is EntryKind.FILE and self._kinds.get("/".join(parts)) is EntryKind.FILE:
            return "is in the package twice"
        for depth in range(1, len(parts) + 1):
            path = "/".join(parts[:depth])
            here = kind if depth == len(parts) else EntryKind.FOLDER
            if self._kinds.setdefault(path, here) is not here:
                return f"needs {shown_name(path)} to be both a file and a folder"
            plain = unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())
            spelt = self._spelt.setdefault(plain, path)
            if spelt != path:
                return f"differs from {shown_name(spelt)} only in case or accents; rename one"
        return None


def _why_not_named(written: str) -> str | None:
    try:
        written.encode()
    except UnicodeEncodeError:
        return "has a name that is not UTF-8; rename it"
    if not written:
        return "has no name"
    if any(unicodedata.category(character) in ("Cc", "Cf") for character in written):
        return "has control characters in its name; rename it"
    if written.startswith("/") or PureWindowsPath(written).drive:
        return "is an absolute path"
    if "\\" in written:
        return "has a backslash in its name; pack with / between folders"
    parts = written.split("/")
    if ".." in parts:
        return "leads out of the package"
    if max(len(part.encode()) for part in parts) > MAX_NAME_BYTES:
        return f"has a name of more than {MAX_NAME_BYTES} bytes; shorten it"
    if len(parts) > MAX_DEPTH:
        return f"is more than {MAX_DEPTH} folders deep"
    return None


def shown_name(name: str) -> str:
    """A name safe to show, shortened, in quotes."""
    safe = printable(name)
    return f'"{safe}"' if len(safe) <= 80 else f'"{safe[:60]}…" ({len(name)} characters)'


def files_of(folder: Path, opens: str) -> tuple[str, ...]:
    """The files of a bot: all of a package, which opens ".", or a script. Raises PackageError."""
    return files_in(folder) if opens == "." else (opens,)


def files_in(folder: Path) -> tuple[str, ...]:
    """The files of a folder by their paths in it, judged, sorted. Raises PackageError."""
    judge = EntryJudge(folder, PackageError)
    paths: list[str] = []
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for written, status in _walk(descriptor, "", MAX_DEPTH):
            kind = kind_of(status.st_mode)
            path = judge.admit(written, kind)
            if path is not None and kind is EntryKind.FILE:
                judge.count(status.st_size)
                paths.append(path)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(folder / error.filename)) from None
    finally:
        os.close(descriptor)
    judge.finish()
    return tuple(sorted(paths))


def _walk(folder: int, above: str, depth: int) -> Iterator[tuple[str, os.stat_result]]:
    """Everything below except litter, `depth` deep; links are not followed."""
    with _naming(above):
        names = sorted(set(os.listdir(folder)) - LITTER)
    for name in names:
        path = above + name
        with _naming(path):
            status = os.stat(name, dir_fd=folder, follow_symlinks=False)
        yield path, status
        if depth and stat.S_ISDIR(status.st_mode):
            with _naming(path):
                below = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
            try:
                yield from _walk(below, f"{path}/", depth - 1)
            finally:
                os.close(below)


@contextmanager
def _naming(path: str) -> Iterator[None]:
    """Have errors name a path in the folder that is walked, not a part of it or a descriptor."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from None


@contextmanager
def opened(folder: Path, path: str, *, follow: bool = False) -> Iterator[BufferedReader]:
    """A file of a folder, to read. No link is followed below the folder, as what was judged may
    have been replaced since; with `follow` the file may be one. Raises PackageError.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        *above, name = path.split("/")
        for part in above:
            descriptor = _below(descriptor, part, os.O_DIRECTORY | os.O_NOFOLLOW)
        no_link = 0 if follow else os.O_NOFOLLOW
        descriptor = _below(descriptor, name, os.O_NONBLOCK | no_link)  # no pipe is waited for
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.ELOOP, "is not a plain file")
    except OSError as error:
        os.close(descriptor)
        if error.errno in (errno.ELOOP, errno.ENOTDIR, errno.ENOENT, errno.ENXIO):
            reason = f"{shown_name(path)} was replaced while it was read; try again"
            raise PackageError(folder, [reason]) from None
        raise OSError(error.errno, error.strerror, str(folder / path)) from None
    with os.fdopen(descriptor, "rb") as file:
        yield file


def _below(folder: int, name: str, flags: int) -> int:
    """The descriptor of an entry, in exchange for that of its folder."""
    entry = os.open(name, os.O_RDONLY | flags, dir_fd=folder)
    os.close(folder)
    return entry
