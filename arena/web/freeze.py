"""The freeze of a table: from a moment on the public sees the run as it stood then, the staff all.

COURSE/.web/frozen/NAME.sqlite   the copy of the run that the public sees instead
"""

import threading
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from arena.errors import StoreError
from arena.tournament.store_copy import copy_run
from arena.web.scheduler import Scheduler
from arena.web.sessions import FOLDER


class TableFreeze:
    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self.folder = scheduler.course / FOLDER / "frozen"
        self._copying = threading.Lock()

    def freeze(self, name: str, at: datetime) -> None:
        """Show the public the table as it is at a moment, past or to come, from then on. Raises
        UserError and StoreError.
        """
        store = self._scheduler.process(name).store
        with self._copying:
            if at <= datetime.now(UTC) and store.exists():
                self._copy(store, at)
            else:
                self._place(name).unlink(missing_ok=True)
            self._scheduler.change(name, freeze_at=at)

    def unfreeze(self, name: str) -> None:
        """Show the public all of the run. Raises UserError."""
        self._scheduler.process(name)
        with self._copying:
            self._scheduler.change(name, freeze_at=None)
            self._place(name).unlink(missing_ok=True)

    def public(self, name: str) -> Path | None:
        """The copy that the public sees; None where it sees the run. Raises StoreError."""
        if not self.is_due(name):
            return None
        if self._is_missing(name):
            with self._copying:
                at = self.frozen_at(name)
                if at is not None and self._is_missing(name):
                    self._copy(self._scheduler.store(name), at)
        copy = self._place(name)
        return copy if copy.exists() else None

    def is_behind(self) -> bool:
        """Whether a copy is missing by now: making it takes a while."""
        return any(map(self._is_missing, self._scheduler.frozen()))

    def catch_up(self) -> None:
        for name in self._scheduler.frozen():
            with suppress(StoreError):  # its page reports it
                self.public(name)

    def frozen_at(self, name: str) -> datetime | None:
        """The moment from which on a table is frozen; None where it is not to be."""
        return self._scheduler.wish(name).freeze_at

    def is_due(self, name: str) -> bool:
        """Whether it is frozen by now; it stays so where the clock is set back afterwards."""
        at = self.frozen_at(name)
        return at is not None and (at <= datetime.now(UTC) or self._place(name).exists())

    def _copy(self, store: Path, at: datetime) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        copy_run(store, self._place(store.stem), until=at)

    def _is_missing(self, name: str) -> bool:
        is_copied = self._place(name).exists()
        return self.is_due(name) and not is_copied and self._scheduler.store(name).exists()

    def _place(self, name: str) -> Path:
        return self.folder / f"{name}.sqlite"
