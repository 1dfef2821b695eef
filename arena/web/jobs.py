"""Work that takes a while: each job has a folder, and a process of its own that outlives a killed
server. The process locks `events.jsonl` in the folder while it works, and writes there what
happened.
"""

import re
import secrets
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from pydantic import ValidationError

from arena.checks.events import Event, read_event
from arena.files.lock import is_held
from arena.files.plain_text import printable

ABOUT, EVENTS = "about.json", "events.jsonl"
"""What is to be done, written last; what happened, a line for each event of
`arena.checks.events`."""
LOG, _LOG_BYTES = "errors.log", 8192
ID = re.compile(r"\d{8}-\d{6}-[0-9a-f]{8}")
"""The name of a job's folder, which is in addresses."""


def new_id(now: datetime) -> str:
    """A name for a job's folder; names sort by time."""
    return f"{now:%Y%m%d-%H%M%S}-{secrets.token_hex(4)}"


def events_of(folder: Path) -> Iterator[Event]:
    """What happened in a job so far."""
    file = folder / EVENTS
    for line in file.read_bytes().splitlines() if file.exists() else ():
        try:
            yield read_event(line)
        except ValidationError:  # a line that is being written
            return


def log_of(folder: Path) -> str:
    """The end of what the process of a job wrote, which is of this machine."""
    file = folder / LOG
    with suppress(FileNotFoundError), file.open("rb") as log:
        log.seek(max(0, file.stat().st_size - _LOG_BYTES))
        return printable(log.read().decode("utf-8", "replace"), keep="\n")
    return ""


class Jobs:
    """Starts the processes of jobs, those that wait in the order they came."""

    def __init__(self, root: Path, command: Sequence[str], places: Callable[[], int]) -> None:
        self.root = root
        """Has a folder for each owner, with one for each job."""
        self.command = command
        """Its last argument, the folder, comes to it."""
        self._places = places
        self._lock = threading.Lock()
        self._waiting: deque[Path] = deque()
        self._working: set[Path] = set()

    def folders(self, owner: str = "*") -> list[Path]:
        """The jobs of an owner, or of all, those of each in the order they came."""
        return sorted(at.parent for at in self.root.glob(f"{owner}/*/{ABOUT}"))

    def go_on(self) -> None:
        """Take the jobs that an earlier server has not begun."""
        for folder in self.folders():
            if not (folder / EVENTS).exists():
                self.add(folder)

    def add(self, folder: Path) -> None:
        """Begin a job as soon as there is a place."""
        with self._lock:
            self._waiting.append(folder)
        self._begin()

    def is_over(self, folder: Path) -> bool:
        """Whether nothing more happens."""
        with self._lock:
            if folder in self._working or folder in self._waiting:
                return False
        return not is_held(folder / EVENTS)

    def _begin(self) -> None:
        with self._lock:
            while self._waiting and len(self._working) < self._places():
                folder = self._waiting.popleft()
                self._working.add(folder)
                name = f"job {folder.name}"
                threading.Thread(target=self._work, args=(folder,), name=name, daemon=True).start()

    def _work(self, folder: Path) -> None:
        try:
            self._run(folder)
        except OSError as error:  # a full disk, too many processes
            sys.stderr.write(f"The job {folder.name} could not be started: {error}\n")
            with suppress(OSError):
                (folder / EVENTS).touch()  # broken off: no later server begins it
        finally:
            with self._lock:
                self._working.remove(folder)
            self._begin()

    def _run(self, folder: Path) -> None:
        with (folder / LOG).open("wb") as log:
            subprocess.run(
                [*self.command, str(folder)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C is for the server
                check=False,
            )
