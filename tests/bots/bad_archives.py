"""Archives made to do harm, and what is said of each: none of them is unpacked."""

import gzip
import io
import lzma
import stat
import struct
import tarfile
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import NamedTuple

from tests.bots.conftest import BOT, MANIFEST

FORMS = ("zip", "tar", "tar.gz", "tgz", "tar.bz2", "tar.xz")
GOOD = {"bot.toml": MANIFEST.encode(), "bot.py": BOT.encode()}
_MODES = {"gz": "w:gz", "tgz": "w:gz", "bz2": "w:bz2", "xz": "w:xz"}


class BadArchive(NamedTuple):
    """An archive."""

    form: str
    make: Callable[[], bytes]
    words: str
    """Of what is said."""


class ArchiveEntry(NamedTuple):
    """An entry of a tar."""

    name: str
    kind: bytes = tarfile.REGTYPE
    data: bytes = b""
    to: str = ""
    mode: int = 0o644


def tarred(form: str, entries: Iterable[ArchiveEntry]) -> bytes:
    """A tar of any entries."""
    made = io.BytesIO()
    mode = _MODES.get(form.rpartition(".")[2], "w")
    with tarfile.open(fileobj=made, mode=mode) as tar:  # type: ignore[call-overload]  # a mode
        for entry in entries:
            member = tarfile.TarInfo(entry.name)
            member.type, member.size, member.linkname = entry.kind, len(entry.data), entry.to
            member.mode = entry.mode
            tar.addfile(member, io.BytesIO(entry.data))
    return made.getvalue()


def packed(form: str, files: Iterable[tuple[str, bytes]], by: int = zipfile.ZIP_DEFLATED) -> bytes:
    """An archive of these files, of which two may have the same name."""
    if form != "zip":
        return tarred(form, (ArchiveEntry(name, data=data) for name, data in files))
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", by) as archive, warnings.catch_warnings(action="ignore"):
        for name, data in files:
            archive.writestr(name, data)
    return made.getvalue()


def _names() -> Iterator[tuple[list[str], str]]:
    yield ["../../etc/cron.d/x"], '"../../etc/cron.d/x" leads out of the package'
    yield ["a/../../b"], "leads out of the package"
    yield ["/etc/passwd"], "is an absolute path"
    yield ["C:/windows/x"], "is an absolute path"
    yield ["a\\..\\b"], "has a backslash"
    yield ["a\nb"], "has control characters"
    yield ["a\x1b[2Jb"], "has control characters"
    yield ["a\u202eb"], "has control characters"
    yield ["n" * 300], "of more than 255 bytes"
    yield ["é" * 200], "of more than 255 bytes"
    yield ["d/" * 20 + "x"], "more than 16 folders deep"
    yield ["a.py", "a.py"], '"a.py" is in the package twice'
    yield ["a/b.py", "./a//b.py"], "is in the package twice"
    yield ["Bot.PY", "bot.py"], "only in case or accents"
    yield ["Src/a", "src/b"], "only in case or accents"
    yield ["caf\u00e9", "cafe\u0301"], "only in case or accents"
    yield ["a", "a/b"], "both a file and a folder"


_KINDS = {
    tarfile.SYMTYPE: "is a symbolic link",
    tarfile.LNKTYPE: "is a hard link",
    tarfile.CHRTYPE: "is a device",
    tarfile.BLKTYPE: "is a device",
    tarfile.FIFOTYPE: "is a named pipe",
    b"Q": "is of an unknown kind",
}


def _link_in_a_zip() -> bytes:
    info = zipfile.ZipInfo("link")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr(info, "/etc/passwd")
    return made.getvalue()


def _false_size() -> bytes:
    """A header says that the file is small."""
    data, size = bomb("zip"), struct.pack("<L", 30 * 2**20)
    assert data.count(size) == 2
    return data.replace(size, struct.pack("<L", 10))


def _full_memory() -> bytes:
    """The directory of a zip says that it is huge."""
    data = bytearray(packed("zip", GOOD.items()))
    data[-22 + 12 : -22 + 16] = struct.pack("<L", 2**30)
    return bytes(data)


def _under_a_password() -> bytes:
    data = bytearray(packed("zip", [("x", b"x")]))
    for mark, flags in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        data[data.index(mark) + flags] |= 1
    return bytes(data)


def _named_by_windows() -> bytes:
    """The name has a byte of an old encoding, and no flag that says so."""
    return packed("zip", [("caf~", b"x")]).replace(b"caf~", b"caf\x82")


