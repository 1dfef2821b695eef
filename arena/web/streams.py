"""Pages that listen: how many each visitor may have open at once, and all of them together. Each
holds a connection, which is a file to the system.
"""

from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterable, Callable
from contextlib import aclosing
from resource import RLIMIT_NOFILE, getrlimit

from fastapi import HTTPException, Request
from fastapi.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from arena.web.news import RESET
from arena.web.rates import address_of
from arena.web.rights import visitor_of
from arena.web.state import state_of

MOST = 400
"""Streams of one address, which may be that of a whole class."""
MOST_OF_OWNER = 30
"""Streams of one owner, from all addresses."""


class Streams(Counter[str]):
    """How many are open, by visitor."""

    def __init__(self) -> None:
        super().__init__()
        self.room = getrlimit(RLIMIT_NOFILE)[0] // 2
        """For all: the other half of the files is for other requests."""


class EventStream(StreamingResponse):
    """Server-sent events, counted while they are sent."""

    def __init__(self, request: Request, events: AsyncIterable[bytes]) -> None:
        super().__init__(events, media_type="text/event-stream")
        self._opened, self._who = state_of(request).streams, _who(request)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._opened[self._who] += 1
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._opened[self._who] -= 1
            if not self._opened[self._who]:
                del self._opened[self._who]


def refuse_beyond(request: Request) -> None:
    """Refuse with 429 a stream for which there is no room."""
    opened, who = state_of(request).streams, _who(request)
    most = MOST_OF_OWNER if visitor_of(request).owner else MOST
    if opened[who] >= most:
        sentence = f"{most} live pages are open already from your account or address; close some."
    elif opened.total() >= opened.room:
        sentence = "All places for live pages are taken. Load the page again in a minute."
    else:
        return
    raise HTTPException(429, sentence, {"Retry-After": "60"})


def event(name: str, data: str, id_: int | None = None) -> bytes:
    line = "" if id_ is None else f"id: {id_}\n"
    return f"{line}event: {name}\ndata: {data}\n\n".encode()


SIGN_OF_LIFE = event("alive", "{}")
"""Sent to a page for which there is no news."""


async def as_long(
    first: bytes,
    more: AsyncGenerator[bytes],
    still: Callable[[], bool],
    last: bytes = event(*RESET),
) -> AsyncGenerator[bytes]:
    """The events, as long as the visitor `still` sees them; then `last`, by which a page is loaded
    again.
    """
    async with aclosing(more):
        yield first
        async for text in more:
            if not still():
                yield last
                return
            yield text


def _who(request: Request) -> str:
    owner = visitor_of(request).owner
    return f"owner {owner}" if owner else address_of(request)
