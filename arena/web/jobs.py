"""Work that takes a while: each job has a folder, and a process of its own that outlives a killed
server. The process locks `events.jsonl` in the folder while it works, and writes there what
happened.
"""

import math
import os
import re
import secrets
import shutil
import signal
import subprocess
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from arena.checks.events import Event, Refused, read_event
from arena.errors import ArenaError, ConfigError, SubmissionError
from arena.files.lock import acquire, holder, is_held, release
from arena.files.plain_text import end_of, printable
from arena.files.whole_file import write_whole
from arena.model import Frozen
from arena.reports.html.folders import without_folders
from arena.web.log import to_log
from arena.web.sentences import MISTAKE, closed

ABOUT, EVENTS = "about.json", "events.jsonl"
"""The request, written last; the events, a line for each of `arena.checks.events`."""
CANCELLED = "cancelled"
"""A file in the folder of a job that its owner has ended."""
UPLOAD, ASIDE = "upload", "aside"
"""What was submitted for a job; what is left of it after one that did not take it."""
LOG, _LOG_BYTES = "errors.log", 8192
_LEAVES_S, _LOOK_S = 5.0, 0.05
"""How long a cancelled process may take to end its players, and between two looks at it."""
_ROOM_BYTES, _ROOM_S = 1 << 20, 2.0
"""The free disk without which no job begins, and the time between two looks at it."""
_WHEN = "%Y%m%d-%H%M%S"
ID = re.compile(r"\d{8}-\d{6}-[0-9a-f]{8}")
"""The name of a job's folder, which is in addresses."""

About = TypeVar("About", bound=Frozen)


def new_id(now: datetime) -> str:
    """A name for a job's folder; names sort by time, to the microsecond."""
    return f"{now:{_WHEN}}-{now.microsecond:05x}{secrets.token_hex(2)[:3]}"


class DamagedJob(SubmissionError):
    """A file of a job is not what the arena wrote."""

    def __init__(self, file: Path) -> None:
        super().__init__(f"{file} is damaged. The staff can remove its folder.")


def about_of(folder: Path, form: type[About]) -> About:
    """The order of a job. Raises DamagedJob."""
    try:
        return form.model_validate_json((folder / ABOUT).read_bytes())
    except (ValidationError, OSError):
        raise DamagedJob(folder / ABOUT) from None


def asked_at(folder: Path) -> datetime:
    """The time at which a job came, by the name of its folder; later, if the clock was set back."""
    with suppress(ValueError):
        return datetime.strptime(f"{folder.name[:15]}+0000", f"{_WHEN}%z")
    return datetime.fromtimestamp(0, UTC)


def events_of(folder: Path) -> Iterator[Event]:
    """The events of a job so far. Raises DamagedJob."""
    file = folder / EVENTS
    try:
        lines = file.read_bytes().splitlines(keepends=True) if file.exists() else ()
        for line in lines:
            yield read_event(line)
    except OSError:
        raise DamagedJob(file) from None
    except ValidationError:
        if line.endswith(b"\n"):  # else it is being written
            raise DamagedJob(file) from None


def mistake_of_staff(error: ConfigError) -> Refused:
    """A mistake in a file of the course, as an owner reads it; the staff reads the log."""
    to_log(str(error))
    return Refused(sentence=MISTAKE)


def put_aside(folder: Path) -> None:
    """Keep what was submitted, where it is still there."""
    with suppress(OSError):
        (folder / UPLOAD).rename(folder / ASIDE)


@contextmanager
def working(folder: Path, *folders: Path, failed: str) -> Iterator[Callable[[Event], None]]:
    """Hold a job while its process works; yields a function that writes an event, without these
    folders. The last event reports an error: its sentence, or `failed` for one of ours.
    """
    held = acquire(folder / EVENTS)
    try:
        with (folder / EVENTS).open("a", encoding="utf-8", buffering=1) as file:

            def write(event: Event) -> None:
                file.write(without_folders(event.model_dump_json(), *folders) + "\n")

            try:
                yield write
            except ArenaError as error:
                write(Refused(sentence=closed(error) or str(error)))
            except Exception:
                traceback.print_exc()
                write(Refused(sentence=failed))
    finally:
        release(folder / EVENTS, held)


