"""A run on every page that is open: server-sent events, with the messages of `news.py`.

One hub reads a run, in a thread and only while pages are open, and each page has a queue. Ids
increase, also from one server to the next. A page names the last id it knows, and gets what came
since; what it knew already may come again, and changes nothing.
"""

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from functools import partial
from typing import NamedTuple

from arena.errors import ArenaError
from arena.tournament.run_view import RunView
from arena.web.news import RESET, Message, News
from arena.web.runs import ShownRun
from arena.web.streams import SIGN_OF_LIFE, event

_LOOK_S, _IDLE_S = 0.15, 1.0
"""From one look to the next; longer while nothing is played."""
_PAGE_S, _MOST_S = 0.0013, 0.5
"""How much longer for each open page, and the most: what 300 pages are sent takes a fiftieth of a
core, which may be one that plays."""
_LINGER_S = 60.0
"""How long a hub goes on for a page that was sent and has not asked yet."""
_REMEMBERED, _WAITING = 2_000, 100
"""Looks that are remembered for pages that come back, and those that a slow page may fall behind.
Pages are marked each `_LINGER_S`: what came since is among those remembered."""
_ALIVE_S = 15.0
"""A page that hears nothing for longer is sent a sign of life: proxies and the page itself close
what is silent."""


class Sent(NamedTuple):
    """The events of one look."""

    last: int
    """The id of the last of them."""
    text: bytes


Queue = asyncio.Queue[bytes | None]
"""Events of each look; None where there are no more."""


class Hub:
    """Follows a run for all of its open pages."""

    def __init__(self, run: ShownRun, over: Callable[[], object] = lambda: None) -> None:
        """`over` is called when it has stopped to look: it would begin afresh."""
        self._run, self._over = run, over
        self._last = 0
        self._queues: set[Queue] = set()
        self._task: asyncio.Task[None] | None = None
        self._starting = asyncio.Lock()

    def _begin(self) -> None:
        """Know nothing: pages that were followed before are to be loaded again."""
        self._last = self._mark = self._first = max(self._last + 1, time.time_ns() // 1000)
        self._marked_at = self._sent_at = time.monotonic()
        self._sent: deque[Sent] = deque(maxlen=_REMEMBERED)
        self._news = News()
        self._run.news = []

    async def mark(self) -> int:
        """An id of the last minute: a page that is made now knows all up to it."""
        await self._follow()
        if time.monotonic() > self._marked_at + _LINGER_S:
            self._mark, self._marked_at = self._last, time.monotonic()
        return self._mark

    async def listen(self, after: int | None) -> AsyncGenerator[bytes]:
        """The events for a page that knows those up to an id; None for a page that knows none."""
        await self._follow()
        queue: Queue = asyncio.Queue(_WAITING)
        self._queues.add(queue)
        try:
            yield self._missed(after)
            while (more := await queue.get()) is not None:
                yield more
        finally:
            self._queues.discard(queue)
            self._asked_at = time.monotonic()

    def _missed(self, after: int | None) -> bytes:
        """The events after an id; `reset` where they are not known any more."""
        if after is None:
            return b"id: %d\n\n" % self._last
        if not self._first <= after <= self._last:
            return event(*RESET, self._last)
        return b":\n\n" + b"".join(sent.text for sent in self._sent if sent.last > after)

    async def _follow(self) -> None:
        """Follow the run. Raises StoreError."""
        self._asked_at = time.monotonic()
        async with self._starting:
            if self._task is None or self._task.done():
                self._begin()
                self._send(await self._run.look(self._look))
                self._task = asyncio.create_task(self._look_on())

    async def _look_on(self) -> None:
        """Look until no page has asked for a while."""
        try:
            while self._queues or time.monotonic() < self._asked_at + _LINGER_S:
                await asyncio.sleep(self._pause_s)
                with suppress(ArenaError):  # the page itself reports it
                    self._send(await self._run.look(self._look))
                if time.monotonic() > self._sent_at + _ALIVE_S:
                    self._send_all(SIGN_OF_LIFE)
        finally:  # at once: a page that asks from now on has another hub
            self._run.news = None
            self._over()
            self._let_all_go()

    @property
    def _pause_s(self) -> float:
        if not self._run.is_played:
            return _IDLE_S
        return min(_LOOK_S + _PAGE_S * len(self._queues), _MOST_S)

    def _look(self, view: RunView) -> list[Message]:
        news, self._run.news = self._run.news or [], []
        return self._news.since(view, news)

    def _send(self, messages: list[Message]) -> None:
        if not messages:
            return
        text = b""
        for message in messages:
            self._last += 1
            text += event(*message, self._last)
        if len(self._sent) == _REMEMBERED:
            self._first = self._sent[0].last
        self._sent.append(Sent(self._last, text))
        if RESET in messages:  # for the pages of before: those made from now on begin after it
            self._sent.clear()
            self._first = self._mark = self._last
        self._send_all(text)

    def _send_all(self, text: bytes) -> None:
        self._sent_at = time.monotonic()
        for queue in tuple(self._queues):
            if queue.full():  # its page does not read: it is to load itself again
                self._let_go(queue, event(*RESET, self._last))
            else:
                queue.put_nowait(text)

    def _let_go(self, queue: Queue, *last: bytes) -> None:
        """Have a page listen no more, after these last events."""
        self._queues.discard(queue)
        while not queue.empty():
            queue.get_nowait()
        for text in (*last, None):
            queue.put_nowait(text)

    def end(self) -> None:
        """Follow the run no more, and let its pages go: they come back to the next server."""
        if self._task is not None:
            self._task.cancel()
        self._let_all_go()

    def _let_all_go(self) -> None:
        for queue in tuple(self._queues):
            self._let_go(queue)


class Hubs(dict[ShownRun, Hub]):
    """The hub of each run that is watched; it is forgotten when it has stopped to look."""

    def __missing__(self, run: ShownRun) -> Hub:
        self[run] = Hub(run, partial(self.pop, run, None))
        return self[run]

    def end(self) -> None:
        for hub in tuple(self.values()):
            hub.end()