def _zip64() -> bytes:
    data = packed("zip", GOOD.items())
    return data[:-22] + b"PK\6\7" + bytes(16) + data[-22:]


def _with_holes() -> bytes:
    """A file of a megabyte of which the archive has one byte."""
    member = tarfile.TarInfo("x")
    member.size = 1
    member.pax_headers = {"GNU.sparse.map": "0,1", "GNU.sparse.size": str(2**20)}
    return member.tobuf(tarfile.PAX_FORMAT) + b"x".ljust(512, b"\0") + bytes(1024)


def _greedy_xz() -> bytes:
    """To be unpacked it asks for a dictionary of 4 GiB."""
    data = bytearray(lzma.compress(b"x"))
    assert data[14:16] == b"\x21\x01", "the block's header: LZMA2, one byte of properties"
    data[16] = 40
    data[20:24] = struct.pack("<L", zlib.crc32(data[12:20]))
    return bytes(data)


def _below_zero() -> bytes:
    header = bytearray(tarfile.TarInfo("x").tobuf(tarfile.GNU_FORMAT))
    header[124:136] = b"\xff" * 11 + b"\x00"  # -256, in the binary form
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header) + bytes(1024)


def _headers_upon_headers() -> bytes:
    member = tarfile.TarInfo("././@LongLink")
    member.type, member.size = tarfile.GNUTYPE_LONGNAME, 2
    header = member.tobuf(tarfile.GNU_FORMAT) + b"a\0".ljust(512, b"\0")
    return header * 2000 + tarfile.TarInfo("bot.toml").tobuf() + bytes(1024)


def bomb(form: str) -> bytes:
    """Less than a megabyte, and thirty once unpacked."""
    return packed(form, [("zeros", bytes(30 * 2**20))])


def bad_archives() -> Iterator[BadArchive]:
    """All of them."""
    for form in ("zip", "tar"):
        for names, words in _names():
            yield BadArchive(form, partial(packed, form, [(name, b"x") for name in names]), words)
    for kind, words in _KINDS.items():
        entries = [
            ArchiveEntry("bot.toml", data=GOOD["bot.toml"]),
            ArchiveEntry("x", kind, to="/etc/passwd"),
        ]
        yield BadArchive("tar", partial(tarred, "tar", entries), f'"x" {words}')
    through = [ArchiveEntry("out", tarfile.SYMTYPE, to="/tmp"), ArchiveEntry("out/evil", data=b"x")]
    yield BadArchive("tar", partial(tarred, "tar", through), '"out" is a symbolic link')
    yield BadArchive("zip", _link_in_a_zip, '"link" is a symbolic link')
    for form in FORMS:
        if form != "tar":
            yield BadArchive(form, partial(bomb, form), "more than 100 times its size")
        for length in (0, 1, 100):
            half = packed(form, GOOD.items())[:length]
            yield BadArchive(form, partial(bytes, half), "pack it again")
        yield BadArchive(form, partial(bytes, b"not an archive at all\n" * 100), "pack it again")
    for form in ("zip", "tar.gz"):
        many = [(f"f{n}", b"") for n in range(2001)]
        yield BadArchive(form, partial(packed, form, many), "more than 2000 entries")
    yield BadArchive("zip", _false_size, "is broken")
    yield BadArchive("zip", _full_memory, "more than 2000 entries")
    unbound = partial(packed, "zip", [("x", b"x")], zipfile.ZIP_LZMA)
    yield BadArchive("zip", unbound, "another method than deflate")
    yield BadArchive("zip", _under_a_password, "under a password")
    yield BadArchive("zip", _named_by_windows, "in an encoding that is not UTF-8")
    yield BadArchive("zip", _zip64, "is a zip64")
    yield BadArchive("tar", _with_holes, "is a sparse file")
    yield BadArchive("tar.xz", _greedy_xz, "emory")
    yield BadArchive("tar", _below_zero, "below zero")
    yield BadArchive("tar", _headers_upon_headers, "is broken, or not a tar archive")
    twice = partial(gzip.compress, gzip.compress(bytes(10)))
    yield BadArchive("tar.gz", twice, "pack it again")


BAD_ARCHIVES = tuple(bad_archives())


def title(archive: BadArchive) -> str:
    """What a test of it is called."""
    return f"{archive.form}: {archive.words[:30]!r}"
