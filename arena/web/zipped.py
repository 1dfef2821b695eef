"""A ZIP that is sent while it is made."""

import io
from collections.abc import Generator, Iterable
from typing import IO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

_PIECE = 1 << 20


class _Sent(io.RawIOBase):
    """A file that hands on what is written."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override] # ZipFile writes bytes alone
        self._parts.append(bytes(data))
        return len(data)

    def taken(self) -> bytes:
        """The bytes that were written since the last call."""
        found, self._parts = b"".join(self._parts), []
        return found


def zipped(members: Iterable[tuple[str | ZipInfo, IO[bytes]]]) -> Generator[bytes]:
    """The ZIP of these files, piece by piece; each is closed once it is in."""
    sent = _Sent()
    with ZipFile(sent, "w", ZIP_DEFLATED) as archive:
        for name, file in members:
            with archive.open(name, "w", force_zip64=True) as member, file:
                while piece := file.read(_PIECE):
                    member.write(piece)
                    yield sent.taken()
    yield sent.taken()
