"""What browsers ask a server of pages, by plain sockets: they are to cost little themselves."""

import asyncio
import gzip
import json
import time
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import NamedTuple
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

_CONNECTIONS = 16


class Fetched(NamedTuple):
    """An answer."""

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
    """An address, and connections to it."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._host, self._port, self.path = parts.hostname, parts.port, parts.path
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


class OpenPages(_Address):
    """Pages of a run that listen to what happens."""

    def __init__(self, url: str, count: int) -> None:
        super().__init__(url)
        self._count = count
        self.heard: list[tuple[str, int, float]] = []
        """Game, ply and time of each message of moves that came to a page."""

    async def until_over(self, ended: Callable[[], int | None]) -> list[tuple[str, int, float]]:
        """Listen until the run has ended: what was heard."""
        pages: list[asyncio.Task[None]] = []
        while ended() is None:
            if not pages and await self._is_there():
                pages = [asyncio.create_task(self._listen()) for _ in range(self._count)]
            await asyncio.sleep(0.2)
        for page in pages:
            page.cancel()
        await asyncio.gather(*pages, return_exceptions=True)
        return self.heard

    async def _is_there(self) -> bool:
        async with self.asked(self.request()) as (reader, _):
            return b" 200 " in await reader.readline()

    async def _listen(self) -> None:
        async with self.asked(self.request("/live")) as (reader, _):
            while line := await reader.readline():
                if line.startswith(b'data: {"game"'):
                    self._take(line[6:], time.time())

    def _take(self, data: bytes, at: float) -> None:
        moved = json.loads(data)
        if "moves" in moved:
            self.heard.append((moved["game"], moved["ply"] + len(moved["moves"]), at))
