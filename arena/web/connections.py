"""Connections of the server, each of which takes one of its files."""

import asyncio
import resource

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEADER_S = 10.0
"""How long the head of a request may take to come."""


class PromptProtocol(HttpToolsProtocol):
    """HTTP that ends a connection on which no whole head of a request comes in time."""

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Wait for a request."""
        super().connection_made(transport)
        self._timer = self.loop.call_later(HEADER_S, transport.close)

    def data_received(self, data: bytes) -> None:
        """Wait on, or answer."""
        super().data_received(data)
        is_answering = self.cycle is not None and not self.cycle.response_complete
        if is_answering:
            self._stop_waiting()
        elif self._timer is None:
            self._timer = self.loop.call_later(HEADER_S, self.transport.close)

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def open_all_files() -> None:
    """Take as many open files as the system gives this process."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
