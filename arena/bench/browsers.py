"""What browsers ask a server of pages, by plain sockets: they are to cost little themselves."""

import asyncio
import gzip
import json
import time
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

_CONNECTIONS = 16


class Answer(NamedTuple):
    """An answer."""

    text: str
    sent_bytes: int
    """As it came, packed."""


def get(url: str) -> Answer:
    """Ask for an address as a browser does."""
    with urlopen(Request(url, headers={"Accept-Encoding": "gzip"}), timeout=60) as answer:
        sent = answer.read()
        packed = answer.headers["Content-Encoding"] == "gzip"
    return Answer((gzip.decompress(sent) if packed else sent).decode(), len(sent))


class _Address:
    """An address, and connections to it."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._host, self._port, self.path = parts.hostname, parts.port, parts.path
        self._head = f"Host: {parts.netloc}\r\nAccept-Encoding: gzip\r\n\r\n"

    def request(self, more: str = "") -> bytes:
        return f"GET {self.path}{more} HTTP/1.1\r\n{self._head}".encode()

    async def open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection(self._host, self._port, limit=1 << 22)


class Load(_Address):
    """Asks for one address as often as it is answered."""

    async def run(self, seconds: float) -> float:
        """Answers a second."""
        get_first = asyncio.to_thread(get, f"http://{self._host}:{self._port}{self.path}")
        await get_first
        until = time.monotonic() + seconds
        each = await asyncio.gather(*(self._ask(until) for _ in range(_CONNECTIONS)))
        return sum(each) / seconds

    async def _ask(self, until: float) -> int:
        reader, writer = await self.open()
        count, request = 0, self.request()
        while time.monotonic() < until:
            writer.write(request)
            head = await reader.readuntil(b"\r\n\r\n")
            length = int(head.lower().partition(b"content-length:")[2].split(b"\r")[0])
            await reader.readexactly(length)
            count += 1
        writer.close()
        return count


class OpenPages(_Address):
    """Pages of a run that listen to what happens."""

    def __init__(self, url: str, count: int) -> None:
        super().__init__(url)
        self._count = count
        self._heard: list[tuple[str, int, float]] = []

    async def until_over(self, ended: Callable[[], int | None]) -> list[tuple[str, int, float]]:
        """Listen until the run has ended: game, ply and time of each message of moves."""
        pages: list[asyncio.Task[None]] = []
        while ended() is None:
            if not pages and await self._is_there():
                pages = [asyncio.create_task(self._listen()) for _ in range(self._count)]
            await asyncio.sleep(0.2)
        for page in pages:
            page.cancel()
        await asyncio.gather(*pages, return_exceptions=True)
        return self._heard

    async def _is_there(self) -> bool:
        reader, writer = await self.open()
        writer.write(self.request())
        line = await reader.readline()
        writer.close()
        return b" 200 " in line

    async def _listen(self) -> None:
        reader, writer = await self.open()
        writer.write(self.request("/live"))
        with suppress(asyncio.IncompleteReadError):
            while True:
                line = await reader.readline()
                if line.startswith(b'data: {"game"'):
                    self._take(line[6:], time.time())
                elif not line:
                    break
        writer.close()

    def _take(self, data: bytes, at: float) -> None:
        moved = json.loads(data)
        if "moves" in moved:
            self._heard.append((moved["game"], moved["ply"] + len(moved["moves"]), at))
