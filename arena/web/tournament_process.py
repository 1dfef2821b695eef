"""The process that plays one tournament: `arena run`, which outlives the server that started it, on
the cores that are left to those who play.
"""

import os
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from arena.files import lock
from arena.files.imports import module_command
from arena.files.plain_text import end_of, printable
from arena.files.whole_file import make_private
from arena.sandbox.features import usable_cores
from arena.tournament.events import EVENT, RunFinished, RunOutcome, events_file

_MANY = 8
"""From this many cores on, pages and checks have two."""
_TAIL_BYTES = 1 << 20
"""The last event is looked for in these."""
_LOG_BYTES, LOG_LINES = 16_384, 20


class Cores(NamedTuple):
    """Two sets of cores, the same one where there is a single core."""

    play: tuple[int, ...]
    rest: tuple[int, ...]


@cache
def cores() -> Cores:
    """The cores as they were divided when this was asked first, while this process may use all: the
    last one or two are left for pages and checks.
    """
    usable = usable_cores()
    if len(usable) < 2:
        return Cores(usable, usable)
    rest = 2 if len(usable) >= _MANY else 1
    return Cores(usable[:-rest], usable[-rest:])


class TournamentProcess:
    """The process of one tournament file and its run; this server need not have started it."""

    def __init__(self, file: Path, store: Path) -> None:
        self.file, self.store = file, store
        self.log = store.with_suffix(".log")

    @property
    def plays(self) -> bool:
        return lock.is_held(self.store)

    def pid(self, started: int | None) -> int | None:
        """The process that has the run, or prepares to: the one `started`, if it is there."""
        return lock.holder(self.store) or (started if self._is(started) else None)

    def _is(self, pid: int | None) -> bool:
        with suppress(OSError):
            return os.fsencode(self.store) in Path(f"/proc/{pid}/cmdline").read_bytes()
        return False

    def start(self, *, take_new: bool, without: tuple[str, ...]) -> subprocess.Popen[bytes]:
        """Begin the run, or go on with it, on the cores that play."""
        make_private(self.store.parent)  # it has the stderr of all
        events_file(self.store).unlink(missing_ok=True)  # the end of the run before is not of this
        options = ["--store", str(self.store), *(["--take-new"] if take_new else [])]
        options += [f"--without={name}" for name in without]
        command = module_command("arena", "run", str(self.file), *options)
        with self.log.open("ab") as log:
            typed = " ".join(command[3:])
            log.write(f"\n{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC: {typed}\n".encode())
            log.flush()

            def begin() -> subprocess.Popen[bytes]:
                # Of this thread, and inherited: `arena` takes SIGINT as soon as it can end well.
                os.sched_setaffinity(0, cores().play)
                signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
                return subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    cwd=self.file.parent,
                    start_new_session=True,
                )

            with ThreadPoolExecutor(1) as pool:
                return pool.submit(begin).result()

    def outcome(self) -> RunOutcome | None:
        """How the run ended that was started last; None where it was killed."""
        lines = end_of(events_file(self.store), _TAIL_BYTES).rstrip("\n").split("\n")
        with suppress(ValidationError):
            event = EVENT.validate_json(lines[-1])
            if isinstance(event, RunFinished):
                return event.outcome
        return None

    def last_lines(self) -> list[str]:
        return list(map(printable, end_of(self.log, _LOG_BYTES).splitlines()[-LOG_LINES:]))


def interrupt(pid: int) -> None:
    """Ask a process that plays to stop; the run can go on later."""
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGINT)
