"""Archives that students submit: zip, and tar plain or compressed by gzip, bzip2 or xz. Each is
read twice: first every entry is judged and the bytes that come out are counted, whatever headers
claim; then it is written, under the same judge. Memory is bounded before a library reads.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeVar

from arena.bots.entries import MAX_BYTES, MAX_ENTRIES, EntryJudge, EntryKind, kind_of, shown_name
from arena.bots.manifest import FILE_NAME
from arena.bots.trees import Readable, chunks, write
from arena.errors import ArchiveError

_FORMS = {
    ".zip": "zip", ".tar": "tar", ".tar.gz": "gzip", ".tgz": "gzip", ".tar.bz2": "bzip2",
    ".tbz2": "bzip2", ".tar.xz": "xz", ".txz": "xz",
}  # fmt: skip
_RESOURCE_FORK = "._"
"""The beginning of the names of files that the tar of macOS adds, also one next to the folder."""
MAX_ARCHIVE_BYTES = 32 * 2**20
_CHUNK_BYTES = 2**16
MAX_RATIO = 100
"""Bytes that may come out of one byte of an archive; programs and tables stay below 20."""
_UNJUDGED_BYTES = 2**20  # allowed whatever the ratio: small archives of small files
HEADER_BYTES = 4 * 2**20  # for the headers of a tar, besides the contents
_EXTENDED_BYTES = 40 * 2**10  # of one such header of a tar; 2,000 may have 900 bytes each
_XZ_MEMORY_BYTES = 128 * 2**20  # twice the need of `xz -9`; a header can ask for gigabytes

_END = struct.Struct("<4s4H2LH")
"""The end of a zip: signature, two disk numbers, entries here and in all, size and offset of the
directory, length of the comment. Source: APPNOTE.TXT 4.3.16."""
_END_MARK, _ZIP64_MARK = b"PK\x05\x06", b"PK\x06\x07"
_ZIP64_BYTES = 20
_COMMENT_BYTES = 2**16
_DIRECTORY_BYTES = MAX_ENTRIES * 1024
_ENCRYPTED, _UTF8 = 0x1, 0x800
"""Flags of an entry of a zip."""
_BROKEN = (
    zipfile.BadZipFile,
    tarfile.TarError,
    gzip.BadGzipFile,
    lzma.LZMAError,
    zlib.error,
    EOFError,
    OSError,  # of bz2: invalid data
    ValueError,  # of tarfile: bad numbers in headers
    NotImplementedError,  # of zipfile: a version it does not know
    RecursionError,  # of tarfile: headers upon headers
)

_Item = TypeVar("_Item")


class _RawEntry(NamedTuple):
    name: str
    kind: EntryKind
    executable: bool
    chunks: Iterator[bytes]


def is_archive(path: Path) -> bool:
    return _form(path) is not None


def unpack(path: Path, file: IO[bytes], folder: Path, most: int = MAX_ARCHIVE_BYTES) -> None:
    """Write an archive's files, judged first, without a folder around all. `file` is what was
    opened of `path`, of `most` bytes. Raises ArchiveError.
    """
    paths = {name for name, _ in _admitted(path, file, most)}
    tops = {name.split("/")[0] for name in paths if not name.startswith(_RESOURCE_FORK)}
    top = f"{tops.pop()}/" if len(tops) == 1 else ""
    if f"{top}{FILE_NAME}" not in paths:
        top = ""
    for name, raw in _admitted(path, file, most):
        if name.startswith(top):
            write(folder / name.removeprefix(top), raw.chunks, raw.executable)


def _form(path: Path) -> str | None:
    name = path.name.lower()
    return next((form for suffix, form in _FORMS.items() if name.endswith(suffix)), None)


def _admitted(path: Path, file: IO[bytes], most: int) -> Iterator[tuple[str, _RawEntry]]:
    """The files the judge admits; the bytes of all entries count, of refused ones too."""
    size = file.seek(0, 2)
    file.seek(0)
    judge = EntryJudge(path, ArchiveError)
    if size > most:
        judge.stop(
            f"is larger than {most >> 20} MiB; leave out what the bot does not need, or submit the "
            f"folder itself, which may have {MAX_BYTES >> 20} MiB"
        )
    form = _form(path) or ""
    entries = _translated(_raw_entries(file, form, _Outflow(size)), form, judge)
    for raw in entries:
        name = judge.admit(raw.name, raw.kind)
        chunks = _translated(raw.chunks, form, judge)
        if name is not None and raw.kind is EntryKind.FILE:
            chunks = judge.counted(chunks)
            yield name, raw._replace(chunks=chunks)
        for _ in chunks:  # counted as they come out, whatever the header says
            pass
    judge.finish()


def _translated(items: Iterator[_Item], form: str, judge: EntryJudge) -> Iterator[_Item]:
    """The same items; the errors of their reader become an ArchiveError."""
    try:
        yield from items
    except _RefusedError as error:
        judge.stop(str(error))
    except _BROKEN as error:
        judge.stop(
            f"is broken, or not a {form} archive ({error or 'it ends early'}); pack it again"
        )


def _raw_entries(file: IO[bytes], form: str, outflow: _Outflow) -> Iterator[_RawEntry]:
    if form == "zip":
        return _of_zip(file, outflow)
    readers: dict[str, Callable[[IO[bytes]], Readable]] = {
        "gzip": lambda packed: gzip.GzipFile(fileobj=packed),
        "bzip2": bz2.BZ2File,
        "xz": _XzReader,
    }
    return _of_tar(_BoundedStream(readers[form](file) if form in readers else file, outflow))


def _of_zip(file: IO[bytes], outflow: _Outflow) -> Iterator[_RawEntry]:
    _check_zip_directory(file)
    with zipfile.ZipFile(file) as archive:
        for info in archive.infolist():
            name, mode = _name_in_zip(info), info.external_attr >> 16
            quoted = shown_name(name)
            if info.flag_bits & _ENCRYPTED:
                raise _RefusedError(f"has {quoted} under a password; pack it without one")
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise _RefusedError(f"packs {quoted} by another method than deflate")
            kind = kind_of(mode) if mode >> 12 else EntryKind.FILE
            kind = EntryKind.FOLDER if name.endswith("/") else kind
            yield _RawEntry(name, kind, bool(mode & 0o100), _of_zipped(archive, info, outflow))


def _name_in_zip(info: zipfile.ZipInfo) -> str:
    """The name of an entry. The Finder of macOS and Info-ZIP write UTF-8 without the flag for it,
    which `zipfile` then takes for code page 437.
    """
    name = info.orig_filename
    if name.isascii() or info.flag_bits & _UTF8:
        return name
    try:
        return name.encode("cp437").decode()
    except UnicodeDecodeError:
        wrong = f"names {shown_name(name)} in an encoding that is not UTF-8; rename it"
        raise _RefusedError(wrong) from None


def _of_zipped(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, outflow: _Outflow
) -> Iterator[bytes]:
    with archive.open(info) as opened:
        yield from chunks(_BoundedStream(opened, outflow))


def _of_tar(stream: _BoundedStream) -> Iterator[_RawEntry]:
    with tarfile.open(fileobj=stream, mode="r|", tarinfo=_TarHeader) as archive:  # type: ignore[call-overload]  # its stub asks for more than read()
        for member in archive:
            if member.size < 0:
                raise _RefusedError(f"gives {shown_name(member.name)} a size below zero")
            kind = _KINDS_IN_TAR.get(member.type, EntryKind.UNKNOWN)
            kind = EntryKind.SPARSE if member.issparse() else kind
            opened = archive.extractfile(member) if kind is EntryKind.FILE else None
            parts = chunks(opened) if opened else iter(())
            yield _RawEntry(member.name, kind, bool(member.mode & 0o100), parts)


class _TarHeader(tarfile.TarInfo):
    """A header that is refused where it would take long to read: some Pythons need a time that
    grows with the square of an extended header (CVE-2024-6232).
    """

    def _proc_pax(self, archive: Any) -> Any:
        archive.squares = getattr(archive, "squares", 0) + self.size**2
        if archive.squares > _EXTENDED_BYTES**2:
            raise _RefusedError("has extended headers of many bytes; pack it with --format=ustar")
        return super()._proc_pax(archive)  # type: ignore[misc]  # made for subclasses, and private


_KINDS_IN_TAR = {
    tarfile.REGTYPE: EntryKind.FILE, tarfile.AREGTYPE: EntryKind.FILE,
    tarfile.DIRTYPE: EntryKind.FOLDER, tarfile.SYMTYPE: EntryKind.SYMBOLIC_LINK,
    tarfile.LNKTYPE: EntryKind.HARD_LINK, tarfile.CHRTYPE: EntryKind.DEVICE,
    tarfile.BLKTYPE: EntryKind.DEVICE, tarfile.FIFOTYPE: EntryKind.PIPE,
}  # fmt: skip


class _RefusedError(Exception):
    """The archive as a whole is refused; the text says why."""


class _Outflow:
    def __init__(self, archive_bytes: int) -> None:
        self._archive_bytes = archive_bytes
        self._total = 0

    def add(self, size: int) -> None:
        self._total += size
        if self._total > MAX_BYTES + HEADER_BYTES:
            raise _RefusedError(f"has more than {MAX_BYTES >> 20} MiB once unpacked")
        if self._total > max(_UNJUDGED_BYTES, MAX_RATIO * self._archive_bytes):
            raise _RefusedError(
                f"unpacks to more than {MAX_RATIO} times its size; instead of data that compresses "
                "so well, pack a program that makes it"
            )


class _BoundedStream:
    def __init__(self, stream: Readable, outflow: _Outflow) -> None:
        self._stream = stream
        self._outflow = outflow

    def read(self, size: int, /) -> bytes:
        data = self._stream.read(size)
        self._outflow.add(len(data))
        return data


class _XzReader:
    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._decoder = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY_BYTES)

    def read(self, size: int, /) -> bytes:
        while not self._decoder.eof:
            data = self._file.read(_CHUNK_BYTES) if self._decoder.needs_input else b""
            if self._decoder.needs_input and not data:
                raise EOFError("it ends early")
            if out := self._decoder.decompress(data, size):
                return out
        return b""


def _check_zip_directory(file: IO[bytes]) -> None:
    """Refuse a zip whose directory would fill the memory: the library reads all of it at once."""
    size = file.seek(0, 2)
    file.seek(max(0, size - _COMMENT_BYTES - _END.size - _ZIP64_BYTES))
    tail = file.read()
    file.seek(0)
    at = tail.rfind(_END_MARK)
    if at < 0 or at + _END.size > len(tail):
        raise _RefusedError("is not a zip archive, or not all of it; pack it again")
    if tail[max(0, at - _ZIP64_BYTES) : at].startswith(_ZIP64_MARK):
        raise _RefusedError("is a zip64, made for archives of gigabytes; pack less")
    _, _, _, _, entries, directory, _, _ = _END.unpack_from(tail, at)
    if entries > MAX_ENTRIES or directory > _DIRECTORY_BYTES:
        raise _RefusedError(
            f"has more than {MAX_ENTRIES} entries; leave out what the bot does not need"
        )
