"""Files that are sent piece by piece, and a ZIP while it is made."""

import io
from collections.abc import Generator, Iterable, Mapping
from typing import IO
from urllib.parse import quote
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

_PIECE = 1 << 20


class Download(StreamingResponse):
    """Sends a file of that name, and closes its source at once where the browser leaves."""

    def __init__(
        self,
        pieces: Generator[bytes],
        name: str,
        headers: Mapping[str, str] | None = None,
        media_type: str = "application/zip",
    ) -> None:
        super().__init__(pieces, headers=headers, media_type=media_type)
        self.headers["Content-Disposition"] = f"attachment; filename*=UTF-8''{quote(name, safe='')}"
        self._pieces = pieces

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._pieces.close()


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
