"""Users that own nothing: one for each player that root lets play."""

import errno
import os
import signal
import socket
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

from arena.sandbox.processes import PATIENCE_S, owners

FIRST, LAST = 61184, 65519
"""The uids that systemd, too, uses for users that exist for a while only."""


class User:
    """A uid, and the gid of the same number, that is ours alone while this object is open."""

    def __init__(self) -> None:
        """Raises OSError when all are taken."""
        taken = {uid for _, uid in owners()}
        span = LAST - FIRST + 1
        start = os.getpid() * 31 % span  # referees that run at once begin at different uids
        for number in range(span):
            self.uid = FIRST + (start + number) % span
            if self.uid in taken:
                continue
            # Reserved among referees by a name that the system frees when we end.
            self._name = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            try:
                self._name.bind(f"\0arena-uid-{self.uid}")
                return
            except OSError:
                self._name.close()
        raise OSError(
            f"All users from {FIRST} to {LAST} are in use, by processes or by names that any "
            "program may take (`ss -xp | grep arena-uid` shows whose)"
        )

    def become(self) -> None:
        """Give this process its rights and no others, for ever. Raises OSError."""
        os.setgroups([])
        os.setresgid(self.uid, self.uid, self.uid)
        os.setresuid(self.uid, self.uid, self.uid)

    def kill_all(self) -> None:
        """Kill every process it has, wherever it was forked to, and reap those that are ours."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            pid = os.fork()
            if pid == 0:
                try:
                    self.become()
                    os.kill(-1, signal.SIGKILL)  # all at once; returns 0 even where it kills none
                finally:
                    os._exit(0)
            os.waitpid(pid, 0)
            for process in self.processes():
                with suppress(ChildProcessError):
                    os.waitpid(process, os.WNOHANG)
            if not any(self.processes()) or time.monotonic() >= deadline:
                return
            time.sleep(0.002)

    def processes(self) -> Iterator[int]:
        return (pid for pid, uid in owners() if uid == self.uid)

    def close(self) -> None:
        """Release it; its processes are gone. Twice is fine."""
        self._name.close()


@cache
def can_become() -> bool:
    """Whether this process may change its user, and such users exist here."""
    if os.geteuid() != 0:
        return False
    lines = Path("/proc/self/uid_map").read_text().splitlines()
    spans = [(int(first), int(count)) for first, _, count in map(str.split, lines)]
    return any(first <= FIRST and first + count > LAST for first, count in spans)


def hand_over(folders: Iterable[str], uid: int, gid: int) -> None:
    """Make a user the owner of folders and all in them; links are not followed. Files nested deeper
    than the system takes paths keep their owner.
    """
    pending = list(folders)
    while pending:
        folder = pending.pop()
        try:
            os.chown(folder, uid, gid, follow_symlinks=False)
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        pending.append(entry.path)
                    else:
                        os.chown(entry.path, uid, gid, follow_symlinks=False)
        except OSError as error:
            if error.errno != errno.ENAMETOOLONG:
                raise
