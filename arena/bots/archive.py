"""Archives that are handed in: zip, and tar plain or compressed by gzip, bzip2 or xz.

An archive is read twice. The first reading judges every entry and counts what really comes out,
whatever the headers claim, and writes nothing; the second writes, under the same judge.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple, TypeVar

from arena.bots.bounded import Bounded, Outflow, Reads, Unfit, Xz, check_zip_directory
from arena.bots.entries import Judge, Kind, kind_of, shown_name
from arena.bots.manifest import FILE_NAME
from arena.bots.trees import write
from arena.errors import ArchiveError

_FORMS = {
    ".zip": "zip",
    ".tar": "tar",
    ".tar.gz": "gzip",
    ".tgz": "gzip",
    ".tar.bz2": "bzip2",
    ".tbz2": "bzip2",
    ".tar.xz": "xz",
    ".txz": "xz",
}
MAX_ARCHIVE_BYTES = 32 * 2**20
_CHUNK_BYTES = 2**16
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
    ValueError,  # of tarfile: numbers in headers that are none
    NotImplementedError,  # of zipfile: a version it does not know
    RecursionError,  # of tarfile: headers upon headers
)


_Item = TypeVar("_Item")


class Entry(NamedTuple):
    """A file of an archive, judged and admitted."""

    path: str
    """In the package, `a/b.py`."""
    size: int
    """Bytes that really come out."""
    executable: bool


class _Raw(NamedTuple):
    """An entry as an archive tells it, before it is judged."""

    name: str
    kind: Kind
    executable: bool
    chunks: Iterator[bytes]


def is_archive(path: Path) -> bool:
    """Whether the name says so."""
    return _form(path) is not None


def judge(path: Path) -> tuple[Entry, ...]:
    """The files of the package in an archive. Raises ArchiveError naming all that is refused.

    A single folder around everything is no part of their paths.
    """
    entries = _entries(path)
    top = _wrapping(entries)
    return tuple(entry._replace(path=entry.path.removeprefix(top)) for entry in entries)


def unpack(path: Path, folder: Path) -> None:
    """Write the files of an archive into an empty folder, once all of it is judged.

    Raises ArchiveError.
    """
    top = _wrapping(_entries(path))
    for name, raw in _admitted(path):
        write(folder / name.removeprefix(top), raw.chunks, raw.executable)


def _form(path: Path) -> str | None:
    name = path.name.lower()
    return next((form for suffix, form in _FORMS.items() if name.endswith(suffix)), None)


def _entries(path: Path) -> list[Entry]:
    return [Entry(name, sum(map(len, raw.chunks)), raw.executable) for name, raw in _admitted(path)]


def _wrapping(entries: list[Entry]) -> str:
    """`bot/` where all files lie in the one folder `bot`, with the bot.toml in it."""
    paths = {entry.path for entry in entries}
    tops = {path.split("/")[0] for path in paths}
    top = f"{tops.pop()}/" if len(tops) == 1 else ""
    return top if f"{top}{FILE_NAME}" in paths else ""


def _admitted(path: Path) -> Iterator[tuple[str, _Raw]]:
    """The files the judge admits; what comes out of all entries is counted, of refused ones too."""
    size = path.stat().st_size
    verdict = Judge(path, ArchiveError)
    if size > MAX_ARCHIVE_BYTES:
        verdict.stop(f"is larger than {MAX_ARCHIVE_BYTES >> 20} MiB")
    form = _form(path) or ""
    with path.open("rb") as file:
        entries = _broken_told(_raw_entries(file, form, Outflow(size)), form, verdict)
        for raw in entries:
            name = verdict.admit(raw.name, raw.kind)
            chunks = _broken_told(raw.chunks, form, verdict)
            if name is not None and raw.kind is Kind.FILE:
                yield name, raw._replace(chunks=_counted(chunks, verdict))
            for _ in chunks:  # what nobody took
                pass
    verdict.finish()


def _counted(chunks: Iterator[bytes], verdict: Judge) -> Iterator[bytes]:
    for chunk in chunks:
        verdict.count(len(chunk))
        yield chunk


def _broken_told(items: Iterator[_Item], form: str, verdict: Judge) -> Iterator[_Item]:
    """The same items; what their reader stumbles over becomes an ArchiveError."""
    try:
        yield from items
    except Unfit as error:
        verdict.stop(str(error))
    except _BROKEN as error:
        verdict.stop(f"is broken, or no {form} archive ({error or 'it ends early'}); pack it anew")


def _raw_entries(file: IO[bytes], form: str, outflow: Outflow) -> Iterator[_Raw]:
    if form == "zip":
        return _of_zip(file, outflow)
    return _of_tar(Bounded(_decompressed(file, form), outflow))


def _decompressed(file: IO[bytes], form: str) -> Reads:
    if form == "gzip":
        return gzip.GzipFile(fileobj=file)
    if form == "bzip2":
        return bz2.BZ2File(file)
    if form == "xz":
        return Xz(file)
    return file


def _of_zip(file: IO[bytes], outflow: Outflow) -> Iterator[_Raw]:
    check_zip_directory(file)
    with zipfile.ZipFile(file) as archive:
        for info in archive.infolist():
            name, mode = info.orig_filename, info.external_attr >> 16
            if info.flag_bits & _ENCRYPTED:
                raise Unfit(f"holds {shown_name(name)} under a password; pack it without")
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise Unfit(f"packs {shown_name(name)} by a method other than deflate")
            if not (name.isascii() or info.flag_bits & _UTF8):
                raise Unfit(f"names {shown_name(name)} in an encoding that is not UTF-8; rename it")
            kind = Kind.FOLDER if info.is_dir() else kind_of(mode) if mode >> 12 else Kind.FILE
            yield _Raw(name, kind, bool(mode & 0o100), _of_zipped(archive, info, outflow))


def _of_zipped(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, outflow: Outflow
) -> Iterator[bytes]:
    with archive.open(info) as opened:
        yield from _chunks(Bounded(opened, outflow))


def _of_tar(stream: Bounded) -> Iterator[_Raw]:
    with tarfile.open(fileobj=stream, mode="r|") as archive:  # type: ignore[call-overload]  # its stub asks for more than read()
        for member in archive:
            if member.size < 0:
                raise Unfit(f"gives {shown_name(member.name)} a size below zero")
            kind = _kind_in_tar(member)
            opened = archive.extractfile(member) if kind is Kind.FILE else None
            chunks = _chunks(opened) if opened else iter(())
            yield _Raw(member.name, kind, bool(member.mode & 0o100), chunks)


def _kind_in_tar(member: tarfile.TarInfo) -> Kind:
    if member.issparse():
        return Kind.SPARSE
    kinds = {
        tarfile.REGTYPE: Kind.FILE,
        tarfile.AREGTYPE: Kind.FILE,
        tarfile.DIRTYPE: Kind.FOLDER,
        tarfile.SYMTYPE: Kind.SYMBOLIC_LINK,
        tarfile.LNKTYPE: Kind.HARD_LINK,
        tarfile.CHRTYPE: Kind.DEVICE,
        tarfile.BLKTYPE: Kind.DEVICE,
        tarfile.FIFOTYPE: Kind.PIPE,
    }
    return kinds.get(member.type, Kind.UNKNOWN)


def _chunks(stream: Reads) -> Iterator[bytes]:
    return iter(lambda: stream.read(_CHUNK_BYTES), b"")
