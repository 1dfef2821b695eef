"""Reading archives that may lie: what comes out is counted, and what is kept in memory is bounded
before a library sees it.
"""

from __future__ import annotations

import lzma
import struct
from typing import IO, Protocol

from arena.bots.entries import MAX_BYTES, MAX_ENTRIES

MAX_RATIO = 100
"""Bytes that may come out of one byte of an archive; programs and tables stay below 20."""
_UNJUDGED_BYTES = 2**20
"""So much may come out whatever the ratio: small archives of small files."""
_HEADER_BYTES = 4 * 2**20
"""What the headers of a tar may take beside the contents."""
_XZ_MEMORY_BYTES = 128 * 2**20
"""What `xz -9` needs, twice; a header can ask for gigabytes."""
_CHUNK_BYTES = 2**16

_END = struct.Struct("<4s4H2LH")
"""The end of a zip: signature, two disk numbers, entries here and in all, size and offset of the
directory, length of the comment. Source: APPNOTE.TXT 4.3.16."""
_END_MARK = b"PK\x05\x06"
_ZIP64_MARK = b"PK\x06\x07"
_ZIP64_BYTES = 20
_COMMENT_BYTES = 2**16
_DIRECTORY_BYTES = MAX_ENTRIES * 1024


class Unfit(Exception):
    """The archive as a whole is refused; the text says why."""


class Reads(Protocol):
    """Anything bytes are read from."""

    def read(self, size: int, /) -> bytes:
        """At most `size` bytes; none at the end."""


class Outflow:
    """Counts what comes out of an archive of so many bytes."""

    def __init__(self, archive_bytes: int) -> None:
        self._archive_bytes = archive_bytes
        self._total = 0

    def add(self, size: int) -> None:
        """So many more bytes came out. Raises Unfit."""
        self._total += size
        if self._total > MAX_BYTES + _HEADER_BYTES:
            raise Unfit(f"holds more than {MAX_BYTES >> 20} MiB once unpacked")
        if self._total > max(_UNJUDGED_BYTES, MAX_RATIO * self._archive_bytes):
            raise Unfit(
                f"unpacks to more than {MAX_RATIO} times its size; pack data that compresses so "
                "well as a program that makes it"
            )


class Bounded:
    """A stream whose bytes are counted as they come out."""

    def __init__(self, stream: Reads, outflow: Outflow) -> None:
        self._stream = stream
        self._outflow = outflow

    def read(self, size: int, /) -> bytes:
        """At most `size` bytes; none at the end. Raises Unfit."""
        data = self._stream.read(size)
        self._outflow.add(len(data))
        return data


class Xz:
    """What a file compressed by xz holds. The library's own reader bounds no memory."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._decoder = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY_BYTES)

    def read(self, size: int, /) -> bytes:
        """At most `size` bytes; none at the end. Raises LZMAError, EOFError."""
        while not self._decoder.eof:
            data = self._file.read(_CHUNK_BYTES) if self._decoder.needs_input else b""
            if self._decoder.needs_input and not data:
                raise EOFError("it ends early")
            if out := self._decoder.decompress(data, size):
                return out
        return b""


def check_zip_directory(file: IO[bytes]) -> None:
    """Refuse a zip whose directory would fill the memory: the library reads all of it at once.

    Raises Unfit.
    """
    size = file.seek(0, 2)
    file.seek(max(0, size - _COMMENT_BYTES - _END.size - _ZIP64_BYTES))
    tail = file.read()
    file.seek(0)
    at = tail.rfind(_END_MARK)
    if at < 0 or at + _END.size > len(tail):
        raise Unfit("is no zip archive, or not all of it; pack it anew")
    if tail[max(0, at - _ZIP64_BYTES) : at].startswith(_ZIP64_MARK):
        raise Unfit("is a zip64, made for archives of gigabytes; pack less")
    _, _, _, _, entries, directory, _, _ = _END.unpack_from(tail, at)
    if entries > MAX_ENTRIES or directory > _DIRECTORY_BYTES:
        raise Unfit(f"holds more than {MAX_ENTRIES} entries; leave out what the bot does not need")