class Jobs:
    """Starts the processes of jobs, those that wait in the order they came."""

    def __init__(self, root: Path, command: Sequence[str], places: Callable[[], int]) -> None:
        self.root = root
        """Has a folder for each owner, with one for each job."""
        self.command = command
        """The command of a process; the folder is added as its last argument."""
        self._places = places
        self._last: Path | None = None
        """The job that came last, once it was looked for: there may be thousands."""
        self._lock = threading.Lock()
        self._waiting: deque[Path] = deque()
        self._working: set[Path] = set()
        self._lacks_room = False
        """Whether a thread waits until the disk has room."""

    def folders(self, owner: str = "*") -> list[Path]:
        """The jobs of an owner, or of all, those of each in the order they came."""
        return sorted(at.parent for at in self.root.glob(f"{owner}/*/{ABOUT}"))

    def newest(self, owner: str, most: int | None = None) -> list[Path]:
        """The last jobs of an owner, or of all with "*", the newest first."""
        return sorted(self.folders(owner), key=lambda folder: folder.name, reverse=True)[:most]

    def place(self, owner: str, now: datetime) -> Path:
        """A folder for a job that comes now: after all others, also where the clock was set back.
        The caller lets no other come meanwhile.
        """
        id, last = new_id(now), self._last or next(iter(self.newest("*", 1)), Path())
        if last.name >= id:
            id = new_id(max(now, asked_at(last) + timedelta(seconds=1)))
        self._last = self.root / owner / id
        return self._last

    def folder(self, owner: str, id: str) -> Path | None:
        """The job of that id, where it is one of the owner's; "*" is any owner."""
        found = self.root.glob(f"{owner}/{id}/{ABOUT}") if ID.fullmatch(id) else ()
        return next((about.parent for about in found), None)

    def order(self, folder: Path, about: Frozen) -> None:
        """Keep what is to be done, and begin it as soon as there is a place."""
        with self._lock:  # who finds it there finds that it waits: to sync the disk takes a while
            write_whole(folder / ABOUT, about.model_dump_json() + "\n")
            self._waiting.append(folder)
        self._begin()

    def resume(self) -> None:
        """Take the jobs that an earlier server has not begun, in the order they came."""
        for folder in reversed(self.newest("*")):
            if not (folder / EVENTS).exists():
                self.add(folder)
            elif (folder / UPLOAD).exists() and self.is_over(folder):
                put_aside(folder)  # the machine ended both the process and the server

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

    def log(self, owner: str, id: str) -> str:
        """The end of what the process of a job wrote, which is of this machine."""
        return printable(end_of(self.root / owner / id / LOG, _LOG_BYTES), keep="\n")

    def cancel(self, folder: Path) -> None:
        """End a job, also one that waits; its process has ended then."""
        if self.is_over(folder):
            return
        for name in (CANCELLED, EVENTS):  # with events no later server begins it
            (folder / name).touch()
        with self._lock:
            if folder in self._waiting:
                self._waiting.remove(folder)
        kill_at = math.inf
        while not self.is_over(folder):  # its process has the lock a moment after it was begun
            pid, now = holder(folder / EVENTS), time.monotonic()
            with suppress(ProcessLookupError):
                if pid is not None and kill_at == math.inf:
                    kill_at = now + _LEAVES_S
                    os.kill(pid, signal.SIGTERM)
                elif pid is not None and now > kill_at:
                    os.kill(pid, signal.SIGKILL)
            time.sleep(_LOOK_S)
        for name in (UPLOAD, ASIDE):
            shutil.rmtree(folder / name, ignore_errors=True)

    def _begin(self) -> None:
        with self._lock:
            while (folder := self._next()) is not None:
                name = f"job {folder.name}"
                thread = threading.Thread(target=self._work, args=(folder,), name=name, daemon=True)
                try:
                    thread.start()
                except RuntimeError as error:  # too many: it waits until another comes or ends
                    to_log(f"The job {folder.name} waits: {error}")
                    self._working.remove(folder)
                    self._waiting.appendleft(folder)
                    return

    def _begin_with_room(self) -> None:
        """Begin the jobs that wait once the disk has room."""
        while not self._has_room():
            time.sleep(_ROOM_S)
        with self._lock:
            self._lacks_room = False
        self._begin()

    def _has_room(self) -> bool:
        try:
            return shutil.disk_usage(self.root).free >= _ROOM_BYTES
        except OSError:  # as where the staff made room by removing it: the jobs that are left begin
            return True

    def _next(self) -> Path | None:
        """The job that has waited longest, if there are a place and a disk for it. The lock is
        held.
        """
        if self._lacks_room or not self._waiting or len(self._working) >= self._places():
            return None
        if not self._has_room():  # it could write nothing, and would be broken off
            to_log(f"The jobs of {self.root} wait: the disk is full")
            with suppress(RuntimeError):  # too many threads: until another job comes or ends
                threading.Thread(target=self._begin_with_room, name="room", daemon=True).start()
                self._lacks_room = True
            return None
        folder = self._waiting.popleft()
        self._working.add(folder)
        return folder

    def _work(self, folder: Path | None) -> None:
        """Work on a job, and on those that wait: another thread may be one too many."""
        while folder is not None:
            try:
                self._run(folder)
            except OSError as error:  # a full disk, too many processes
                to_log(f"The job {folder.name} could not be started: {error}")
            finally:
                with suppress(OSError):  # broken off, if it has none: no later server begins it
                    (folder / EVENTS).touch()
                put_aside(folder)  # where it was killed
                with self._lock:
                    self._working.remove(folder)
            with self._lock:
                folder = self._next()

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
