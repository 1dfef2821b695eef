"""The runs of a folder, by their names: each read again when its files have changed, and what was
made of it kept until then.
"""

import asyncio
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from arena.files import lock
from arena.files.whole_file import stamp
from arena.tournament.events import Event, events_file
from arena.tournament.run_view import RunView

_MOST_OPEN = 8
"""Views that stay open, besides those of runs in play: of each, a game takes about 2 kB."""
_MOST_KEPT = 24
"""The cache entries of a run, most of them pages of its last visitors."""
_PATIENCE = 5.0
"""While a run is played, its standings take a sixth of the time at most."""
_INDEX_HEADER = 48
"""Its bytes. Source: sqlite.org/walformat.html."""
_LAST_S = 253_402_300_799
"""The end of the year 9999: files may have any time."""
Made = TypeVar("Made")
FileState = tuple[object, ...]


class ShownRun:
    """A run that pages show. Its view is used by one thread at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = path.stem
        self._events = events_file(path)
        self._turn, self._lock = asyncio.Lock(), threading.Lock()
        self._view: RunView | None = None
        self._seen: FileState = ()
        self._was_played = False
        self._is_over: bool | None = None
        self._cache: OrderedDict[Hashable, tuple[FileState, Any]] = OrderedDict()
        self._once: dict[str, tuple[FileState, Any]] = {}
        self.news: list[Event] | None = None
        """The news since the last call; None while it is not followed."""
        self.used_at = 0.0
        """When it was shown last, on the monotonic clock; to be listed does not count."""

    @property
    def is_played(self) -> bool:
        return lock.is_held(self.path)

    @property
    def is_open(self) -> bool:
        return self._view is not None

    def _next_to(self, end: str) -> Path:
        """What SQLite keeps next to the file itself, whatever links lead there."""
        return Path(f"{os.path.realpath(self.path)}{end}")

    @property
    def changed_at(self) -> datetime:
        stamps = (stamp(self.path), stamp(self._next_to("-wal")))
        written = (each[2] // 10**9 for each in stamps if each and each[1])  # not a reader's
        return datetime.fromtimestamp(min(max((0, *written)), _LAST_S), UTC)

    def state(self, *, moves: bool = True) -> FileState:
        """A value that changes whenever the run does; without `moves`, whenever its results do."""
        written = stamp(self._next_to("-wal"))
        unmerged = (written, self._committed()) if written and written[1] else None
        results = (stamp(self.path), unmerged, self.is_played)
        return (*results, stamp(self._events)) if moves else results

    def _committed(self) -> bytes:
        """What SQLite changes as the last step of a commit, the header of its index of the -wal: a
        game is written there some time before readers see it.
        """
        with suppress(OSError), self._next_to("-shm").open("rb") as file:
            return file.read(_INDEX_HEADER)
        return b""

    async def made(
        self, key: Hashable, make: Callable[[RunView], Made], *, moves: bool = False
    ) -> Made:
        """The result of `make` on the run as it stands, from the cache or made now; `moves` where
        it shows games that are being played. Raises StoreError.
        """
        self.used_at = time.monotonic()
        known: tuple[FileState, Made] | None = self._cache.get(key)
        if known is not None and known[0] == self.state(moves=moves):
            return known[1]
        async with self._turn:  # those that wait take no thread: all requests share a few
            return await run_in_threadpool(self._make, key, make, moves)

    def _make(self, key: Hashable, make: Callable[[RunView], Made], moves: bool) -> Made:
        with self._lock:
            known: tuple[FileState, Made] | None = self._cache.get(key)
            state = self.state(moves=moves)
            if known is None or known[0] != state:
                view = self._look(self.state())
                made = make(view)
                known = () if view.is_late else state, made
            self._cache[key] = known
            self._cache.move_to_end(key)
            if len(self._cache) > _MOST_KEPT:
                self._cache.popitem(last=False)
            return known[1]

    async def once(self, what: str, state: FileState, make: Callable[[], Awaitable[Made]]) -> Made:
        """The one thing of its kind that was made of the run in this state, or is made now."""
        known: tuple[FileState, Made] | None = self._once.get(what)
        if known is None or known[0] != state:
            known = self._once[what] = state, await make()
        return known[1]

    async def is_over(self) -> bool:
        """Whether nothing is left to play. Raises StoreError."""
        if self._is_over is None or self._seen != self.state():
            await self.look(lambda view: None)
        return bool(self._is_over)

    async def look(self, use: Callable[[RunView], Made]) -> Made:
        """The result of `use` on the run as it stands. Raises StoreError."""
        self.used_at = time.monotonic()
        async with self._turn:
            return await run_in_threadpool(self._use, use)

    def _use(self, use: Callable[[RunView], Made]) -> Made:
        with self._lock:
            return use(self._look(self.state()))

    def _look(self, state: FileState) -> RunView:
        """The view, which only follows what it saw begin: else it is opened again."""
        if self._view is not None and state == self._seen:
            return self._view
        same_file = bool(self._seen) and _inode(state[0]) == _inode(self._seen[0])
        if self._view is not None and not (same_file and self._was_played):
            self._close()
        # One that may not write the folder never looks for a -wal that was not there at first.
        has_wal = self._next_to("-wal").exists()
        if self._view is None:
            self._view = RunView(self.path, patience=_PATIENCE)
        else:
            self._view.refresh()
        if (news := self.news) is not None:
            news += self._view.news  # in place: it may be followed no more by now
        self._is_over = self._view.schedule.over
        self._seen, self._was_played = state, self._view.is_played and has_wal
        return self._view

    def close(self) -> None:
        """Let go of the view, and of what was made of it, unless it is used."""
        if self._lock.acquire(blocking=False):
            try:
                self._close()
                self._cache.clear()
            finally:
                self._lock.release()

    def _close(self) -> None:
        if self._view is not None:
            self._view.close()
        self._view = None


class Runs:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._shown: dict[str, ShownRun] = {}

    def names(self) -> list[str]:
        """The runs that are there; what was kept of others is forgotten."""
        names = sorted(path.stem for path in self.folder.glob("*.sqlite") if path.is_file())
        for gone in self._shown.keys() - names:
            self._shown.pop(gone).close()
        return names

    def __getitem__(self, name: str) -> ShownRun:
        """A run by its name, never by a path. Raises HTTPException."""
        path = self.folder / f"{name}.sqlite"
        if path.name != f"{name}.sqlite" or not os.path.isfile(path):  # noqa: PTH113 - any text may be a name
            raise HTTPException(404, "There is no such tournament here.")
        return self._show(path)

    def _show(self, path: Path) -> ShownRun:
        shown = self._shown.setdefault(path.stem, ShownRun(path))
        others = [run for run in self._shown.values() if run.is_open and run is not shown]
        for other in sorted(others, key=lambda run: run.used_at)[: 1 - _MOST_OPEN]:
            if other.news is None and not other.is_played:  # else the list would read it again
                other.close()
        return shown

    def close(self) -> None:
        for shown in self._shown.values():
            shown.close()


def _inode(stamp: object) -> object:
    return stamp[0] if isinstance(stamp, tuple) else None
