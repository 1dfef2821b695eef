"""Connections of the server, each of which takes one of its files."""

import asyncio
import resource

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

WAIT_S = 10.0
"""How long the head of a request may take to come, and then the next piece of its body."""


class PromptProtocol(HttpToolsProtocol):
    """HTTP that ends a connection on which a request does not come in time."""

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        has_head = self.cycle is not None and not self.cycle.response_complete
        if has_head:
            self._stop_waiting()
        if not has_head or self.cycle.more_body:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self) -> None:
        if self._timer is None:
            self._timer = self.loop.call_later(WAIT_S, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def open_all_files() -> None:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
