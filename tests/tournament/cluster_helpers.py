"""A cluster in the process of a test, and a network that can be cut."""

import asyncio
from pathlib import Path
from typing import Any, Self

from distributed import Client, LocalCluster


def machines_of_one_core(number: int, folder: Path, **more: Any) -> LocalCluster:
    """A cluster of so many workers."""
    return LocalCluster(
        n_workers=number, threads_per_worker=1, processes=False, dashboard_address=":0",
        memory_limit=0, local_directory=folder, **more,
    )  # fmt: skip


class Wire:
    """Takes bytes from one side to the other. While it is cut it keeps them, as a network that
    loses packets for a while makes TCP do.
    """

    _server: asyncio.Server

    def __init__(self, client: Client) -> None:
        self._client, self._whole = client, asyncio.Event()
        self._whole.set()

    @classmethod
    async def to_scheduler(cls, client: Client) -> tuple[Self, str]:
        """A wire in the loop of the client, and the address of its other end."""
        wire = cls(client)
        wire._server = await asyncio.start_server(wire._connected, "127.0.0.1", 0)
        host, port = wire._server.sockets[0].getsockname()
        return wire, f"tcp://{host}:{port}"

    async def close(self) -> None:
        """Take no more connections."""
        self._server.close()

    def cut(self) -> None:
        """Let nothing through."""
        self._client.loop.add_callback(self._whole.clear)

    def join(self) -> None:
        """Let through what was kept, and what comes."""
        self._client.loop.add_callback(self._whole.set)

    async def _connected(self, near: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
        host, port = self._client.scheduler.address.removeprefix("tcp://").split(":")
        far, there = await asyncio.open_connection(host, int(port))
        await asyncio.gather(self._carry(near, there), self._carry(far, back))

    async def _carry(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        try:
            while data := await source.read(65_536):
                await self._whole.wait()
                sink.write(data)
                await sink.drain()
        except ConnectionError:
            pass
        finally:
            sink.close()
