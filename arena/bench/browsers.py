"""Requests of browsers to a server of pages, by plain sockets: they are to cost little
themselves.
"""

import asyncio
import gzip
import json
import time
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import NamedTuple, cast
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

_CONNECTIONS = 16


class Fetched(NamedTuple):
    text: str
    sent_bytes: int
    """As it came, packed."""


def get(url: str) -> Fetched:
    """Ask for an address as a browser does."""
    with urlopen(Request(url, headers={"Accept-Encoding": "gzip"}), timeout=60) as answer:
        sent = answer.read()
        packed = answer.headers["Content-Encoding"] == "gzip"
    return Fetched((gzip.decompress(sent) if packed else sent).decode(), len(sent))


class _Address:
    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._host, self._port, self.path = parts.hostname or "", parts.port or 80, parts.path
        self._head = f"Host: {parts.netloc}\r\nAccept-Encoding: gzip\r\n\r\n"

    def request(self, more: str = "") -> bytes:
        return f"GET {self.path}{more} HTTP/1.1\r\n{self._head}".encode()

    @asynccontextmanager
    async def asked(self, request: bytes) -> AsyncIterator[tuple[StreamReader, StreamWriter]]:
        """A connection with a request on its way."""
        reader, writer = await asyncio.open_connection(self._host, self._port, limit=1 << 22)
        try:
            writer.write(request)
            yield reader, writer
        finally:
            writer.close()


class PageLoad(_Address):
    """Asks for one address as often as it is answered."""

    async def run(self, seconds: float) -> float:
        """Answers a second."""
        await asyncio.to_thread(get, f"http://{self._host}:{self._port}{self.path}")
        until = time.monotonic() + seconds
        each = await asyncio.gather(*(self._ask(until) for _ in range(_CONNECTIONS)))
        return sum(each) / seconds

    async def _ask(self, until: float) -> int:
        count, request = 0, self.request()
        async with self.asked(request) as (reader, writer):
            while time.monotonic() < until:
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.lower().partition(b"content-length:")[2].split(b"\r")[0])
                await reader.readexactly(length)
                writer.write(request)
                count += 1
        return count


class _OpenPage(asyncio.Protocol):
    """A page that listens. What it hears is only kept: to read it would cost the run measured."""

    def __init__(self, request: bytes) -> None:
        self._request = request
        self._pieces: list[tuple[float, bytes]] = []
        self.transport: asyncio.BaseTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        cast(asyncio.WriteTransport, transport).write(self._request)

    def data_received(self, data: bytes) -> None:
        self._pieces.append((time.time(), data))

    def heard(self) -> Iterator[tuple[str, int, float]]:
        rest = b""
        for at, piece in self._pieces:
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                if line.startswith(b'data: {"game"') and "moves" in (moved := json.loads(line[6:])):
                    yield moved["game"], moved["ply"] + len(moved["moves"]), at


class OpenPages(_Address):
    """Pages of a run that listen to what happens."""

    def __init__(self, url: str, count: int) -> None:
        super().__init__(url)
        self._pages = [_OpenPage(self.request("/live")) for _ in range(count)]

    @property
    def heard(self) -> list[tuple[str, int, float]]:
        """Game, ply and time of each message of moves that came to a page."""
        return [moved for page in self._pages for moved in page.heard()]

    async def until_over(self, ended: Callable[[], int | None]) -> None:
        are_open = False
        while ended() is None:
            if self._pages and not are_open and await self._is_there():
                are_open = True
                for page in self._pages:
                    await self._open(page)
            await asyncio.sleep(0.2)
        for page in self._pages:
            if page.transport is not None:
                page.transport.close()

    async def _open(self, page: _OpenPage) -> None:
        loop = asyncio.get_running_loop()
        await loop.create_connection(lambda: page, self._host, self._port)

    async def _is_there(self) -> bool:
        async with self.asked(self.request()) as (reader, _):
            return b" 200 " in await reader.readline()
